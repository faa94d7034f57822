package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/tui/ui"
)

// underway is a call that a person began. One that takes long is shown in the status
// line, as batches are, and can be cancelled like them. The program owns it.
type underway struct {
	id        uint64
	what      string
	began     time.Time
	ctx       context.Context
	stop      context.CancelFunc
	cancelled bool
}

// slowCall is from when on a call is shown.
const slowCall = time.Second

// setOut notes a call before it is made.
func (m *model) setOut(what string) *underway {
	m.lastWork++
	u := &underway{id: m.lastWork, what: what, began: m.now()}
	u.ctx, u.stop = context.WithCancel(m.ctx)
	m.underway = append(slices.Clip(m.underway), u)
	return u
}

// arrived takes a call off the list, and returns its result.
func (m *model) arrived(u *underway, err error) error {
	u.stop()
	m.underway = slices.DeleteFunc(slices.Clone(m.underway), func(o *underway) bool { return o == u })
	var unsure *api.UnsureError
	switch {
	case err == nil || !u.cancelled:
		return err
	case errors.As(err, &unsure):
		return &api.UnsureError{Err: ui.ErrCancelled, Look: unsure.Look}
	}
	return ui.ErrCancelled
}

func (u *underway) cancel() {
	u.cancelled = true
	u.stop()
}

// slowCalls are those that take long by now, the oldest first.
func (m *model) slowCalls(now time.Time) (out []*underway) {
	for _, u := range m.underway {
		if now.Sub(u.began) >= slowCall {
			out = append(out, u)
		}
	}
	return out
}

// underwayStep is how long until what is shown of calls under way changes.
func (m *model) underwayStep(now time.Time) time.Duration {
	next := time.Duration(1<<63 - 1)
	for _, u := range m.underway {
		age := now.Sub(u.began)
		next = min(next, max(slowCall, age.Truncate(time.Second)+time.Second)-age)
	}
	return next
}

// slowProgress shows the oldest call that takes long, nil if none does.
func (m *model) slowProgress(now time.Time) *progress {
	all := m.slowCalls(now)
	if len(all) == 0 {
		return nil
	}
	u := all[0]
	return &progress{what: fmt.Sprintf("%s… %ds", u.what, now.Sub(u.began)/time.Second), more: len(all) - 1, cancel: m.keys.Hint(keymap.CancelWork)}
}

// awaited says what waits for the daemon, and how to cancel it; "" if nothing does.
func (m *model) awaited() string {
	switch l := m.waiter(ui.Nobody); {
	case l != nil:
		return " · " + l.waits() + " waits for it (Esc cancels)"
	case m.prompt.Shows() && m.mode == modePrompt:
		return " · what you sent waits for it (" + m.keys.Hint(keymap.PromptClose) + " cancels)"
	case len(m.prompt.Jobs()) > 0:
		return " · what you sent waits for it (" + m.keys.Hint(keymap.CancelWork) + " cancels)"
	case len(m.batches) > 0 || len(m.underway) > 0:
		return " · what was begun waits for it"
	}
	return ""
}
