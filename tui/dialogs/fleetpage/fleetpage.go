// Package fleetpage shows a fleet: its machines with their free places, agents, versions and what is left of their
// limits, what runs where, and why something waits. It owns what was answered last, and asks for it when it is opened
// and every some seconds: one call at a time. The machine may be in no fleet: then it says how one begins.
package fleetpage

import (
	"context"
	"time"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/tui/dialogs/textview"
	"ccdir/tui/ui"
)

// Reader is the part of a client that reaches the fleet. more: there are open tasks behind these.
type Reader interface {
	Fleet(ctx context.Context) (f api.Fleet, open []api.Task, more bool, err error)
}

// askEvery is how old an answer may get.
const askEvery = 5 * time.Second

// answer is what was read of a fleet.
type answer struct {
	fleet api.Fleet
	open  []api.Task
	more  bool
}

// text is the dialog's.
type text struct {
	known   *answer // nil before the first answer
	problem string  // why the last one failed, "" if it did not
	asking  bool
	asked   time.Time
}

// New shows the page.
func New() ui.Component { return textview.New(text{}) }

// Own is the action that opens it.
func (t text) Own() keymap.Action { return keymap.Fleet }

// Refresh asks when what is known is old.
func (t text) Refresh(env ui.Env) (textview.Text, []ui.Effect) {
	if t.asking || env.Now.Before(t.NextWake(env)) {
		return t, nil
	}
	t.asking, t.asked = true, env.Now
	return t, []ui.Effect{ui.Call{Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		reader, err := ui.As[Reader](c)
		if err != nil {
			return ui.Result{}, err
		}
		var a answer
		a.fleet, a.open, a.more, err = reader.Fleet(ctx)
		return ui.Result{Value: &a}, err
	}}}
}

// Receive takes an answer. One that failed leaves what is known.
func (t text) Receive(_ ui.Env, value any, err error) textview.Text {
	t.asking, t.problem = false, ""
	if err != nil {
		t.problem = ui.Problem(err)
		return t
	}
	t.known, _ = value.(*answer)
	return t
}

// NextWake is when it asks anew.
func (t text) NextWake(ui.Env) time.Time {
	if t.asked.IsZero() {
		return t.asked
	}
	return t.asked.Add(askEvery)
}
