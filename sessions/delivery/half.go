package delivery

import (
	"context"
	"errors"
	"time"

	"ccdir/wire"
)

// A dialog can open between a prompt's text and the key that submits it, or still be reported
// for a moment after it was answered: the host then holds that key back. The text may stand
// in the input line behind the dialog, or the dialog has swallowed it. Which one shows only
// when the dialog is over: typed at once again it could be there twice.

// dialogError reports that a dialog was open; written: a part of the transaction was typed before.
type dialogError struct {
	error
	written bool
}

func (e dialogError) Unwrap() error { return e.error }

// noteHalf notes whether a prompt's transaction was cut off after its text.
func (d *Delivery) noteHalf(err error) {
	var open dialogError
	if errors.As(err, &open) && open.written {
		d.half = true
	}
}

// stands waits until the text of a prompt stands in the input line, or until lostTime has
// shown that it does not. typed is the count of a person's inputs at the read.
func (d *Delivery) stands(ctx context.Context, text string) (stands bool, typed *uint64, err error) {
	var lost time.Time // since when
	for end := time.Now().Add(d.o.Timeout()); ; {
		view, sc, readable, err := d.readScreenPatiently(ctx)
		if err != nil {
			return false, nil, err
		}
		if view.Typing != nil {
			typed = &view.Typing.Count
		}
		now := time.Now()
		switch {
		case readable && unsubmitted(text, sc.Input):
			return true, typed, nil
		case !readable:
			lost = time.Time{}
		case lost.IsZero():
			lost = now
		case now.Sub(lost) >= lostTime:
			return false, typed, nil
		}
		if now.After(end) {
			return false, nil, dialogOpen(d.label(ctx), "")
		}
		if err := d.lookLater(ctx); err != nil {
			return false, nil, err
		}
	}
}

// submitTyped presses the key that submits a text which stands in the input line.
func (d *Delivery) submitTyped(ctx context.Context, tx wire.Tx) error {
	err := d.write(ctx, tx)
	if errors.Is(err, errTyped) {
		return d.typedBehind(ctx)
	}
	return err
}
