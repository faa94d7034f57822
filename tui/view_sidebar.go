package tui

import (
	"fmt"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/sidebar/happenings"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// drawSidebar lists the sessions outside ccdir, if there are any, and the
// events, newest last: age, session, type, change of state.
func (sc *scene) drawSidebar(s *paint.Surface) {
	r := sc.layout.Sidebar
	if r.Empty() {
		return
	}
	s.Box(r, paint.Round, theme.FG(sc.Theme.Dim))
	in := r.Inset(1)
	if n := sc.outsideRows(); n > 0 {
		s.Text(r.X+2, r.Y, r.W-4, " outside ccdir ", theme.FG(sc.Theme.Dim))
		for i := range n - 1 {
			sc.drawOutside(s, paint.Rect{X: in.X, Y: in.Y + i, W: in.W, H: 1}, i, i == n-2)
		}
		in.Y += n
		s.Line(paint.Rect{X: r.X + 1, Y: in.Y - 1, W: r.W - 2, H: 1}, paint.Light, theme.FG(sc.Theme.Dim))
		s.Text(r.X, in.Y-1, 1, "├", theme.FG(sc.Theme.Dim))
		s.Text(r.X+r.W-1, in.Y-1, 1, "┤", theme.FG(sc.Theme.Dim))
	}
	st := theme.FG(sc.Theme.Dim)
	if sc.mode == modeEvents {
		st = theme.Bold(sc.Theme.Accent)
	}
	s.Text(r.X+2, in.Y-1, r.W-4, paint.Cut(sc.eventsTitle(), r.W-4), st)
	shown := sc.shownEvents()
	at := sc.view.at(sc.listed)
	names, rows := sc.eventNames(shown), sc.happened(sc.Events)
	for i, e := range shown {
		row := paint.Rect{X: in.X, Y: in.Y + i, W: in.W, H: 1}
		if h, told := rows[e.Seq]; told {
			sc.drawHappening(s, row, h, names)
		} else {
			sc.drawEvent(s, row, e, names)
		}
		if sc.mode == modeEvents && at >= 0 && e.Seq == sc.listed[at].Seq {
			s.Restyle(row.X, row.Y, row.W, theme.Selected)
		}
	}
	if len(shown) == 0 {
		text := "nothing has happened yet"
		switch {
		case sc.view.older.looking:
			text = "looking in the log…"
		case sc.view.typing:
			text = "nothing newer: Enter looks in the log"
		case len(sc.Events) > 0:
			text = "nothing to show: cleared or filtered"
		}
		s.Text(in.X+1, in.Y, in.W-1, paint.Cut(text, in.W-1), theme.FG(sc.Theme.Dim))
	}
}

// eventsTitle says what the list shows and leaves out.
func (sc *scene) eventsTitle() string {
	text, after := sc.eventsTitleAt()
	return text + after
}

// eventsTitleAt is the title before and after the place where the filter is typed.
func (sc *scene) eventsTitleAt() (text, after string) {
	v := sc.view
	text = " since " + sc.sinceText() + " "
	if v.raw || v.kind != "" {
		text = " events "
	}
	if v.session != "" {
		name := sc.Names[v.session]
		if name == "" {
			name = v.session
		}
		text += "of " + textsafe.Line(name) + " "
	}
	if v.kind != "" {
		text += textsafe.Line(v.kind) + " "
	}
	if v.typing || !v.find.Empty() {
		before, rest := v.find.Parts()
		text += "/" + textsafe.Line(before)
		after = textsafe.Line(rest) + " "
	}
	if v.sel != 0 {
		after += "↑ older "
	}
	if v.paused {
		more := ""
		if sc.held >= maxEvents {
			more = "+"
		}
		after += fmt.Sprintf("· paused, %d%s new ", sc.held, more)
	}
	return text, after
}

// sinceText is when the oldest row that is kept happened.
func (sc *scene) sinceText() string {
	if len(sc.listed) == 0 {
		return "now"
	}
	if at := sc.listed[0].At.Local(); sc.Now.Sub(at) < 24*time.Hour {
		return at.Format("15:04")
	}
	return format.Clock(sc.Now, sc.listed[0].At)
}

// eventsCursor is the terminal's cursor while the events have the keyboard: in the
// filter, where that is typed.
func (sc *scene) eventsCursor() paint.Cursor {
	r := sc.layout.Sidebar
	if !sc.view.typing || r.Empty() {
		return paint.Cursor{}
	}
	text, _ := sc.eventsTitleAt()
	return paint.Cursor{X: r.X + 2 + min(paint.Width(text), max(0, r.W-5)), Y: r.Y + sc.outsideRows(), Visible: true}
}

// eventHints are the keys worth knowing while the events have the keyboard.
func (sc *scene) eventHints() (out []string) {
	if sc.view.typing {
		return []string{"Enter keeps the filter", "Esc drops it"}
	}
	for _, h := range []struct {
		a    keymap.Action
		text string
	}{{keymap.EventsGo, "go"}, {keymap.EventsDetail, "detail"}, {keymap.EventsFilter, "filter"}, {keymap.EventsSession, "session"}, {keymap.EventsKind, "kind"},
		{keymap.EventsRaw, "raw"}, {keymap.EventsPause, "pause"}, {keymap.EventsClear, "clear"}, {keymap.EventsLeave, "back"}} {
		if keys := sc.Keys.Of(h.a).Keys; len(keys) > 0 {
			out = append(out, modal.ShortKey(keys[0])+" "+h.text)
		}
	}
	return out
}

// shownEvents are the events that the sidebar has room for, oldest first: the
// newest ones, or those around the selected one.
func (sc *scene) shownEvents() []api.Event {
	n := min(max(0, sc.layout.Sidebar.H-2-sc.outsideRows()), len(sc.listed))
	end := len(sc.listed)
	if at := sc.view.at(sc.listed); sc.view.sel != 0 && at >= 0 {
		end = min(max(at+n/2+1, n), end)
	}
	return sc.listed[end-n : end]
}

// maxOutsideRows is how many sessions outside ccdir the sidebar lists.
const maxOutsideRows = 6

// outsideRows is how many rows the list of sessions outside ccdir takes, the line
// below it included; 0 if there are none or there is no room.
func (sc *scene) outsideRows() int {
	if len(sc.outside) == 0 || sc.layout.Sidebar.H < 10 {
		return 0
	}
	return min(len(sc.outside), maxOutsideRows) + 1
}

// drawOutside draws row i of the list; the last one says how many more there are.
func (sc *scene) drawOutside(s *paint.Surface, r paint.Rect, i int, last bool) {
	if more := len(sc.outside) - i; last && more > 1 {
		s.Text(r.X, r.Y, r.W, fmt.Sprintf("and %d more", more), theme.FG(sc.Theme.Dim))
		return
	}
	v := sc.outside[i]
	x := r.X + s.Text(r.X, r.Y, r.W, v.State.Indicator(), theme.Bold(sc.Theme.State(v.State))) + 1
	text := textsafe.Line(v.Name)
	if a := format.Age(sc.Now, v.Since); a != "" {
		text += " · " + a
	}
	if v.Question != "" && v.State.NeedsPerson() {
		text += " · " + textsafe.Line(v.Question)
	} else if v.CWD != "" {
		text += " · " + textsafe.Line(v.CWD)
	}
	end := r.X + r.W
	s.Text(x, r.Y, end-x, paint.Cut(text, end-x), theme.FG(sc.Theme.State(v.State)))
}

const (
	// eventNameWidth is the most that the column of session names takes.
	eventNameWidth = 8
	// eventsWide is the width from which the state that came of an event has its sign
	// at the end of the row, as elsewhere. In a narrower list that would be the room of
	// the message: there it is a glyph behind the time.
	eventsWide = 56
	// leastKind is what a row leaves of an event's type at least, leastMessage what it
	// leaves of the message before the type is cut.
	leastKind, leastMessage = 8, 4
)

// eventNames is the width of the column of session names.
func (sc *scene) eventNames(shown []api.Event) (w int) {
	for _, e := range shown {
		w = max(w, min(eventNameWidth, paint.Width(sc.eventName(e))))
	}
	return w
}

// eventName is whose event it is, "" if it is no session's.
func (sc *scene) eventName(e api.Event) string {
	name, known := sc.Names[e.Session]
	if !known {
		name = e.Session
	}
	return textsafe.Line(name)
}

// happened is what an event stands for in words, nil in the raw list.
func (sc *scene) happened(shown []api.Event) map[int64]happenings.Row {
	if sc.view.raw || sc.view.kind != "" {
		return nil
	}
	rows := map[int64]happenings.Row{}
	for _, r := range happenings.Of(shown) {
		rows[r.Event.Seq] = r
	}
	return rows
}

// drawHappening draws a row: clock, session, and what happened.
func (sc *scene) drawHappening(s *paint.Surface, r paint.Rect, row happenings.Row, names int) {
	x, end := r.X, r.X+r.W
	x += s.Text(x, r.Y, end-x, row.Event.At.Local().Format("15:04")+" ", theme.FG(sc.Theme.Dim))
	if x < end && names > 0 {
		s.Text(x, r.Y, end-x, paint.Cut(sc.eventName(row.Event), min(names, end-x)), cells.Style{Attrs: cells.Bold})
		x += names + 1
	}
	if x >= end {
		return
	}
	st := theme.FG(sc.Theme.Dim)
	if row.Standing != "" && row.Standing != api.StandingEnded {
		st = theme.FG(sc.Theme.Standing(row.Standing))
	}
	s.Text(x, r.Y, end-x, paint.Cut(textsafe.Line(row.Text), end-x), st)
}

// drawEvent draws a row: age, state that came of it, session, type and message.
// names is the width of the sessions' column.
func (sc *scene) drawEvent(s *paint.Surface, r paint.Rect, e api.Event, names int) {
	st := theme.FG(sc.Theme.Event(e))
	strong := st
	strong.Attrs |= cells.Bold
	change := ""
	if e.StateTo != "" && e.StateTo != e.StateFrom {
		change = e.StateTo.Indicator()
	}
	x, end := r.X, r.X+r.W
	if r.W < eventsWide {
		x += s.Text(x, r.Y, end-x, fmt.Sprintf("%3s ", format.ShortAge(sc.Now, e.At)), theme.FG(sc.Theme.Dim))
		s.Text(x, r.Y, end-x, strings.Trim(change, "[]"), strong)
		x, change = x+3, ""
	} else {
		x += s.Text(x, r.Y, end-x, fmt.Sprintf("%5s ", format.Age(sc.Now, e.At)), theme.FG(sc.Theme.Dim))
	}
	if narrow := r.W < eventsWide; x < end && names > 0 && (e.Session != "" || !narrow) {
		s.Text(x, r.Y, end-x, paint.Cut(sc.eventName(e), min(names, end-x)), cells.Style{})
		x += names + 1
	}
	if x >= end {
		return
	}
	room := end - x
	if w := paint.Width(change); w > 0 {
		s.Text(end-w, r.Y, w, change, strong)
		room -= w + 1
	}
	s.Text(x, r.Y, room, paint.Cut(eventText(e, room), room), st)
}

// eventText is an event's type and message for w columns. Where there is no room for
// both, the type is cut before the message is.
func eventText(e api.Event, w int) string {
	kind, message := textsafe.Line(e.Type), textsafe.Line(e.Message)
	if message == "" {
		return kind
	}
	if least := min(paint.Width(message), leastMessage); paint.Width(kind)+1+least > w {
		kind = paint.Cut(kind, min(leastKind, w/2))
	}
	return kind + " " + message
}
