package events

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"ccdir/api"
	"ccdir/tui/ui"
)

// mostPast is how many events of the log a text is looked for in.
const mostPast = 10_000

// query is the filters' question to the log.
type query struct{ session, kind, text string }

// past are those of the log that match the filters, whether or not the grid still keeps
// them: of a session that is quiet the newest hundreds may have none. A value; its list
// is replaced, never changed in place.
type past struct {
	of      query
	events  []api.Event
	looking bool
	upTo    int64 // events up to this number were looked at
}

// found is the log's answer.
type found struct {
	of     query
	events []api.Event
}

// query is what the filters ask of the log. A text is not looked for there before it is
// written.
func (l List) query() query {
	q := query{session: l.session, kind: l.kind}
	if !l.typing {
		q.text = strings.ToLower(l.find.String())
	}
	return q
}

// Refresh asks the log for events that pass the filters, and keeps the answer.
func (l List) Refresh(env ui.Env) (List, []ui.Effect) {
	var effects []ui.Effect
	switch q, last := l.query(), lastSeq(env.Events); {
	case env.Offline != "":
	case last < l.past.upTo: // another log
		l.past = past{}
	case q != l.past.of, q != (query{}) && len(env.Events) > 0 && env.Events[0].Seq > l.past.upTo+1:
		if q != l.past.of {
			l.past = past{of: q}
		}
		if l.past.upTo = last; q != (query{}) {
			l.past.looking = true
			effects = []ui.Effect{q.look(env)}
		}
	case last > l.past.upTo && q != (query{}):
		i, _ := slices.BinarySearchFunc(env.Events, l.past.upTo+1, func(e api.Event, seq int64) int { return cmp.Compare(e.Seq, seq) })
		l.past.upTo = last
		l = l.take(found{of: q, events: q.among(env.Events[i:], env.Names)})
	}
	return l.Fresh(env), effects
}

// look asks the log.
func (q query) look(env ui.Env) ui.Effect {
	limit, names := Most, env.Names
	if q.text != "" {
		limit = mostPast
	}
	return ui.Call{
		Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
			none := ui.Result{Value: found{of: q}}
			log, err := ui.As[ui.PastEvents](c)
			if err != nil {
				return none, err
			}
			all, err := log.PastEvents(ctx, q.session, q.kind, limit)
			if err != nil {
				return none, err
			}
			return ui.Result{Value: found{q, q.among(all, names)}}, nil
		},
		Failed: func(_ ui.Env, err error) []ui.Effect {
			if errors.Is(err, ui.ErrUnknown) { // the filters look through what the grid keeps
				return nil
			}
			return []ui.Effect{ui.Warn{Text: ui.Failure("looking in the log of events", err)}}
		},
	}
}

// take adds what matches the filters.
func (l List) take(f found) List {
	if f.of != l.past.of {
		return l // they have changed since
	}
	all := merged(f.events, l.past.events)
	l.past.events, l.past.looking = all[max(0, len(all)-Most):], false
	return l
}

// among are the events that match, the newest of them.
func (q query) among(all []api.Event, names map[string]string) (out []api.Event) {
	for _, e := range all {
		if q.matches(e, names) {
			out = append(out, e)
		}
	}
	return slices.Clone(out[max(0, len(out)-Most):])
}

// matches reports whether the filters let an event through.
func (q query) matches(e api.Event, names map[string]string) bool {
	if q.session != "" && e.Session != q.session || q.kind != "" && e.Type != q.kind {
		return false
	}
	name := cmp.Or(names[e.Session], e.Session, e.Node)
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
