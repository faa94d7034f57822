package tui

import (
	"maps"
	"slices"
	"strings"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/dialogs/event"
	"ccdir/tui/grid/tiling"
	"ccdir/tui/sidebar/happenings"
	"ccdir/tui/terminal/input"
	"ccdir/tui/widget/edit"
)

// eventView is what the sidebar shows of the events. A value; scenes share it.
type eventView struct {
	// after hides the events up to that number (clear); until, if paused, those
	// after that one.
	after, until  int64
	paused        bool
	find          edit.Line // a part of name, kind or message
	session, kind string
	typing        bool  // that part is being typed
	raw           bool  // all events by their types, else what happened in words
	sel           int64 // number of the selected event, 0: follow the newest
	older         olderEvents
}

// filtered are the events that it lets through, and how many a pause holds back.
func (v eventView) filtered(all []api.Event, names map[string]string) (out []api.Event, held int) {
	q := eventQuery{v.session, v.kind, strings.ToLower(v.find.String())}
	if v.narrow() {
		all = merged(v.older.events, all)
	}
	for _, e := range v.told(all) {
		switch {
		case e.Seq <= v.after || !q.matches(e, names):
		case v.paused && e.Seq > v.until:
			held++
		default:
			out = append(out, e)
		}
	}
	if !v.paused {
		out = out[max(0, len(out)-maxEvents):]
	}
	return out, held
}

// told are the events that stand for what happened, or all of them in the raw list.
func (v eventView) told(all []api.Event) []api.Event {
	if v.raw || v.kind != "" {
		return all
	}
	rows := happenings.Of(all)
	out := make([]api.Event, len(rows))
	for i := range rows {
		out[i] = rows[i].Event
	}
	return out
}

// kept are the events that the grid keeps: the newest, and while the list is paused
// also those that it shows, however many come meanwhile.
func (v eventView) kept(all []api.Event) []api.Event {
	n := 0
	if v.paused {
		for n < len(all) && all[n].Seq <= v.until {
			n++
		}
	}
	shown, next := all[:n], all[n:]
	shown, next = shown[max(0, n-maxEvents):], next[max(0, len(next)-maxEvents):]
	return append(shown[:len(shown):len(shown)], next...)
}

// resumed are the events after a new snapshot: a pause outlasts it.
func (v eventView) resumed(old, snapshot []api.Event) []api.Event {
	if !v.paused || lastSeq(snapshot) < v.until { // not paused, or another log
		return snapshot
	}
	all := slices.DeleteFunc(slices.Clone(old), func(e api.Event) bool { return e.Seq > v.until })
	for _, e := range snapshot {
		if e.Seq > v.until {
			all = append(all, e)
		}
	}
	return v.kept(all)
}

// at is the index of the selected event, the newest one before it if it is
// gone; -1 if there are none.
func (v eventView) at(events []api.Event) int {
	if v.sel == 0 {
		return len(events) - 1
	}
	for i, e := range slices.Backward(events) {
		if e.Seq <= v.sel {
			return i
		}
	}
	return min(0, len(events)-1)
}

// narrow reports whether a filter is set.
func (v eventView) narrow() bool { return !v.find.Empty() || v.session != "" || v.kind != "" }

// formerNames bounds how many names of removed sessions are kept.
const formerNames = 1000

// noteRemoved keeps the names of sessions that are not there any more, for the
// events that are still shown of them. before is what there was; of those that went
// before the grid came a snapshot's events tell.
func (m *model) noteRemoved(before []api.Session, snapshot *api.Snapshot) {
	if snapshot != nil {
		for _, e := range snapshot.Events {
			if name, ok := strings.CutPrefix(e.Message, "removed "); ok && e.Type == api.EventSessionRemoved && e.Source == "daemon" {
				m.former[e.Session] = name
			}
		}
	}
	for _, v := range before {
		if m.session(v.ID) == nil {
			m.former[v.ID] = v.Name
		}
	}
	if len(m.former) <= formerNames {
		return
	}
	maps.DeleteFunc(m.former, func(id string, _ string) bool {
		return !slices.ContainsFunc(m.Events, func(e api.Event) bool { return e.Session == id })
	})
}

// names are those of all sessions by their ids, removed ones among them.
func (m *model) names() map[string]string {
	names := maps.Clone(m.former)
	for _, v := range m.Sessions {
		names[v.ID] = v.Name
	}
	return names
}

// focusEvents gives the sidebar the keyboard; where there is no room for it, a list
// over the panes shows the events.
func (m *model) focusEvents() {
	if m.cols < tiling.SidebarFrom {
		m.openEvents()
		return
	}
	if m.noSidebar {
		m.toggleSidebar()
	}
	m.mode = modeEvents
}

// eventsKey handles a key for the sidebar.
func (m *model) eventsKey(k input.Key) cmd {
	v := &m.eventView
	if v.typing {
		m.filterKey(k)
		return nil
	}
	b, ok := m.keys.LookupIn(keymap.ModeEvents, k.Name)
	if !ok {
		m.warn("the events have no key " + textsafe.Line(k.Name) + ": " + m.keys.Hint(keymap.EventsLeave) + " goes back to the pane")
		return nil
	}
	events, _ := v.filtered(m.Events, m.names())
	at := v.at(events)
	page := max(1, m.layout.Sidebar.H-4)
	switch b.Action {
	case keymap.EventsUp:
		v.choose(events, at-1)
	case keymap.EventsDown:
		v.choose(events, at+1)
	case keymap.EventsPageUp:
		v.choose(events, at-page)
	case keymap.EventsPageDn:
		v.choose(events, at+page)
	case keymap.EventsFirst:
		v.choose(events, 0)
	case keymap.EventsLast:
		v.sel = 0
	case keymap.EventsFilter:
		v.typing = true
	case keymap.EventsPick:
		m.pickEventSession()
	case keymap.EventsPause:
		m.pauseEvents()
	case keymap.EventsRaw:
		v.raw = !v.raw
	case keymap.EventsClear:
		v.clear(m.Events)
	case keymap.EventsWider:
		m.widenColumn(stepCols)
	case keymap.EventsNarrower:
		m.widenColumn(-stepCols)
	case keymap.EventsLeave:
		if v.narrow() {
			v.find, v.session, v.kind = edit.Line{}, "", ""
			return nil
		}
		m.mode = modePane
	default:
		if at >= 0 {
			return m.eventAction(b.Action, events[at])
		}
	}
	return nil
}

// eventAction is what is done with one event.
func (m *model) eventAction(a keymap.Action, e api.Event) cmd {
	v := &m.eventView
	switch a {
	case keymap.EventsGo:
		m.mode = modePane
		m.chooseEvent(e)
	case keymap.EventsDetail:
		return m.openOver(nil, event.New(e, m.names()[e.Session]))
	case keymap.EventsSession:
		v.sel = e.Seq
		if v.session != "" {
			v.session = ""
		} else {
			v.session = e.Session
		}
	case keymap.EventsKind:
		v.sel = e.Seq
		if v.kind != "" {
			v.kind = ""
		} else {
			v.kind = e.Type
		}
	}
	return nil
}

// choose selects an event; the newest one is followed.
func (v *eventView) choose(events []api.Event, at int) {
	if at >= len(events)-1 || len(events) == 0 {
		v.sel = 0
		return
	}
	v.sel = events[max(0, at)].Seq
}

// pauseEvents stops the list, or lets it go on.
func (m *model) pauseEvents() {
	v := &m.eventView
	if v.paused = !v.paused; v.paused {
		v.until = lastSeq(m.Events)
	}
	m.keepEvents(m.Events)
}

// clear empties the list; what a pause holds back stays for its end.
func (v *eventView) clear(all []api.Event) {
	if v.after, v.sel = lastSeq(all), 0; v.paused {
		v.after = v.until
	}
}

func lastSeq(all []api.Event) int64 {
	if len(all) == 0 {
		return 0
	}
	return all[len(all)-1].Seq
}

// filterKey edits the text of the filter.
func (m *model) filterKey(k input.Key) {
	v := &m.eventView
	switch k.Name {
	case "Enter":
		v.typing = false
	case "Escape", "C-c":
		v.typing, v.find = false, edit.Line{}
	default:
		v.find, _ = v.find.Key(k.Name, k.Text())
	}
}

// pasteInEvents: into the filter, while it is typed. A paste goes nowhere else: the
// pane does not have the keyboard.
func (m *model) pasteInEvents(text string) {
	v := &m.eventView
	if !v.typing {
		m.warn("the events have the keyboard: nothing was pasted; " + m.keys.Hint(keymap.EventsLeave) + " goes back to the pane")
		return
	}
	v.find = v.find.Insert(textsafe.Line(text))
}
