package tui

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/tui/ui"
)

// What is made (a session, a task) has a name of its own, by which it is made once,
// however often the client asks: it repeats a call while the daemon is away. If the
// person gives up meanwhile, or it takes too long, and nobody knows whether it was made,
// the same thing asked for again is the same call.

// workWithin bounds a call that a person can cancel: long enough for a daemon that
// somebody has to bring back.
const workWithin = time.Hour

// making is what was asked for and may have been made; the zero value is nothing.
type making struct {
	session *api.NewSession
	task    *api.NewTask
	// kept: an earlier grid asked for it, perhaps from elsewhere: the text alone says
	// whether it is the same.
	kept bool
}

// newRequest names a call.
func newRequest() string { return "tui-" + rand.Text() }

// namedSession gives the call that makes n its name: that of the one before if this is
// the same, which the size of the terminal is no part of.
func (u *making) namedSession(n api.NewSession) api.NewSession {
	if old := u.session; old != nil && u.kept && old.Prompt == n.Prompt {
		return *old
	}
	if old := u.session; old != nil && old.Prompt == n.Prompt && old.CWD == n.CWD && old.Agent == n.Agent && old.Name == n.Name && slices.Equal(old.Env, n.Env) {
		return *old
	}
	n.Request = newRequest()
	return n
}

// namedTask is namedSession for a task.
func (u *making) namedTask(n api.NewTask) api.NewTask {
	if old := u.task; old != nil && u.kept && old.Prompt == n.Prompt {
		return *old
	}
	if old := u.task; old != nil && old.Prompt == n.Prompt && old.CWD == n.CWD && slices.Equal(old.Env, n.Env) {
		return *old
	}
	n.Request = newRequest()
	return n
}

// unsureHint is what follows the reason why a call has no answer.
func unsureHint(where string) string {
	return "; " + where + " shows it when the daemon is back. Sent again as it is, none is made twice"
}

// notMade says why something was not made, or that this is not known.
func notMade(made, not string, where string, cancelled bool, err error) string {
	switch {
	case api.Unsure(err) && cancelled:
		return "cancelled: whether it was " + made + " is not known" + unsureHint(where)
	case api.Unsure(err):
		return "whether it was " + made + " is not known (" + ui.Problem(unwrapped(err)) + ")" + unsureHint(where)
	case cancelled:
		return "cancelled: it was not " + made
	}
	return not + ui.Problem(err)
}

// unwrapped is the reason of an error that leaves open what happened.
func unwrapped(err error) error {
	var e *api.UnsureError
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

// workIn is callIn for what a person can cancel.
func (m *model) workIn(parent context.Context, slots chan struct{}, f func(calls) (func(*model), error), fail func(*model, error)) cmd {
	return m.callWithin(workWithin, parent, slots, f, fail)
}

// startingOne names the call that starts a session.
const startingOne = "starting a session"

// workOn is workIn for a call that is shown while it lasts.
func (m *model) workOn(of *underway, f func(calls) (func(*model), error), fail func(*model, error)) cmd {
	r := m.workIn(of.ctx, nil, f, fail)
	return func() tea.Msg {
		msg := r()
		if res, ok := msg.(resultMsg); ok {
			res.what, res.of = of.what, of
			return res
		}
		return msg
	}
}

// awaited says what waits for the daemon, and how to cancel it; "" if nothing does.
func (m *model) awaited() string {
	switch l := m.waiter(0); {
	case l != nil:
		return " · " + l.waits() + " waits for it (Esc cancels)"
	case m.prompt.shownJob() != nil && m.mode == modePrompt:
		return " · what you sent waits for it (" + m.keys.Hint(keymap.PromptClose) + " cancels)"
	case len(m.prompt.jobs) > 0:
		return " · what you sent waits for it (" + m.keys.Hint(keymap.CancelWork) + " cancels)"
	case len(m.batches) > 0 || len(m.underway) > 0:
		return " · what was begun waits for it"
	}
	return ""
}
