package tui

import (
	"time"

	"ccdir/internal/textsafe"
)

// Widths of columns that several lists have.
const (
	clockWidth = 8
	nameWidth  = 12
)

// clock is a moment in clockWidth columns: the time of the day, the date if that
// is another.
func clock(now, at time.Time) string {
	now, at = now.Local(), at.Local()
	switch {
	case at.IsZero():
		return ""
	case now.YearDay() == at.YearDay() && now.Year() == at.Year():
		return at.Format("15:04:05")
	case now.Sub(at) < 180*24*time.Hour:
		return at.Format("Jan _2")
	}
	return at.Format("Jan 2006")
}

// sessionName is a session's name, for lists; calls without a session come from
// guests.
func sessionName(sc *scene, id string) string {
	if id == "" {
		return "(guest)"
	}
	if name := sc.names[id]; name != "" {
		return textsafe.Line(name)
	}
	return textsafe.Line(id)
}

// openSession closes the dialog and goes to a session's pane, or says that there
// is none.
func (m *model) openSession(id string) {
	if id == "" || m.session(id) == nil {
		m.warn("there is no pane of it any more: " + m.keys.Hint("history") + " has what it showed")
		return
	}
	m.overlay = nil
	m.setFocus(id)
}
