package tui

import (
	"context"
	"slices"
	"time"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/ui"
)

// RoleClient is what a Client also is that can change what a session may.
type RoleClient interface {
	SessionPolicy(ctx context.Context, ref string) (api.SessionPolicy, error)
	SetRole(ctx context.Context, ref, role string) (api.Session, error)
	// SetOverride says how the policy is to take a session for a while.
	SetOverride(ctx context.Context, ref string, o api.SetOverride) (api.Session, error)
	RevokeRule(ctx context.Context, ref, rule string) error
}

// overrideWords say what an override does.
var overrideWords = map[api.OverrideMode]string{
	api.OverrideReads:    "allow reads: reading files where no rule is about it",
	api.OverrideEdits:    "accept edits: reading, and editing inside the project",
	api.OverrideAsk:      "ask everything: ask about every use of a tool",
	api.OverrideHandsOff: "hands off: leave everything to the agent's own mode",
}

// overrideSpans are how long an override may hold.
var overrideSpans = []struct {
	text string
	d    time.Duration
}{
	{"15 minutes", 15 * time.Minute}, {"30 minutes", 30 * time.Minute}, {"1 hour", time.Hour}, {"4 hours", 4 * time.Hour}, {"24 hours", api.MaxOverride},
}

// openPolicy offers what can be changed about what a session may; what the
// daemon knows of its roles and rules is added when it has answered.
func (m *model) openPolicy(v api.Session) cmd {
	client, ok := m.opts.Client.(RoleClient)
	if !ok {
		m.warn("this daemon knows no roles: `ccdir daemon restart`")
		return nil
	}
	if v.External {
		m.warn(textsafe.Line(v.Name) + " runs outside ccdir: the policy is not asked about it")
		return nil
	}
	menu := chooser{title: "what " + textsafe.Line(v.Name) + " may", of: v.ID, fixed: m.policyPicks(v, api.SessionPolicy{})}
	m.overlay = menu
	return m.call("asking for its rules", func(c calls) (func(*model), error) {
		p, err := client.SessionPolicy(c.ctx, v.ID)
		return func(m *model) {
			if d, ok := m.overlay.(chooser); ok && d.of == v.ID && d.title == menu.title {
				if now := m.session(v.ID); now != nil {
					d.fixed = m.policyPicks(*now, p)
					m.overlay = d
				}
			}
		}, err
	})
}

// policyPicks are the changes that can be chosen.
func (m *model) policyPicks(v api.Session, p api.SessionPolicy) (out []pick) {
	if text := ui.Override(v, m.now()); text != "" {
		out = append(out, pick{text: "end the override (" + text + ")", keys: "override", run: func(m *model) cmd { return m.setOverride(v, api.SetOverride{}) }})
	}
	for _, mode := range api.OverrideModes() {
		c := pick{text: overrideWords[mode], keys: "for a while", run: func(m *model) cmd { return m.openSpans(v, mode) }}
		if v.State.Ended() {
			c.disabled = "the session has ended"
		}
		out = append(out, c)
	}
	roles := []string{api.RoleDev, api.RoleLead}
	for _, r := range p.Roles {
		if !slices.Contains(roles, r) {
			roles = append(roles, r)
		}
	}
	for _, r := range roles {
		c := pick{text: "role " + textsafe.Line(r), keys: "role", run: func(m *model) cmd { return m.setRole(v, r) }}
		if v.Role == r || v.Role == "" && r == api.RoleDev {
			c.disabled = "it has this role"
		}
		out = append(out, c)
	}
	for _, r := range p.Rules {
		out = append(out, pick{text: "take back " + textsafe.Line(r.Rule), keys: "rule", run: func(m *model) cmd { return m.takeBack(v, r.Rule) }})
	}
	return out
}

// openSpans asks how long an override is to hold.
func (m *model) openSpans(v api.Session, mode api.OverrideMode) cmd {
	d := chooser{title: ui.OverrideName(mode) + " for " + textsafe.Line(v.Name), of: v.ID}
	for _, s := range overrideSpans {
		d.fixed = append(d.fixed, pick{text: s.text, keys: "until " + m.now().Add(s.d).Local().Format("15:04"), run: func(m *model) cmd {
			return m.setOverride(v, api.SetOverride{Mode: mode, Seconds: int(s.d / time.Second)})
		}})
	}
	d.view.ID = overrideSpans[1].text
	m.overlay = d
	return nil
}

func (m *model) setOverride(v api.Session, o api.SetOverride) cmd {
	return m.changeSession(v, "the override", func(ctx context.Context, c RoleClient) (api.Session, error) { return c.SetOverride(ctx, v.ID, o) }, func(v api.Session) string {
		if text := ui.Override(v, m.now()); text != "" {
			return text + "; deny rules hold all the same"
		}
		return "the policy holds as it is written"
	})
}

func (m *model) setRole(v api.Session, role string) cmd {
	return m.changeSession(v, "the role", func(ctx context.Context, c RoleClient) (api.Session, error) { return c.SetRole(ctx, v.ID, role) }, func(api.Session) string {
		return "role " + textsafe.Line(role) + " from its next use of a tool on"
	})
}

func (m *model) takeBack(v api.Session, rule string) cmd {
	return m.changeSession(v, "the rule", func(ctx context.Context, c RoleClient) (api.Session, error) {
		return api.Session{}, c.RevokeRule(ctx, v.ID, rule)
	}, func(api.Session) string { return textsafe.Line(rule) + " was taken back" })
}

// changeSession makes a change and says what holds then.
func (m *model) changeSession(v api.Session, what string, change func(context.Context, RoleClient) (api.Session, error), told func(api.Session) string) cmd {
	client, ok := m.opts.Client.(RoleClient)
	if reason := m.keys.Of(keymap.Policy).Disabled(m.facts()); reason != "" || !ok {
		m.warn(reason)
		return nil
	}
	return m.call("changing "+what, func(c calls) (func(*model), error) {
		next, err := change(c.ctx, client)
		return func(m *model) {
			m.answered(next)
			m.say(textsafe.Line(v.Name) + ": " + told(next))
		}, err
	})
}
