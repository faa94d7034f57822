package tui

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"ccdir/api"
)

// EventLog is a Client that reads the log of events; without it the filters of the
// events look through those that the grid keeps.
type EventLog interface {
	// PastEvents returns the newest events of a session and of a kind, oldest first; ""
	// is every one.
	PastEvents(ctx context.Context, session, kind string, limit int) ([]api.Event, error)
}

// mostPast is how many events of the log a text is looked for in.
const mostPast = 10_000

// eventQuery is what filters ask of the log.
type eventQuery struct{ session, kind, text string }

// olderEvents are those of the log that match the filters and that the grid does not
// keep any more: of a session that is quiet the newest hundreds may have none. A value;
// its list is replaced, never changed in place.
type olderEvents struct {
	of      eventQuery
	events  []api.Event
	looking bool
}

// query is what the filters ask of the log. A text is not looked for there before it is
// written.
func (v eventView) query() eventQuery {
	q := eventQuery{session: v.session, kind: v.kind}
	if !v.typing {
		q.text = strings.ToLower(v.find.String())
	}
	return q
}

// followEvents looks in the log for what the filters let through.
func (m *model) followEvents() cmd {
	log, ok := m.opts.Client.(EventLog)
	v, q := &m.eventView, m.eventView.query()
	if !ok || q == v.older.of || m.Offline != "" {
		return nil
	}
	if v.older = (olderEvents{of: q}); q == (eventQuery{}) {
		return nil
	}
	v.older.looking = true
	limit, names := maxEvents, m.names()
	if q.text != "" {
		limit = mostPast
	}
	put := func(m *model, events []api.Event) {
		if o := &m.eventView.older; o.of == q {
			o.events, o.looking = merged(events, o.events), false
		}
	}
	return m.callOr("", func(c calls) (func(*model), error) {
		all, err := log.PastEvents(c.ctx, q.session, q.kind, limit)
		all = q.of(all, names)
		return func(m *model) { put(m, all) }, err
	}, func(m *model, err error) {
		put(m, nil)
		m.failed("looking in the log of events", err)
	})
}

// of are the events that match, the newest maxEvents.
func (q eventQuery) of(all []api.Event, names map[string]string) (out []api.Event) {
	for _, e := range all {
		if q.matches(e, names) {
			out = append(out, e)
		}
	}
	return slices.Clone(out[max(0, len(out)-maxEvents):])
}

// matches reports whether the filters let an event through.
func (q eventQuery) matches(e api.Event, names map[string]string) bool {
	if q.session != "" && e.Session != q.session || q.kind != "" && e.Type != q.kind {
		return false
	}
	name, ok := names[e.Session]
	if !ok {
		name = e.Session
	}
	return q.text == "" || strings.Contains(strings.ToLower(name+"\x00"+e.Type+"\x00"+e.Message), q.text)
}

// merged are two lists as one, in their order, each event once.
func merged(a, b []api.Event) []api.Event {
	if len(a) == 0 {
		return b
	}
	if len(b) == 0 {
		return a
	}
	out := append(slices.Clone(a), b...)
	slices.SortStableFunc(out, func(x, y api.Event) int { return cmp.Compare(x.Seq, y.Seq) })
	return slices.CompactFunc(out, func(x, y api.Event) bool { return x.Seq == y.Seq })
}

// keepEvents takes what the grid keeps of the events. While filters are set, what they
// let through of the others goes to the older ones.
func (m *model) keepEvents(all []api.Event) {
	v := &m.eventView
	kept := v.kept(all)
	if v.narrow() && len(kept) < len(all) {
		gone := slices.DeleteFunc(slices.Clone(all), func(e api.Event) bool {
			_, ok := slices.BinarySearchFunc(kept, e.Seq, func(k api.Event, seq int64) int { return cmp.Compare(k.Seq, seq) })
			return ok
		})
		older := merged(v.older.events, v.older.of.of(gone, m.names()))
		v.older.events = older[max(0, len(older)-maxEvents):]
	}
	m.Events = kept
}
