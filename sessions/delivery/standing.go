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
// the text was typed, nil if that is unknown: what a person has typed since is not submitted.
func (d *Delivery) submitStanding(ctx context.Context, tx string, steps func(lines int) []agents.Step, typed *uint64) error {
	var stood, lost time.Time // since when
	for again, end := 0, time.Now().Add(d.o.Timeout()); ; {
		view, sc, readable, err := d.readScreenPatiently(ctx)
		if err != nil {
			return err
		}
		if typed == nil && view.Typing != nil {
			typed = &view.Typing.Count
		}
		now := time.Now()
		switch {
		case view.Typing != nil && view.Typing.Count != *typed:
			return d.typedBehind(ctx)
		case now.After(end):
			return api.Errorf(api.CodeTimeout, "the agent in session %s did not keep the prompt that was typed: look at the pane", d.label(ctx))
		case !readable:
			stood, lost = time.Time{}, time.Time{}
		case sc.Input != "" && stood.IsZero():
			stood, lost = now, time.Time{}
		case sc.Input != "" && now.Sub(stood) >= standTime:
			return d.submitTyped(ctx, wire.Tx{ID: tx + "+go", NoDialog: true, Typed: typed, Steps: []wire.TxStep{{Keys: []string{"Enter"}}}})
		case sc.Input == "" && lost.IsZero():
			stood, lost = time.Time{}, now
		case sc.Input == "" && d.hasTaken(ctx): // an earlier daemon submitted it
			return nil
		case sc.Input == "" && now.Sub(lost) >= lostTime:
			again++
			if err := d.write(ctx, promptTx(tx+"+again"+strconv.Itoa(again), steps(1), d.o.Adapter.Managed(), typed)); err != nil && !errors.Is(err, errTyped) {
				return err
			}
			stood, lost = time.Time{}, time.Time{}
		}
		if err := d.lookLater(ctx); err != nil {
			return err
		}
	}
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
