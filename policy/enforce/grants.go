package enforce

import (
	"encoding/json"
	"slices"

	"ccdir/api"
	"ccdir/policy"
)

// maxSessionRules bounds the rules granted to one session.
const maxSessionRules = 500

// granted are the rules of one session. It is immutable.
type granted struct {
	rules    []api.SessionRule
	compiled *policy.Grants
}

// sessionFile is the file name that decisions report for a session's rules.
const sessionFile = "session"

func compileGranted(rules []api.SessionRule) (*granted, error) {
	texts := make([]string, len(rules))
	for i, r := range rules {
		texts[i] = r.Rule
	}
	compiled, err := policy.NewGrants(texts, sessionFile)
	if err != nil {
		return nil, err
	}
	return &granted{rules, compiled}, nil
}

// load compiles the saved rules of a session.
func (e *Enforcer) load(session string, record []byte) error {
	var rules []api.SessionRule
	if err := json.Unmarshal(record, &rules); err != nil {
		return err
	}
	compiled, err := compileGranted(rules)
	if err == nil {
		e.granted[session] = compiled
	}
	return err
}

// grantsOf returns the compiled rules of a session, nil if it has none.
func (e *Enforcer) grantsOf(session string) *policy.Grants {
	e.mu.Lock()
	defer e.mu.Unlock()
	if k := e.granted[session]; k != nil {
		return k.compiled
	}
	return nil
}

// rulesOf returns the rules of a session.
func (e *Enforcer) rulesOf(session string) []api.SessionRule {
	e.mu.Lock()
	defer e.mu.Unlock()
	if k := e.granted[session]; k != nil {
		return slices.Clone(k.rules)
	}
	return nil
}

// setRules changes the rules of a session. They are saved before they take effect.
func (e *Enforcer) setRules(session string, change func([]api.SessionRule) ([]api.SessionRule, error)) error {
	e.granting.Lock()
	defer e.granting.Unlock()
	rules, err := change(e.rulesOf(session))
	if err != nil {
		return err
	}
	next, err := compileGranted(rules)
	if err != nil {
		return api.Errorf(api.CodeInvalid, "%s", err.Error())
	}
	record, err := json.Marshal(rules)
	if err != nil {
		return err
	}
	if len(rules) == 0 {
		record = nil
	}
	if e.o.Rules != nil {
		if err := e.o.Rules.SaveSessionRules(session, record); err != nil {
			return err
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(rules) == 0 {
		delete(e.granted, session)
	} else {
		e.granted[session] = next
	}
	return nil
}
