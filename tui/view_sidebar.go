package tui

import (
	"ccdir/internal/api"
	"ccdir/internal/grid"
	"ccdir/internal/textsafe"
	"ccdir/tui/paint"
)

// drawSidebar lists the events, newest last: time, session, type, change of
// state.
func (sc *scene) drawSidebar(s *paint.Surface) {
	r := sc.layout.sidebar
	if r.Empty() {
		return
	}
	s.Box(r, paint.Light, fg(sc.theme.dim))
	s.Text(r.X+2, r.Y, r.W-4, " events ", fg(sc.theme.dim))
	in := r.Inset(1)
	for i, e := range sc.shownEvents() {
		sc.drawEvent(s, paint.Rect{X: in.X, Y: in.Y + i, W: in.W, H: 1}, e)
	}
}

// shownEvents are the events that the sidebar has room for, oldest first.
func (sc *scene) shownEvents() []api.Event {
	n := min(max(0, sc.layout.sidebar.H-2), len(sc.events))
	return sc.events[len(sc.events)-n:]
}

// eventNameWidth is the column of session names.
const eventNameWidth = 8

func (sc *scene) drawEvent(s *paint.Surface, r paint.Rect, e api.Event) {
	st := fg(sc.theme.event(e))
	x, end := r.X, r.X+r.W
	x += s.Text(x, r.Y, end-x, e.At.Local().Format("15:04:05")+" ", fg(sc.theme.dim))
	if e.Session != "" {
		name, known := sc.names[e.Session]
		if !known {
			name = e.Session
		}
		s.Text(x, r.Y, end-x, paint.Cut(textsafe.Line(name), eventNameWidth), grid.Style{})
	}
	x += eventNameWidth + 1
	if x >= end {
		return
	}
	change := ""
	if e.StateTo != "" && e.StateTo != e.StateFrom {
		change = e.StateTo.Indicator()
	}
	room := end - x
	if change != "" {
		room -= paint.Width(change) + 1
	}
	text := textsafe.Line(e.Type)
	if e.Message != "" && paint.Width(text)+4 < room {
		text += " " + textsafe.Line(e.Message)
	}
	s.Text(x, r.Y, room, paint.Cut(text, room), st)
	if change != "" {
		w := paint.Width(change)
		st.Attrs |= grid.Bold
		s.Text(end-w, r.Y, w, change, st)
	}
}
