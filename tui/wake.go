package tui

import (
	"context"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/ui"
	"ccdir/wire"
)

// A parked session is woken by what a person types into its pane; walking over the pane wakes
// nothing. Enter only wakes it: what it would submit is not on the screen yet. Everything else is
// given to the daemon, which passes it on, in order, once the agent takes input.

// wakes reports whether input for the session goes to the daemon.
func (m *model) wakes(v *api.Session) bool {
	return v.State == api.StateParked || m.waking[v.ID] > 0
}

// wakeBy gives input to a session that is parked, or was a moment ago.
func (m *model) wakeBy(v api.Session, in *wire.Input) {
	raw, what := api.RawInput{ID: ui.NewRequest()}, "waking "+textsafe.Line(v.Name)
	switch text := string(in.Text); {
	case in.Type == wire.InputKey && text == "Enter" && m.waking[v.ID] == 0:
		raw.ID = ""
	case in.Type == wire.InputKey:
		raw.Keys = []string{text}
	case in.Type == wire.InputPaste:
		raw.Paste = &text
	case in.Type == wire.InputRaw:
		raw.Data = in.Text
	default:
		return // the mouse, and that the focus came or went
	}
	if m.waking == nil {
		m.waking = map[string]int{}
	}
	m.waking[v.ID]++
	over := follows(func(m *model) {
		if m.waking[v.ID]--; m.waking[v.ID] <= 0 {
			delete(m.waking, v.ID)
		}
	})
	m.say(what + "…")
	m.call(ui.Nobody, ui.Call{What: what, Turn: "wake/" + v.ID,
		Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
			if raw.ID == "" {
				_, err := c.WakeSession(ctx, v.ID)
				return ui.Result{}, err
			}
			return ui.Result{}, c.Input(ctx, v.ID, raw)
		},
		Done: func(ui.Env) []ui.Effect { return over },
		Failed: func(_ ui.Env, err error) []ui.Effect {
			return append(over, ui.Warn{Text: what + ": " + ui.Problem(err)})
		}})
}

// park parks the session, or wakes a parked one.
func (m *model) park(v api.Session) {
	name, what, call := textsafe.Line(v.Name), "parking", ui.Client.ParkSession
	if v.State == api.StateParked {
		what, call = "waking", ui.Client.WakeSession
	}
	m.say(what + " " + name + "…")
	m.call(ui.Nobody, ui.Call{What: what + " it", Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		v, err := call(c, api.IfMatch(ctx, v.Version()), v.ID)
		return ui.Result{Effects: follows(func(m *model) { m.Answered(v) })}, err
	}})
}
