// Package usagepage shows what is left of the accounts' limits, and what was used in the last 90 days: a
// sparkline of the days, and the sums of sessions, tasks and repositories. It owns the sums as they were answered
// last, and asks for them when it is opened and every quarter of a minute. The windows come from the World.
package usagepage

import (
	"context"
	"time"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/tui/dialogs/textview"
	"ccdir/tui/ui"
)

// Reader is the part of a client that knows what was used.
type Reader interface {
	Usage(ctx context.Context, by api.UsageBy, since time.Time) (api.Usage, error)
}

// askEvery is how old the sums may get.
const askEvery = 15 * time.Second

// sums are the answers, by what they are summed by.
type sums map[api.UsageBy]api.Usage

// text is the dialog's.
type text struct {
	sums    sums // nil before the first answer
	problem string
	asking  bool
	asked   time.Time
}

// New shows the page.
func New() ui.Component { return textview.New(text{}) }

// Own is the action that opens it.
func (t text) Own() keymap.Action { return keymap.Usage }

// Refresh asks for the sums when they are old.
func (t text) Refresh(env ui.Env) (textview.Text, []ui.Effect) {
	if t.asking || env.Offline != "" || env.Now.Before(t.NextWake(env)) {
		return t, nil
	}
	t.asking, t.asked = true, env.Now
	return t, []ui.Effect{ui.Call{Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		reader, err := ui.As[Reader](c)
		if err != nil {
			return ui.Result{}, err
		}
		all := sums{}
		for _, by := range []api.UsageBy{api.UsageByDay, api.UsageBySession, api.UsageByTask, api.UsageByRepo} {
			if all[by], err = reader.Usage(ctx, by, time.Time{}); err != nil {
				return ui.Result{}, err
			}
		}
		return ui.Result{Value: all}, nil
	}}}
}

// Receive takes the sums.
func (t text) Receive(_ ui.Env, value any, err error) textview.Text {
	t.asking, t.problem = false, ""
	if err != nil {
		t.problem = ui.Problem(err)
		return t
	}
	t.sums, _ = value.(sums)
	return t
}

// NextWake is when the sums are asked for anew.
func (t text) NextWake(ui.Env) time.Time {
	if t.asked.IsZero() {
		return t.asked
	}
	return t.asked.Add(askEvery)
}
