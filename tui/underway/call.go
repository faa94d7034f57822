package underway

import (
	"context"
	"errors"
	"slices"
	"time"

	"ccdir/api"
	"ccdir/tui/ui"
)

// Call is a call that a person began. One that takes long is shown in the status line, as
// batches are, and can be cancelled like them.
type Call struct {
	id        uint64
	what      string
	began     time.Time
	ctx       context.Context
	stop      context.CancelFunc
	cancelled bool
}

// Slow is from when on a call is shown.
const Slow = time.Second

// Cancel ends it; its error says that it was cancelled.
func (c *Call) Cancel() {
	c.cancelled = true
	c.stop()
}

// Call makes a call for the component with that number, 0 for the grid itself. What has a name is
// under way until its answer has come; it is returned, else nil.
func (w *Work) Call(way Way, now time.Time, id ui.ID, c ui.Call) (of *Call) {
	ctx, most := way.Ctx, within
	if c.What != "" {
		of = w.setOut(way.Ctx, c.What, now)
		ctx = of.ctx
	}
	if c.Patient {
		most = patientWithin
	}
	var turn ui.Turn
	if c.Turn != "" {
		turn = w.turns.Join(c.Turn)
	}
	away(ctx, way, most, func(ctx context.Context, client ui.Client) (ui.Result, error) {
		defer turn.Over()
		if err := turn.Wait(ctx); err != nil {
			return ui.Result{}, err
		}
		return c.Run(ctx, client)
	}, Over{follows: func(w *Work, _ Way, _ ui.Env, r ui.Result, err error) Outcome {
		return w.answered(id, of, c, r, err)
	}})
	return of
}

// answered is what follows from the answer to a call.
func (w *Work) answered(id ui.ID, of *Call, c ui.Call, r ui.Result, err error) Outcome {
	if of != nil {
		err = w.arrived(of, err)
	}
	out := Outcome{To: id, Tells: true, Value: r.Value, Err: err}
	switch {
	case err == nil:
		out.Effects, out.Then = r.Effects, c.Done
	case c.Failed != nil:
		out.Own, out.Then = c.Own, func(env ui.Env) []ui.Effect { return c.Failed(env, err) }
	default:
		out.Own, out.Then = c.Own, func(ui.Env) []ui.Effect { return failed(c.What, err) }
	}
	return out
}

// setOut notes a call before it is made.
func (w *Work) setOut(ctx context.Context, what string, now time.Time) *Call {
	w.last++
	c := &Call{id: w.last, what: what, began: now}
	c.ctx, c.stop = context.WithCancel(ctx)
	w.calls = append(slices.Clip(w.calls), c)
	return c
}

// arrived takes a call off the list, and returns its result.
func (w *Work) arrived(c *Call, err error) error {
	c.stop()
	w.calls = slices.DeleteFunc(slices.Clone(w.calls), func(o *Call) bool { return o == c })
	var unsure *api.UnsureError
	switch {
	case err == nil || !c.cancelled:
		return err
	case errors.As(err, &unsure):
		return &api.UnsureError{Err: ui.ErrCancelled, Look: unsure.Look}
	}
	return ui.ErrCancelled
}
