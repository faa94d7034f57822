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

// edit is a change of policy files that was tried in memory.
type edit struct {
	// texts are the new contents by file; line is the rule's, in file.
	texts map[string][]byte
	file  string
	line  int
	// policy is what holds with it.
	policy *policy.Policy
}

// options are those of the policy for sessions started in root.
func (g *Gate) options(root string) policyfile.Options {
	project := ""
	if root != "" {
		project = policyfile.FindProject(root, g.o.Home)
	}
	return policyfile.Options{User: g.o.User, Project: project, Home: g.o.Home, UID: g.o.UID, Protect: g.o.Protect}
}

// tryRule makes the edit that writes a rule, and changes nothing.
func (g *Gate) tryRule(c api.Caller, scope string, effect policy.Effect, rule string) (edit, error) {
	o := g.options(c.Root)
	user, err := policyfile.ReadFile(o.User, o.UID)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return edit{}, err
	}
	if errors.Is(err, fs.ErrNotExist) {
		return edit{}, api.Errorf(api.CodeInvalid, "there is no policy file: `ccdir policy init` writes one to start from")
	}
	e := edit{texts: map[string][]byte{}, file: o.User}
	switch scope {
	case api.ScopeUser:
		user, e.line, err = policyfile.AddRule(user, o.User, c.Role, effect, rule)
		e.texts[o.User] = user
	case api.ScopeProject:
		err = g.tryProject(c, &o, &e, user, effect, rule)
	default:
		err = api.Errorf(api.CodeInvalid, "a rule is written for %s, %s or %s, found %.40q", api.ScopeSession, api.ScopeProject, api.ScopeUser, scope)
	}
	if err != nil {
		return edit{}, err
	}
	o.Texts = e.texts
	e.policy, err = policyfile.Load(o)
	return e, err
}

// tryProject adds the rule to the project's file. An allow rule counts there only
// if the user trusts the file, so its fingerprint is written too; a file with
// other rules that is not trusted does not become so on the way.
func (g *Gate) tryProject(c api.Caller, o *policyfile.Options, e *edit, user []byte, effect policy.Effect, rule string) error {
	if o.Project == "" {
		o.Project = projectDir(c.Root, g.o.Home)
	}
	e.file = filepath.Join(o.Project, policyfile.ProjectFile)
	text, err := policyfile.ReadFile(e.file, o.UID)
	isNew := errors.Is(err, fs.ErrNotExist)
	if err != nil && !isNew {
		return err
	}
	if !isNew && effect == policy.Allow {
		now, err := policyfile.Load(*o)
		if err != nil {
			return err
		}
		if !now.Trusted() {
			return api.Errorf(api.CodeInvalid, "%s is not trusted, so its allow rules don't count: read it, then write its fingerprint (`ccdir policy check`) into [trust] of %s", e.file, o.User)
		}
	}
	if text, e.line, err = policyfile.AddRule(text, e.file, c.Role, effect, rule); err != nil {
		return err
	}
	e.texts[e.file] = text
	if effect == policy.Allow {
		e.texts[o.User], err = policyfile.SetTrust(user, *o, policyfile.Fingerprint(text))
	}
	return err
}

// projectDir is where a project's first policy file goes: the top of the git work
// tree around root, or root.
func projectDir(root, home string) string {
	for dir := root; dir != home && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
	}
	return root
}

// write puts the edit in force. The user's file comes last: it trusts the other.
func (g *Gate) write(e edit) error {
	for _, first := range []bool{true, false} {
		for file, text := range e.texts {
			if (file != g.o.User) != first {
				continue
			}
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				return err
			}
			if real, err := filepath.EvalSymlinks(file); err == nil {
				file = real // a link stays one
			}
			if err := atomicfile.Replace(file, text); err != nil {
				return err
			}
		}
	}
	return nil
}

// allows reports whether with the rule the request would be allowed.
func (g *Gate) allows(c api.Caller, r *api.Request, p *policy.Policy, extra policy.Extra) bool {
	d := p.DecideWith(policy.Request{Role: c.Role, Tool: r.Tool, Input: r.Input, Root: c.Root, Cwd: c.CWD, Home: g.o.Home,
		Facts: g.facts(c)}, extra)
	return d.Decision == policy.Allow
}

// scopes are the ways to make an approval of the request last, narrowest first:
// those with which the next same request is really allowed.
func (g *Gate) scopes(c api.Caller, r *api.Request) []api.AlwaysScope {
	rule := r.AlwaysRule
	if rule == "" {
		return nil
	}
	p := g.policy(c.Root)
	if !p.InForce() {
		return []api.AlwaysScope{{Scope: api.ScopeSession, Rule: rule}} // the agent keeps it
	}
	var out []api.AlwaysScope
	if grants, err := policy.NewGrants([]string{rule}, sessionFile); err == nil && g.allows(c, r, p, policy.Extra{Grants: grants}) {
		out = append(out, api.AlwaysScope{Scope: api.ScopeSession, Rule: rule})
	}
	for _, scope := range []string{api.ScopeProject, api.ScopeUser} {
		if e, err := g.tryRule(c, scope, policy.Allow, rule); err == nil && g.allows(c, r, e.policy, policy.Extra{}) {
			out = append(out, api.AlwaysScope{Scope: scope, Rule: rule, File: e.file})
		}
	}
	return out
}

// NewRule writes a rule, recorded before it holds, and returns its row.
func (g *Gate) NewRule(ctx context.Context, n api.NewRule) (api.LedgerRow, error) {
	c, err := g.caller(ctx, n.Session)
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
	return g.newRule(c, effect, api.LedgerRow{Scope: n.Scope, Rule: n.Rule, Client: n.Client}, n.Call)
}

// newRule writes the rule of a row that has its rule, scope, client, and the request
// whose approval it comes of; the rest is filled in.
func (g *Gate) newRule(c api.Caller, effect policy.Effect, row api.LedgerRow, call api.Call) (api.LedgerRow, error) {
	row.At, row.Session, row.Name, row.Role = g.o.Now(), c.Session, c.Name, c.Role
	row.Decision, row.By, row.Reason = api.LedgerRule, api.ByPerson, string(effect)+" rule written"
	if err := policy.CheckRule(row.Rule, effect); err != nil {
		return row, api.Errorf(api.CodeInvalid, "%s", err.Error())
	}
	if row.Scope == api.ScopeSession || row.Scope == "" {
		row.Scope, row.File = api.ScopeSession, sessionFile
		if effect != policy.Allow {
			return row, api.Errorf(api.CodeInvalid, "a session can only be given allow rules")
		}
		return row, g.grant(c, row, call)
	}
	g.writing.Lock()
	defer g.writing.Unlock()
	if before, known, err := g.recorded(row, call); err != nil {
		return row, err
	} else if known && g.written(before, effect) {
		return before, nil
	}
	e, err := g.tryRule(c, row.Scope, effect, row.Rule)
	if err != nil {
		return row, asInvalid(err)
	}
	row.File, row.Line = e.file, e.line
	if _, err := g.once(row, call, nil); err != nil {
		return row, err
	}
	if err := g.write(e); err != nil {
		return row, err
	}
	g.policy(c.Root) // in force before this returns
	return row, nil
}

// written reports whether the rule that a row recorded stands in its file and counts.
func (g *Gate) written(row api.LedgerRow, effect policy.Effect) bool {
	text, err := policyfile.ReadFile(row.File, g.o.UID)
	if err != nil || !policyfile.HasRule(text, row.File, row.Role, effect, row.Rule) {
		return false
	}
	if row.File == g.o.User || effect != policy.Allow {
		return true
	}
	now, err := policyfile.Load(g.options(filepath.Dir(row.File)))
	return err == nil && now.Trusted()
}

// asInvalid gives an error its code, unless it has one.
func asInvalid(err error) error {
	var known *api.Error
	if errors.As(err, &known) {
		return err
	}
	return api.Errorf(api.CodeInvalid, "%s", err.Error())
}

// grant gives the session an allow rule.
func (g *Gate) grant(c api.Caller, row api.LedgerRow, call api.Call) error {
	return g.setRules(c.Session, func(rules []api.SessionRule) ([]api.SessionRule, error) {
		if len(rules) >= maxSessionRules {
			return nil, api.Errorf(api.CodeLimit, "the session has %d rules already: `ccdir rules` lists them", len(rules))
		}
		if revoked, err := g.once(row, call, laterRule(api.LedgerRevoked)); revoked || err != nil {
			return rules, err
		}
		for _, r := range rules {
			if r.Rule == row.Rule {
				return rules, nil
			}
		}
		return append(rules, api.SessionRule{Rule: row.Rule, At: g.o.Now().UTC().Truncate(time.Millisecond), Request: row.Request}), nil
	})
}

// Revoke takes a session's rule back.
func (g *Gate) Revoke(ctx context.Context, ref, rule, client string, call api.Call) error {
	c, err := g.caller(ctx, ref)
	if err != nil {
		return err
	}
	return g.setRules(c.Session, func(rules []api.SessionRule) ([]api.SessionRule, error) {
		for i, r := range rules {
			if r.Rule == rule {
				row := api.LedgerRow{At: g.o.Now(), Session: c.Session, Name: c.Name, Role: c.Role, Decision: api.LedgerRevoked, By: api.ByPerson,
					Client: client, Rule: rule, Scope: api.ScopeSession, Request: r.Request}
				again, err := g.once(row, call, laterRule(api.LedgerRule))
				if again || err != nil {
					return rules, err
				}
				return append(rules[:i:i], rules[i+1:]...), nil
			}
		}
		return nil, api.Errorf(api.CodeNotFound, "the session has no rule %.80q: `ccdir rules %s` lists those it has", rule, c.Name)
	})
}

// Session is what holds for one session.
func (g *Gate) Session(ctx context.Context, ref string) (api.SessionPolicy, error) {
	c, err := g.caller(ctx, ref)
	if err != nil {
		return api.SessionPolicy{}, err
	}
	h, _ := g.policies.of(c.Root)
	p := h.Policy()
	out := api.SessionPolicy{Role: c.Role, InForce: p.InForce(), Files: append([]string{}, p.Files()...),
		Rules: append([]api.SessionRule{}, g.rulesOf(c.Session)...)}
	out.Roles = append(p.Roles(), api.RoleDev, api.RoleLead)
	slices.Sort(out.Roles)
	out.Roles = slices.Compact(out.Roles)
	if g.mode(c) != "" {
		out.Override = c.Override
	}
	if err := h.Err(); err != nil {
		out.Error = err.Error()
	}
	return out, nil
}
