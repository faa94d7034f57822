package tui

import (
	"ccdir/internal/api"
	"ccdir/internal/textsafe"
)

func (d decisions) key(m *model, k keyMsg) cmd {
	list := d.list()
	d.at = max(0, min(d.at, len(list)-1))
	switch {
	case k.name == "C-c":
		m.overlay = nil
		return nil
	case d.wish != nil:
		wish := d.wish
		d.wish = nil
		m.overlay = d
		if k.name == "y" {
			return m.changeRule(*wish)
		}
		return nil
	case d.typing:
		d = d.typed(k)
	case k.name == "Escape" || k.name == "q":
		if d.open == 0 {
			m.overlay = nil
			return nil
		}
		d.open = 0
	case k.name == "/" && d.open == 0:
		d.typing = true
	case k.name == "Enter":
		switch {
		case d.open != 0:
			d.open = 0
		case len(list) > 0:
			d.open, d.top = list[d.at].Seq, 0
		}
	case len(list) > 0 && d.wishes(m, list[d.at], k.name):
		return nil
	default:
		d = d.moved(m, k.name, len(list))
	}
	m.overlay = d
	return nil
}

// typed takes a key of the filter.
func (d decisions) typed(k keyMsg) decisions {
	switch k.name {
	case "Escape":
		d.typing, d.query = false, editor{}
	case "Enter":
		d.typing = false
	default:
		d.query, _ = d.query.key(k.name, k.key)
	}
	d.at = 0
	return d
}

// moved goes through the list, or the open row.
func (d decisions) moved(m *model, name string, n int) decisions {
	_, h := d.room(m.cols, m.rows)
	by := map[string]int{"Up": -1, "k": -1, "Down": 1, "j": 1, "PPage": -h, "NPage": h, "Home": -n, "g": -n, "End": n, "G": n}[name]
	if d.open != 0 {
		d.top = max(0, d.top+by)
		return d
	}
	d.at = max(0, min(d.at+by, n-1))
	return d
}

// wishes asks before a rule is made of the row, or the row's is taken back; false
// for keys that wish nothing.
func (d decisions) wishes(m *model, row api.LedgerRow, name string) bool {
	scope, ok := map[string]string{"s": api.ScopeSession, "p": api.ScopeProject, "u": api.ScopeUser, "x": ""}[name]
	switch {
	case !ok:
		return false
	case m.opts.ReadOnly:
		m.warn("this grid only looks: it changes nothing")
	case scope == "" && (row.Decision != api.LedgerRule || row.Scope != api.ScopeSession):
		m.warn("x takes back a rule that a session was given: choose its row (decision rule)")
	case scope != "" && (row.Tool == "" || len(row.Input) == 0):
		m.warn("a rule can be made of a row about a use of a tool")
	default:
		d.wish = &ruleWish{row: row, scope: scope}
	}
	m.overlay = d
	return true
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

func (d decisions) paste(m *model, text string) {
	d.typing, d.at = true, 0
	d.query = d.query.insert(textsafe.Line(text))
	m.overlay = d
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
