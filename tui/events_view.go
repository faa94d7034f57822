package tui

import (
	"fmt"
	"strconv"
	"strings"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/dialogs/event"
	"ccdir/tui/lists"
	"ccdir/tui/paint"
	"ccdir/tui/terminal/input"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/listbox"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// eventsView is the list of events where the terminal has no room for the
// sidebar: the same events, filters and keys.
type eventsView struct{ view listbox.View }

// openEvents shows the list, the newest event chosen.
func (m *model) openEvents() {
	d := eventsView{}
	sc := m.nowScene()
	if n := len(sc.listed); n > 0 {
		d.view.ID = strconv.FormatInt(sc.listed[n-1].Seq, 10)
	}
	m.overlay = d
}

func (d eventsView) list() listbox.View             { return d.view }
func (d eventsView) with(v listbox.View) listDialog { d.view = v; return d }
func (d eventsView) mode() keymap.Mode              { return keymap.ModeEvents }
func (d eventsView) key(m *model, k input.Key) cmd  { return listKey(m, d, k) }
func (d eventsView) paste(m *model, text string)    { listPaste(m, d, text) }
func (d eventsView) draw(s *paint.Surface, sc *scene) paint.Cursor {
	return drawListDialog(d, s, sc)
}

func (d eventsView) content(sc *scene) listbox.Content {
	c := listbox.Content{
		Title: strings.TrimSpace(sc.eventsTitle()), Hint: "filter by session, kind or text", Empty: "Nothing has happened yet, or it was cleared or filtered away.",
		Keys: []keymap.Named{keymap.EventsLeave.As("close"), keymap.EventsDetail.As("whole"), keymap.EventsGo.As("pane"), keymap.EventsFilter.As("filter"), keymap.EventsPick.As("of whom"),
			keymap.EventsSession.As("its session"), keymap.EventsKind.As("its kind"), keymap.EventsPause.As("pause"), keymap.EventsClear.As("clear")},
		DetailKeys: []keymap.Named{keymap.EventsLeave.As("back"), keymap.EventsGo.As("pane")},
	}
	names := sc.eventNames(sc.listed)
	c.Items = make([]listbox.Item, 0, len(sc.listed))
	for i := range sc.listed {
		e := &sc.listed[i]
		c.Items = append(c.Items, listbox.Item{
			ID: strconv.FormatInt(e.Seq, 10), Match: func() string { return sc.Names[e.Session] + " " + e.Type + " " + e.Message },
			Line: func(w int) string { return eventRow(sc, *e, w, names) },
		})
	}
	c.Detail = func(id string, w int) []string {
		for _, e := range sc.listed {
			if strconv.FormatInt(e.Seq, 10) == id {
				return event.Lines(sc.Theme, e, w)
			}
		}
		return nil
	}
	return c
}

// eventRow is a row: how long ago, session, state that came of it, kind and text. In a
// narrow list the state is a glyph behind the time, as in the sidebar, and the sessions
// have names columns.
func eventRow(sc *scene, e api.Event, w, names int) string {
	name, change := "", ""
	if e.Session != "" {
		name = sc.SessionName(e.Session)
	}
	if e.StateTo != "" && e.StateTo != e.StateFrom {
		change = e.StateTo.Indicator()
	}
	st, dim := theme.FG(sc.Theme.Event(e)), theme.FG(sc.Theme.Dim)
	if w < eventsWide {
		names = max(1, names)
		return modal.Columns(w, modal.Column(fmt.Sprintf("%3s", format.ShortAge(sc.Now, e.At)), 3, dim), modal.Column(strings.Trim(change, "[]"), 2, st),
			modal.Column(name, names, cells.Style{}), modal.Column(eventText(e, w-names-8), 0, st))
	}
	return modal.Columns(w, modal.Column(format.Age(sc.Now, e.At), 5, dim), modal.Column(name, lists.NameWidth, cells.Style{}), modal.Column(change, 4, st),
		modal.Column(textsafe.Line(strings.TrimSpace(e.Type+" "+e.Message)), 0, st))
}

// eventMoves are the actions of lists for those of the sidebar.
var eventMoves = map[keymap.Action]keymap.Action{
	keymap.EventsUp: keymap.ViewUp, keymap.EventsDown: keymap.ViewDown, keymap.EventsPageUp: keymap.ViewPageUp, keymap.EventsPageDn: keymap.ViewPageDown,
	keymap.EventsFirst: keymap.ViewFirst, keymap.EventsLast: keymap.ViewLast, keymap.EventsFilter: keymap.ViewFilter, keymap.EventsDetail: keymap.ViewOpen,
	keymap.EventsLeave: keymap.ViewClose,
}

// translate makes the sidebar's actions those of a list.
func (d eventsView) translate(a keymap.Action) keymap.Action {
	if move, ok := eventMoves[a]; ok {
		return move
	}
	return a
}

func (d eventsView) act(m *model, a keymap.Action, id string) (cmd, bool) {
	v := &m.eventView
	var event api.Event
	for _, e := range merged(v.older.events, m.Events) {
		if strconv.FormatInt(e.Seq, 10) == id {
			event = e
		}
	}
	switch a {
	case keymap.EventsPick:
		m.pickEventSession()
	case keymap.EventsPause:
		m.pauseEvents()
	case keymap.EventsClear:
		v.clear(m.Events)
	case keymap.EventsGo:
		if event.Session != "" {
			m.openSession(event.Session)
		}
	case keymap.EventsSession, keymap.EventsKind:
		return m.eventAction(a, event), true
	case keymap.ViewClose:
		if !v.narrow() || d.view.Open || !d.view.Query.Empty() {
			return nil, false
		}
		v.find, v.session, v.kind = edit.Line{}, "", ""
	default:
		return nil, false
	}
	return nil, true
}
