package journal

import (
	"context"

	"ccdir/api"
)

// tailPage is how many events are read from the store at a time.
const tailPage = 1000

// Tail calls each for every event after f.Since (0: from the beginning) that f selects,
// past and future, in order and without a gap, until ctx ends or each fails. A slow each
// costs no memory: events that it missed are read from the store.
func (l *Log) Tail(ctx context.Context, f Filter, each func(api.Event) error) error {
	w := l.Watch()
	defer w.Close()
	next := f.Since // the last number handled
	for {
		messages, err := w.Next(ctx)
		if err != nil {
			return err
		}
		for _, m := range messages {
			if m.Snapshot != nil {
				if next, err = l.tailFrom(ctx, f, next, m.Snapshot.Seq, each); err != nil {
					return err
				}
				continue
			}
			if m.Event == nil || m.Event.Seq <= next {
				continue
			}
			next = m.Event.Seq
			if f.Matches(*m.Event) {
				if err := each(*m.Event); err != nil {
					return err
				}
			}
		}
	}
}

// tailFrom reads events after next up to last from the store.
func (l *Log) tailFrom(ctx context.Context, f Filter, next, last int64, each func(api.Event) error) (int64, error) {
	for next < last {
		f.Since, f.Limit = next, tailPage
		if next == 0 {
			f.Since = -1 // 0 selects the newest events
		}
		page, err := l.Events(ctx, f)
		if err != nil {
			return next, err
		}
		for _, e := range page {
			if e.Seq > last {
				return last, nil
			}
			next = e.Seq
			if err := each(e); err != nil {
				return next, err
			}
		}
		if len(page) < tailPage {
			break
		}
	}
	return max(next, last), nil
}
