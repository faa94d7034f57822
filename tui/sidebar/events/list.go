// Package events is the lower part of the sidebar, and the dialog that stands for it where
// there is no room: what happened, newest last, in words or event by event.
//
// It owns filters, pause, choice, and the rows that they let through, which it computes
// once for each change; the newest events are the grid's (ui.World). It reads older ones
// from the log, and asks for the pane of an event's session, details, and a menu.
package events

import (
	"strings"

	"ccdir/api"
	"ccdir/tui/sidebar/happenings"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
)

// Most is how many events are listed, and how many the grid keeps.
const Most = 500

// List is the state of the list of events: filters, choice, pause. A value; scenes share it.
type List struct {
	after         int64       // hides the events up to that number (clear)
	paused        bool        // those of stopped are shown
	stopped       []api.Event // not changed any more
	find          edit.Line   // a part of name, kind or message
	session, kind string
	typing        bool  // that part is being typed
	raw           bool  // all events by their types, else what happened in words
	over          bool  // it is the dialog
	sel           int64 // number of the selected event, 0: follow the newest
	byWheel       bool  // it was selected by the wheel: the list stays there without the keyboard
	past          past
	rows          rows
}

// rows are the computed rows, and what they were computed of.
type rows struct {
	of   stamp
	all  []happenings.Row
	held int  // rows that a pause holds back
	more bool // it holds back more than the grid keeps
}

// stamp tells whether rows are those of now. Slices are replaced, never changed in place.
type stamp struct {
	events, stopped, past *api.Event
	n                     [3]int
	sessions              *api.Session // names are looked at
	after                 int64
	paused, raw           bool
	news, listed          bool
	of                    query
}

func first[T any](all []T) *T {
	if len(all) == 0 {
		return nil
	}
	return &all[0]
}

// Fresh is the list with the rows of now. Without the keyboard it follows the newest event
// again, unless the wheel has moved it.
func (l List) Fresh(env ui.Env) List {
	if !env.InEvents && !l.byWheel {
		l.sel = 0
	}
	if last := lastSeq(env.Events); last < max(l.after, l.sel, lastSeq(l.stopped)) { // another log
		l.after, l.sel, l.paused, l.stopped = 0, 0, false, nil
	}
	now := stamp{
		events: first(env.Events), stopped: first(l.stopped), past: first(l.past.events), n: [3]int{len(env.Events), len(l.stopped), len(l.past.events)},
		sessions: first(env.Sessions), after: l.after, paused: l.paused, raw: l.raw, news: l.news(env), listed: !env.Column.Empty(), of: query{l.session, l.kind, strings.ToLower(l.find.String())},
	}
	if now == l.rows.of {
		return l
	}
	l.rows = rows{of: now}
	all := env.Events
	if l.paused {
		until := lastSeq(l.stopped)
		for _, r := range l.told(env, env.Events) {
			if r.Event.Seq > max(until, l.after) && now.of.matches(r.Event, env.Names) {
				l.rows.held++
			}
		}
		l.rows.more = len(env.Events) == Most && env.Events[0].Seq > until+1
		all = l.stopped
	}
	if l.narrow() {
		all = merged(l.past.events, all)
	}
	for _, r := range l.told(env, all) {
		if r.Event.Seq > l.after && now.of.matches(r.Event, env.Names) {
			l.rows.all = append(l.rows.all, r)
		}
	}
	if !l.paused {
		l.rows.all = l.rows.all[max(0, len(l.rows.all)-Most):]
	}
	return l
}

// words reports whether the list tells what happened in words.
func (l List) words() bool { return !l.raw && l.kind == "" }

// news reports whether it tells what a person does not know: beside the panes, until somebody
// looks into it.
func (l List) news(env ui.Env) bool {
	return l.words() && !l.over && !env.InEvents && !l.narrow()
}

// told are rows for what happened, or for each event.
func (l List) told(env ui.Env, all []api.Event) []happenings.Row {
	if l.words() {
		dirs := make(map[string]string, len(env.Sessions))
		for i := range env.Sessions {
			dirs[env.Sessions[i].ID] = env.Sessions[i].CWD
		}
		out := happenings.Of(all, dirs)
		if l.news(env) {
			out = happenings.News(out, !env.Column.Empty())
		}
		return out
	}
	out := make([]happenings.Row, len(all))
	for i := range all {
		out[i] = happenings.Row{Event: all[i]}
	}
	return out
}

// at is the index of the selected row, the newest one before it if it is gone; -1 if
// there are none.
func (l List) at() int {
	all := l.rows.all
	if l.sel == 0 {
		return len(all) - 1
	}
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].Event.Seq <= l.sel {
			return i
		}
	}
	return min(0, len(all)-1)
}

// choose selects a row; the newest one is followed.
func (l List) choose(at int) List {
	all := l.rows.all
	if l.sel, l.byWheel = 0, false; len(all) > 0 && at < len(all)-1 {
		l.sel = all[max(0, at)].Event.Seq
	}
	return l
}

// Typing reports whether keys go to the filter.
func (l List) Typing() bool { return l.typing }

// narrow reports whether a filter is set.
func (l List) narrow() bool { return !l.find.Empty() || l.session != "" || l.kind != "" }

// wide is the list without filters.
func (l List) wide() List {
	l.find, l.session, l.kind = edit.Line{}, "", ""
	return l
}

// pause stops the list, or lets it go on.
func (l List) pause(env ui.Env) List {
	if l.paused = !l.paused; l.paused {
		l.stopped = env.Events
	} else {
		l.stopped = nil
	}
	return l
}

// clear empties the list; what a pause holds back stays for its end.
func (l List) clear(env ui.Env) List {
	if l.after, l.sel = lastSeq(env.Events), 0; l.paused {
		l.after = lastSeq(l.stopped)
	}
	return l
}

func lastSeq(all []api.Event) int64 {
	if len(all) == 0 {
		return 0
	}
	return all[len(all)-1].Seq
}
