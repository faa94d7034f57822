package delivery

import (
	"context"
	"errors"
	"strconv"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/wire"
)

// An agent that takes up a conversation may wipe its input line once more (agents.Ack.Wiped): the
// first text that is typed there is submitted only once it has stood.

const (
	// standTime is how long the text must stand before Enter, lostTime how long the line is
	// empty before the text is typed again.
	standTime = time.Second
	lostTime  = 2 * time.Second
)

// resumed reports whether the agent took up a conversation and has taken no prompt yet.
func (d *Delivery) resumed(ctx context.Context) (yes bool) {
	_ = d.s.Do(ctx, func() { yes = d.s.Resumed() }) // fails with the call
	return yes
}

// submitStanding presses Enter once the typed text has stood in the input line. One that was
// wiped is typed again: nothing has submitted it. typed is the count of a person's inputs when
// the text was typed, nil if that is unknown: a text that a person has changed since is not
// submitted.
func (d *Delivery) submitStanding(ctx context.Context, tx string, steps func(lines int) []agents.Step, typed *uint64) error {
	var stood, lost time.Time // since when
	line := standingLine{typed: typed}
	for again, end := 0, time.Now().Add(d.o.Timeout()); ; {
		view, sc, readable, err := d.readScreenPatiently(ctx)
		if err != nil {
			return err
		}
		if readable && view.Typing != nil {
			touched, changed := line.look(view.Typing.Count, sc.Input)
			if changed {
				return d.typedBehind(ctx)
			}
			if touched {
				stood = time.Time{}
			}
		}
		now := time.Now()
		switch {
		case now.After(end):
			return api.Errorf(api.CodeTimeout, "the agent in session %s did not keep the prompt that was typed: look at the pane", d.label(ctx))
		case !readable:
			stood, lost = time.Time{}, time.Time{}
		case sc.Input != "" && stood.IsZero():
			stood, lost = now, time.Time{}
		case sc.Input != "" && now.Sub(stood) >= standTime:
			err := d.write(ctx, wire.Tx{ID: tx + "+go", NoDialog: true, Typed: line.typed, Steps: []wire.TxStep{{Keys: []string{"Enter"}}}})
			if !errors.Is(err, errTyped) { // else the next read tells what
				return err
			}
		case sc.Input == "" && d.hasTaken(ctx): // an earlier daemon submitted it
			return nil
		case sc.Input == "" && lost.IsZero():
			stood, lost = time.Time{}, now
		case sc.Input == "" && now.Sub(lost) >= lostTime:
			again++
			if err := d.write(ctx, promptTx(tx+"+again"+strconv.Itoa(again), steps(1), d.o.Adapter.Managed(), line.typed)); err != nil && !errors.Is(err, errTyped) {
				return err
			}
			stood, lost, line.touched = time.Time{}, time.Time{}, false
		}
		if err := d.lookLater(ctx); err != nil {
			return err
		}
	}
}

// standingLine is what is known of a person's inputs while a text stands.
type standingLine struct {
	typed *uint64 // their count; nil: not known yet
	last  *string // what the line showed then; nil: not seen yet
	// touched: there was an input that had changed nothing yet, as a click does, or a key
	// whose echo is to come.
	touched bool
}

// look takes a read of the line and reports whether there was an input since the last one, and
// whether a person has changed the text.
func (l *standingLine) look(count uint64, input string) (touched, changed bool) {
	touched = l.typed != nil && *l.typed != count
	l.touched = l.touched || touched
	changed = touched && l.last == nil || l.touched && *l.last != input && (touched || input != "")
	l.typed, l.last = &count, &input
	return touched, changed
}

// hasTaken reports whether the agent has taken the prompt in flight.
func (d *Delivery) hasTaken(ctx context.Context) (yes bool) {
	_ = d.s.Do(ctx, func() { yes = d.flight != nil && d.flight.Met }) // fails with the call
	return yes
}

// typedBehind is the error of a prompt whose text a person has typed behind.
func (d *Delivery) typedBehind(ctx context.Context) error {
	return api.Errorf(api.CodeDraft, "somebody typed into session %s behind the prompt: look at the pane", d.label(ctx))
}
