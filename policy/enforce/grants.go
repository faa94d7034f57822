package enforce

import (
	"encoding/json"
	"slices"

	"ccdir/api"
	"ccdir/policy"
)

// maxSessionRules bounds the rules of one session.
const maxSessionRules = 500

// granted are the rules of one session. It is replaced, never changed.
type granted struct {
	rules    []api.SessionRule
	compiled *policy.Grants
}

// sessionFile stands for a session's rules where a rule's file is told.
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

// load takes what was saved for a session.
func (g *Gate) load(session string, record []byte) error {
	var rules []api.SessionRule
	if err := json.Unmarshal(record, &rules); err != nil {
		return err
	}
	compiled, err := compileGranted(rules)
	if err == nil {
		g.granted[session] = compiled
	}
	return err
}

// grantsOf are the compiled rules of a session, nil if it has none.
func (g *Gate) grantsOf(session string) *policy.Grants {
	g.mu.Lock()
	defer g.mu.Unlock()
	if k := g.granted[session]; k != nil {
		return k.compiled
	}
	return nil
}

// rulesOf are the rules of a session.
func (g *Gate) rulesOf(session string) []api.SessionRule {
	g.mu.Lock()
	defer g.mu.Unlock()
	if k := g.granted[session]; k != nil {
		return slices.Clone(k.rules)
	}
	return nil
}

// setRules replaces the rules of a session, saved first.
func (g *Gate) setRules(session string, change func([]api.SessionRule) ([]api.SessionRule, error)) error {
	g.granting.Lock()
	defer g.granting.Unlock()
	rules, err := change(g.rulesOf(session))
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
	if g.o.Rules != nil {
		if err := g.o.Rules.SaveSessionRules(session, record); err != nil {
			return err
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(rules) == 0 {
		delete(g.granted, session)
	} else {
		g.granted[session] = next
	}
	return nil
}
