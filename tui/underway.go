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

// works are what is under way, to be shown if it takes long, and to be cancelled. The slices
// are replaced, never changed in place.
type works struct {
	lastWork uint64               // number of the batch or call that was begun last
	batches  []*batch             // work of several steps, the oldest first
	underway []*underway          // calls that a person began
	pastes   map[string]time.Time // since when long text is on its way to sessions
	incoming incoming             // a paste that the terminal has not sent whole yet
}

// setOut notes a call before it is made.
func (w *works) setOut(ctx context.Context, what string, now time.Time) *underway {
	w.lastWork++
	u := &underway{id: w.lastWork, what: what, began: now}
	u.ctx, u.stop = context.WithCancel(ctx)
	w.underway = append(slices.Clip(w.underway), u)
	return u
}

// arrived takes a call off the list, and returns its result.
func (w *works) arrived(u *underway, err error) error {
	u.stop()
	w.underway = slices.DeleteFunc(slices.Clone(w.underway), func(o *underway) bool { return o == u })
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

// step is how long until what is shown of it changes.
func (w *works) step(now time.Time) time.Duration {
	next := w.incoming.step(now)
	for _, u := range w.underway {
		age := now.Sub(u.began)
		next = min(next, max(slowCall, age.Truncate(time.Second)+time.Second)-age)
	}
	for _, began := range w.pastes {
		if left := pasteShown - now.Sub(began); left > 0 {
			next = min(next, left)
		}
	}
	return next
}

// progress shows the oldest batch, or the oldest call that takes long, else paste, with the
// key that cancels it; nil if there is none.
func (w *works) progress(now time.Time, paste *progress, key string) *progress {
	slow := w.slowCall(now, key)
	switch {
	case slow == nil:
		slow = paste
	case paste != nil:
		slow.more += 1 + paste.more
	}
	if len(w.batches) == 0 {
		return slow
	}
	b := w.batches[0]
	p := &progress{what: b.What, done: b.done, total: len(b.Steps), more: len(w.batches) - 1, cancel: key}
	if b.cancelled {
		p.what, p.effect = fmt.Sprintf("cancelled, %d still under way:", b.begun-b.done)+" "+b.What, "leaves them"
	}
	if slow != nil {
		p.more += 1 + slow.more
	}
	return p
}

// slowCall shows the oldest call that takes long, nil if none does.
func (w *works) slowCall(now time.Time, key string) (p *progress) {
	for _, u := range w.underway {
		switch {
		case now.Sub(u.began) < slowCall:
		case p == nil:
			p = &progress{what: fmt.Sprintf("%s… %ds", u.what, now.Sub(u.began)/time.Second), cancel: key}
		default:
			p.more++
		}
	}
	return p
}

// awaited says what waits for the daemon, and how to cancel it; "" if nothing does.
func (m *model) awaited() string {
	switch l := m.overlay.waiter(ui.Nobody); {
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
