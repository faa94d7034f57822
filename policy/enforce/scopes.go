package enforce

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"ccdir/api"
	"ccdir/internal/disk/atomicfile"
	"ccdir/policy"
	policyfile "ccdir/policy/file"
)

// edit is a change of policy files that has been validated but not written.
type edit struct {
	// texts are the new contents by file. line is the line of the rule in file.
	texts map[string][]byte
	file  string
	line  int
	// isNew: the file is made for it.
	isNew bool
	// policy is the policy with the change.
	policy *policy.Policy
}

// options returns the policy files of sessions started in root.
func (e *Enforcer) options(root string) policyfile.Options {
	project := ""
	if root != "" {
		project = policyfile.FindProject(root, e.o.Home)
	}
	return policyfile.Options{User: e.o.User, Project: project, Home: e.o.Home, UID: e.o.UID, Protect: e.o.Protect, Trees: e.o.Trees}
}

// newFile begins a policy file that is made for a rule. It says nothing besides: what no rule
// names is left to the agents.
const newFile = "# Made for a rule that was allowed always. What no rule names is left to the agents' own\n" +
	"# permission modes. `ccdir policy check` checks this file.\n\n"

// tryRule validates the change that adds a rule. It writes nothing.
func (e *Enforcer) tryRule(c api.Caller, scope string, effect policy.Effect, rule string) (edit, error) {
	o := e.options(c.Root)
	user, err := policyfile.ReadFile(o.User, o.UID)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return edit{}, err
	}
	change := edit{texts: map[string][]byte{}, file: o.User, isNew: err != nil}
	if change.isNew {
		user = []byte(newFile)
	}
	switch scope {
	case api.ScopeUser:
		user, change.line, err = policyfile.AddRule(user, o.User, c.Role, effect, rule)
		change.texts[o.User] = user
	case api.ScopeProject:
		err = e.tryProject(c, &o, &change, user, effect, rule)
	default:
		err = api.Errorf(api.CodeInvalid, "a rule is written for %s, %s or %s, found %.40q", api.ScopeSession, api.ScopeProject, api.ScopeUser, scope)
	}
	if err != nil {
		return edit{}, err
	}
	o.Texts = change.texts
	change.policy, err = policyfile.Load(o)
	return change, err
}

// tryProject adds the rule to the project's file. An allow rule counts there only if the user
// trusts the file, so its fingerprint is updated as well. A file that is not trusted does not
// become trusted this way.
func (e *Enforcer) tryProject(c api.Caller, o *policyfile.Options, change *edit, user []byte, effect policy.Effect, rule string) error {
	if o.Project == "" {
		o.Project = policyfile.ProjectDir(c.Root, e.o.Home)
	}
	if o.Project == e.o.Home {
		return api.Errorf(api.CodeInvalid, "the home directory is no project: a rule there is one for everywhere")
	}
	change.file = filepath.Join(o.Project, policyfile.ProjectFile)
	text, err := policyfile.ReadFile(change.file, o.UID)
	change.isNew = errors.Is(err, fs.ErrNotExist)
	if err != nil && !change.isNew {
		return err
	}
	if change.isNew {
		text = []byte(newFile)
	} else if effect == policy.Allow {
		now, err := policyfile.Load(*o)
		if err != nil {
			return err
		}
		if !now.Trusted() {
			return api.Errorf(api.CodeInvalid, "%s is not trusted, so its allow rules don't count: read it, then write its fingerprint (`ccdir policy check`) into [trust] of %s", change.file, o.User)
		}
	}
	if text, change.line, err = policyfile.AddRule(text, change.file, c.Role, effect, rule); err != nil {
		return err
	}
	change.texts[change.file] = text
	if effect == policy.Allow {
		change.texts[o.User], err = policyfile.SetTrust(user, *o, policyfile.Fingerprint(text))
	}
	return err
}

// write writes the changed files. The user's file comes last, since it trusts the other.
func (e *Enforcer) write(change edit) error {
	for _, first := range []bool{true, false} {
		for file, text := range change.texts {
			if (file != e.o.User) != first {
				continue
			}
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				return err
			}
			if real, err := filepath.EvalSymlinks(file); err == nil {
				file = real // keep the link
			}
			if err := atomicfile.Replace(file, text); err != nil {
				return err
			}
		}
	}
	return nil
}

// allows reports whether the policy p allows the request.
func (e *Enforcer) allows(c api.Caller, r *api.Request, p *policy.Policy, extra policy.Extra) bool {
	return p.DecideWith(e.asked(c, r), extra).Decision == policy.Allow
}

// asked is what a request asks, for the policy.
func (e *Enforcer) asked(c api.Caller, r *api.Request) policy.Request {
	return policy.Request{Role: c.Role, Tool: r.Tool, Input: r.Input, Root: c.Root, Cwd: c.CWD, Home: e.o.Home, Settings: c.Settings, Facts: e.facts(c)}
}

// scopes returns the scopes that an approval of the request can have, narrowest first: those
// in which the same request is allowed next time. rules are what can be written for each of
// them: the narrowest rule, and those that policy.Suggest adds.
func (e *Enforcer) scopes(c api.Caller, r *api.Request) (out []api.AlwaysScope, rules []string) {
	asked := e.asked(c, r)
	rules = policy.Suggest(asked)
	if exact, ok := policy.Exact(asked); ok {
		rules = append([]string{exact}, rules...)
	}
	p := e.policy(c.Root)
	for len(rules) > 0 && len(out) == 0 {
		for _, scope := range []string{api.ScopeSession, api.ScopeProject, api.ScopeUser} {
			if change, ok := e.lasts(c, r, p, scope, rules[0]); ok {
				out = append(out, api.AlwaysScope{Scope: scope, Rule: rules[0], File: change.file, New: change.isNew})
			}
		}
		if len(out) == 0 {
			rules = rules[1:]
		}
	}
	rules = slices.DeleteFunc(rules, func(rule string) bool {
		return slices.ContainsFunc(out, func(s api.AlwaysScope) bool {
			_, ok := e.lasts(c, r, p, s.Scope, rule)
			return !ok
		})
	})
	return out, rules
}

// lasts reports whether the request is allowed next time by a rule for a scope, and the change
// of files that makes it so, none for a session's.
func (e *Enforcer) lasts(c api.Caller, r *api.Request, p *policy.Policy, scope, rule string) (change edit, ok bool) {
	if scope == api.ScopeSession {
		grants, err := policy.NewGrants([]string{rule}, sessionFile)
		return change, err == nil && e.allows(c, r, p, policy.Extra{Grants: grants})
	}
	change, err := e.tryRule(c, scope, policy.Allow, rule)
	return change, err == nil && e.allows(c, r, change.policy, policy.Extra{})
}

// NewRule writes a rule and returns its row. The rule is recorded before it takes effect.
func (e *Enforcer) NewRule(ctx context.Context, n api.NewRule) (api.LedgerRow, error) {
	c, err := e.caller(ctx, n.Session)
	if err != nil {
		return api.LedgerRow{}, err
	}
	effect := policy.Effect(n.Effect)
	switch effect {
	case "":
		effect = policy.Allow
	case policy.Allow, policy.Ask, policy.Deny:
	default:
		return api.LedgerRow{}, api.Errorf(api.CodeInvalid, "a rule's effect is allow, ask or deny, found %.40q", n.Effect)
	}
	return e.newRule(c, effect, api.LedgerRow{Scope: n.Scope, Rule: n.Rule, Client: n.Client}, n.Call)
}

// newRule writes the rule of a row. The caller sets rule, scope, client and request of the
// row; newRule sets the rest.
func (e *Enforcer) newRule(c api.Caller, effect policy.Effect, row api.LedgerRow, call api.Call) (api.LedgerRow, error) {
	row.At, row.Session, row.Name, row.Role = e.o.Now(), c.Session, c.Name, c.Role
	row.Decision, row.By, row.Reason = api.LedgerRule, api.ByPerson, string(effect)+" rule written"
	if err := policy.CheckRule(row.Rule, effect); err != nil {
		return row, api.Errorf(api.CodeInvalid, "%s", err.Error())
	}
	if row.Scope == api.ScopeSession || row.Scope == "" {
		row.Scope, row.File = api.ScopeSession, sessionFile
		if effect != policy.Allow {
			return row, api.Errorf(api.CodeInvalid, "a session can only be given allow rules")
		}
		return row, e.grant(c, row, call)
	}
	e.writing.Lock()
	defer e.writing.Unlock()
	if before, known, err := e.recorded(row, call); err != nil {
		return row, err
	} else if known && e.written(before, effect) {
		return before, nil
	}
	change, err := e.tryRule(c, row.Scope, effect, row.Rule)
	if err != nil {
		return row, asInvalid(err)
	}
	row.File, row.Line = change.file, change.line
	if _, err := e.once(row, call, nil); err != nil {
		return row, err
	}
	if err := e.write(change); err != nil {
		return row, err
	}
	e.policy(c.Root) // in force before this returns
	return row, nil
}

// written reports whether the rule of a recorded row stands in its file and is in force.
func (e *Enforcer) written(row api.LedgerRow, effect policy.Effect) bool {
	text, err := policyfile.ReadFile(row.File, e.o.UID)
	if err != nil || !policyfile.HasRule(text, row.File, row.Role, effect, row.Rule) {
		return false
	}
	if row.File == e.o.User || effect != policy.Allow {
		return true
	}
	now, err := policyfile.Load(e.options(filepath.Dir(row.File)))
	return err == nil && now.Trusted()
}

// asInvalid returns err as an API error; CodeInvalid unless it has a code.
func asInvalid(err error) error {
	var known *api.Error
	if errors.As(err, &known) {
		return err
	}
	return api.Errorf(api.CodeInvalid, "%s", err.Error())
}

// grant adds an allow rule to the session.
func (e *Enforcer) grant(c api.Caller, row api.LedgerRow, call api.Call) error {
	return e.setRules(c.Session, func(rules []api.SessionRule) ([]api.SessionRule, error) {
		if len(rules) >= maxSessionRules {
			return nil, api.Errorf(api.CodeLimit, "the session has %d rules already: `ccdir rules` lists them", len(rules))
		}
		if revoked, err := e.once(row, call, laterRule(api.LedgerRevoked)); revoked || err != nil {
			return rules, err
		}
		for _, r := range rules {
			if r.Rule == row.Rule {
				return rules, nil
			}
		}
		return append(rules, api.SessionRule{Rule: row.Rule, At: e.o.Now().UTC().Truncate(time.Millisecond), Request: row.Request}), nil
	})
}

// Revoke removes a rule of the session.
func (e *Enforcer) Revoke(ctx context.Context, ref, rule, client string, call api.Call) error {
	c, err := e.caller(ctx, ref)
	if err != nil {
		return err
	}
	return e.setRules(c.Session, func(rules []api.SessionRule) ([]api.SessionRule, error) {
		for i, r := range rules {
			if r.Rule == rule {
				row := api.LedgerRow{At: e.o.Now(), Session: c.Session, Name: c.Name, Role: c.Role, Decision: api.LedgerRevoked, By: api.ByPerson,
					Client: client, Rule: rule, Scope: api.ScopeSession, Request: r.Request}
				again, err := e.once(row, call, laterRule(api.LedgerRule))
				if again || err != nil {
					return rules, err
				}
				return append(rules[:i:i], rules[i+1:]...), nil
			}
		}
		return nil, api.Errorf(api.CodeNotFound, "the session has no rule %.80q: `ccdir rules %s` lists those it has", rule, c.Name)
	})
}

// Session returns the policy of one session.
func (e *Enforcer) Session(ctx context.Context, ref string) (api.SessionPolicy, error) {
	c, err := e.caller(ctx, ref)
	if err != nil {
		return api.SessionPolicy{}, err
	}
	h, _ := e.policies.of(c.Root)
	p := h.Policy()
	out := api.SessionPolicy{Role: c.Role, InForce: p.InForce(), Files: append([]string{}, p.Files()...),
		Rules: append([]api.SessionRule{}, e.rulesOf(c.Session)...)}
	out.Roles = append(p.Roles(), api.RoleDev, api.RoleLead)
	slices.Sort(out.Roles)
	out.Roles = slices.Compact(out.Roles)
	if e.mode(c) != "" {
		out.Override = c.Override
	}
	if err := h.Err(); err != nil {
		out.Error = err.Error()
	}
	return out, nil
}
