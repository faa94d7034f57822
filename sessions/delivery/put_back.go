package delivery

import (
	"context"
	"errors"
	"math"
	"time"

	"ccdir/api"
	"ccdir/wire"
)

// Busy reports whether a prompt is on its way into the agent, or in its own queue; in the actor.
func (d *Delivery) Busy() bool {
	return d.flight != nil || d.first != "" || len(d.queue) > 0
}

// Typing reports whether a delivery has begun; at any time.
func (d *Delivery) Typing() bool { return len(d.sending) > 0 }

// TakesInput waits until keys may be typed into the agent, at most the session's timeout.
func (d *Delivery) TakesInput(ctx context.Context) error {
	_, err := d.awaitInput(ctx, false, false)
	return err
}

// putBackPause is the pause between two looks whether the input line is free.
const putBackPause = 500 * time.Millisecond

// PutBack types a person's draft of an earlier process into the input line, as a paste, once the
// agent rests and the line is empty. The host does it at most once for that id. Prompts go first. It
// returns when the draft stands there, or with an error when the process has ended or ctx is done.
func (d *Delivery) PutBack(ctx context.Context, id, text string) error {
	for {
		if _, err := d.awaitInput(ctx, true, true); err != nil {
			return err
		}
		select {
		case d.sending <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		case <-d.s.Done():
			return d.s.Gone()
		}
		err := d.putBack(ctx, id, text)
		<-d.sending
		var opened dialogError
		if !errors.Is(err, errTyped) && !errors.As(err, &opened) && api.CodeOf(err) != api.CodeTimeout && !d.passes(err) {
			return err
		}
		select {
		case <-time.After(putBackPause):
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := d.failIfEnded(ctx); err != nil {
			return err
		}
	}
}

// passes reports whether a failed request may succeed later: its host has not ended.
func (d *Delivery) passes(err error) bool { return err != nil && api.CodeOf(err) == api.CodeInternal }

// putBack is one try; the caller holds Delivery.sending. errTyped: the line is not free.
func (d *Delivery) putBack(ctx context.Context, id, text string) error {
	d.patient = false
	never := uint64(math.MaxUint64)
	tx := wire.Tx{ID: id, NoDialog: d.o.Adapter.Managed(), Person: true, Typed: &never,
		Steps: []wire.TxStep{{ReadyMS: int(readyLimit.Milliseconds())}, {Paste: &text}, {EchoMS: int(unreadable.Milliseconds())}}}
	// An earlier daemon may have done it: then this types nothing.
	if err := d.write(ctx, tx); !errors.Is(err, errTyped) {
		if err == nil {
			d.awaitBack(ctx)
		}
		return err
	}
	view, sc, readable, err := d.readScreen(ctx)
	if err != nil {
		return err
	}
	rests := false
	if err := d.s.Do(ctx, func() { rests = d.s.Fold().State == api.StateIdle }); err != nil {
		return err
	}
	if !rests || view.Typing == nil || d.canReadScreen() && (!readable || sc.Input != "" || sc.Stashed) || !d.canReadScreen() && view.Typing.Draft {
		return errTyped
	}
	tx.Typed = &view.Typing.Count
	if err := d.write(ctx, tx); err != nil {
		return err
	}
	d.awaitBack(ctx)
	return nil
}

// backTime bounds how long an agent may take to show a draft that was put back.
const backTime = 10 * time.Second

// awaitBack waits, at most backTime, until the screen shows the draft that was typed: a prompt that is
// typed before would be typed behind it. The caller holds Delivery.sending.
func (d *Delivery) awaitBack(ctx context.Context) {
	for end := time.Now().Add(backTime); d.canReadScreen() && time.Now().Before(end); {
		view, sc, readable, err := d.readScreen(ctx)
		if err != nil || readable && (sc.Input != "" || sc.Stashed) || view.Typing == nil || !view.Typing.Draft {
			return
		}
		if d.lookLater(ctx) != nil {
			return
		}
	}
}

// awaitEarlier waits for what an earlier daemon may have begun: the transaction that puts a draft back.
// This daemon's own is waited for by Delivery.sending, which the caller holds.
func (d *Delivery) awaitEarlier(ctx context.Context) error {
	if d.earlier == "" {
		return nil
	}
	never, nothing := uint64(math.MaxUint64), ""
	err := d.write(ctx, wire.Tx{ID: d.earlier, Typed: &never, Steps: []wire.TxStep{{Paste: &nothing}}})
	switch {
	case errors.Is(err, errTyped): // it had not begun, or was refused
	case err != nil:
		return err
	default:
		d.awaitBack(ctx)
	}
	d.earlier = ""
	return nil
}
