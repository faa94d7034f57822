// Package policymenu changes what a session may: an override for a while, its role, its
// rules. It owns what the daemon has answered about the session's roles and rules, which
// it asks for once, and asks for the calls that change them.
package policymenu

import (
	"context"
	"slices"
	"time"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/lists"
	"ccdir/tui/lists/chooser"
	"ccdir/tui/ui"
)

// Roles is the part of a client that can change what a session may.
type Roles interface {
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

// rows are the menu of changes.
type rows struct {
	chooser.Menu
	session string
	policy  api.SessionPolicy // zero until it is answered
	asked   bool
}

// Open opens the menu of a session, or says why there is none.
func Open(v api.Session) []ui.Effect {
	if v.External {
		return []ui.Effect{ui.Warn{Text: textsafe.Line(v.Name) + " runs outside ccdir: the policy is not asked about it"}}
	}
	return []ui.Effect{ui.Close{All: true}, ui.Open{Component: New(v)}}
}

// New is the menu of a session.
func New(v api.Session) ui.Component {
	return lists.New(rows{Menu: chooser.Menu{Title: "what " + textsafe.Line(v.Name) + " may"}, session: v.ID})
}

// Refresh lists the changes that can be made now, and asks for rules and roles once.
func (d rows) Refresh(env ui.Env) (lists.Rows, []ui.Effect) {
	if v := env.Session(d.session); v != nil {
		d.Picks = picks(env, *v, d.policy)
	}
	if d.asked {
		return d, nil
	}
	d.asked = true
	return d, []ui.Effect{ui.Call{What: "asking for its rules", Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		roles, err := ui.As[Roles](c)
		if err != nil {
			return ui.Result{}, err
		}
		p, err := roles.SessionPolicy(ctx, d.session)
		return ui.Result{Value: p}, err
	}}}
}

// Receive takes the rules and roles.
func (d rows) Receive(env ui.Env, l lists.Dialog, value any, err error) (lists.Dialog, []ui.Effect) {
	if p, ok := value.(api.SessionPolicy); ok && err == nil {
		d.policy = p
		if v := env.Session(d.session); v != nil {
			d.Picks = picks(env, *v, p)
		}
	}
	return l.With(d), nil
}

// picks are the changes that can be chosen.
func picks(env ui.Env, v api.Session, p api.SessionPolicy) (out []chooser.Pick) {
	if text := ui.Override(v, env.Now); text != "" {
		out = append(out, chooser.Pick{Text: "end the override (" + text + ")", Keys: "override", Effects: setOverride(env, v, api.SetOverride{})})
	}
	for _, mode := range api.OverrideModes() {
		c := chooser.Pick{Text: overrideWords[mode], Keys: "for a while", Effects: []ui.Effect{ui.Open{Component: spans(env, v, mode)}}}
		if v.State.Ended() {
			c.Disabled = "the session has ended"
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
		c := chooser.Pick{Text: "role " + textsafe.Line(r), Keys: "role", Effects: setRole(env, v, r)}
		if v.Role == r || v.Role == "" && r == api.RoleDev {
			c.Disabled = "it has this role"
		}
		out = append(out, c)
	}
	for _, r := range p.Rules {
		out = append(out, chooser.Pick{Text: "take back " + textsafe.Line(r.Rule), Keys: "rule", Effects: takeBack(env, v, r.Rule)})
	}
	return out
}

// spans asks how long an override is to hold.
func spans(env ui.Env, v api.Session, mode api.OverrideMode) ui.Component {
	var all []chooser.Pick
	for _, s := range overrideSpans {
		all = append(all, chooser.Pick{
			Text: s.text, Keys: "until " + env.Now.Add(s.d).Local().Format("15:04"),
			Effects: setOverride(env, v, api.SetOverride{Mode: mode, Seconds: int(s.d / time.Second)}),
		})
	}
	return chooser.New(ui.OverrideName(mode)+" for "+textsafe.Line(v.Name), overrideSpans[1].text, all)
}

func setOverride(env ui.Env, v api.Session, o api.SetOverride) []ui.Effect {
	return change(env, v, "the override", func(ctx context.Context, c Roles) (api.Session, error) { return c.SetOverride(ctx, v.ID, o) }, func(now api.Session) string {
		if text := ui.Override(now, env.Now); text != "" {
			return text + "; deny rules hold all the same"
		}
		return "the policy holds as it is written"
	})
}

func setRole(env ui.Env, v api.Session, role string) []ui.Effect {
	return change(env, v, "the role", func(ctx context.Context, c Roles) (api.Session, error) { return c.SetRole(ctx, v.ID, role) }, func(api.Session) string {
		return "role " + textsafe.Line(role) + " from its next use of a tool on"
	})
}

func takeBack(env ui.Env, v api.Session, rule string) []ui.Effect {
	return change(env, v, "the rule", func(ctx context.Context, c Roles) (api.Session, error) {
		return api.Session{}, c.RevokeRule(ctx, v.ID, rule)
	}, func(api.Session) string { return textsafe.Line(rule) + " was taken back" })
}

// change makes a change and says what holds then.
func change(env ui.Env, v api.Session, what string, do func(context.Context, Roles) (api.Session, error), told func(api.Session) string) []ui.Effect {
	if reason := env.Keys.Of(keymap.Policy).Disabled(env.Facts); reason != "" {
		return []ui.Effect{ui.Warn{Text: reason}}
	}
	return []ui.Effect{ui.Call{What: "changing " + what, Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		roles, err := ui.As[Roles](c)
		if err != nil {
			return ui.Result{}, err
		}
		next, err := do(ctx, roles)
		return ui.Result{Effects: []ui.Effect{ui.Learn{Session: next}, ui.Say{Text: textsafe.Line(v.Name) + ": " + told(next)}}}, err
	}}}
}
