package tui

import (
	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/terminal/input"
)

func (d decisions) key(m *model, k input.Key) cmd {
	if d.wish == nil || k.Name == "C-c" {
		return listKey(m, d, k)
	}
	wish := *d.wish
	d.wish = nil
	m.overlay = d
	if k.Name == "y" {
		return m.changeRule(wish)
	}
	return nil
}

// ruleScopes are how far the rules of actions reach; "" takes one back.
var ruleScopes = map[keymap.Action]string{
	keymap.DecisionSession: api.ScopeSession, keymap.DecisionProject: api.ScopeProject, keymap.DecisionUser: api.ScopeUser, keymap.DecisionRevoke: "",
}

func (d decisions) act(m *model, a keymap.Action, id string) (cmd, bool) {
	scope, ok := ruleScopes[a]
	if row, found := d.row(id); ok && found {
		d.wishes(m, row, scope)
	}
	return nil, ok
}

// wishes asks before a rule is made of the row, or the row's is taken back.
func (d decisions) wishes(m *model, row api.LedgerRow, scope string) {
	switch {
	case scope == "" && (row.Decision != api.LedgerRule || row.Scope != api.ScopeSession):
		m.warn("only a rule that a session was given is taken back: choose its row (decision rule)")
	case scope != "" && (row.Tool == "" || len(row.Input) == 0):
		m.warn("a rule can be made of a row about a use of a tool")
	default:
		d.wish = &ruleWish{row: row, scope: scope}
		m.overlay = d
	}
}

// changeRule does what was wished.
func (m *model) changeRule(w ruleWish) cmd {
	client, ok := m.opts.Client.(PolicyClient)
	if !ok {
		return nil
	}
	reload := func(m *model) {
		if d, ok := m.overlay.(decisions); ok {
			d.loaded = false
			m.overlay = d
		}
	}
	if w.scope == "" {
		return m.call("taking the rule back", func(c calls) (func(*model), error) {
			err := client.RevokeRule(c.ctx, w.row.Session, w.row.Rule)
			return func(m *model) {
				m.say(textsafe.Line(w.row.Rule) + " was taken back")
				reload(m)
			}, err
		})
	}
	return m.call("writing the rule", func(c calls) (func(*model), error) {
		row, err := client.NewRule(c.ctx, api.NewRule{Row: w.row.Seq, Scope: w.scope})
		return func(m *model) {
			m.say(textsafe.Line(row.Rule) + " holds for the " + w.scope)
			reload(m)
		}, err
	})
}

// policyProblem is what is wrong with the policy, as the newest event about it
// says; "" for nothing.
func policyProblem(events []api.Event) string {
	for i := len(events) - 1; i >= 0; i-- {
		switch events[i].Type {
		case api.EventPolicyError:
			return textsafe.Line(events[i].Message)
		case api.EventPolicyLoaded, api.EventDaemonStarted:
			return ""
		}
	}
	return ""
}
