package tui

import (
	"cmp"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"ccdir/internal/text/textsafe"
	"ccdir/tui/lists/chooser"
	"ccdir/tui/lists/sessions"
	"ccdir/tui/ui"
	"ccdir/tui/widget/modal"
)

// pickEventSession offers the sessions whose events can be shown alone: those in
// the grid by need, then those that are gone and have events in the list.
func (m *model) pickEventSession() {
	count := map[string]int{}
	for _, e := range m.Events {
		if e.Seq > m.eventView.after {
			count[e.Session]++
		}
	}
	only := func(id string) []ui.Effect {
		return []ui.Effect{ui.Func(func() {
			m.eventView.session, m.eventView.sel = id, 0
			m.focusEvents()
		})}
	}
	picks := []chooser.Pick{{Text: "all sessions", Keys: fmt.Sprint(len(m.Events)), Effects: only("")}}
	for _, p := range chooser.SessionPicks(m.listSource()) {
		p.Keys, p.Effects = fmt.Sprint(count[p.ID]), only(p.ID)
		delete(count, p.ID)
		picks = append(picks, p)
	}
	for _, e := range m.Events {
		if n := count[e.Session]; e.Session != "" && n > 0 {
			name := cmp.Or(m.former[e.Session], e.Session)
			picks = append(picks, chooser.Pick{ID: e.Session, Text: textsafe.Line(name) + " (gone)", Keys: fmt.Sprint(n), Effects: only(e.Session)})
			delete(count, e.Session)
		}
	}
	m.openOver(nil, chooser.New("events of", "", picks))
}

// wheelChrome scrolls the events and the column of sessions.
func (m *model) wheelChrome(e tea.Mouse) cmd {
	by := map[tea.MouseButton]int{tea.MouseWheelUp: -1, tea.MouseWheelDown: 1}[e.Button]
	switch {
	case by == 0:
	case m.layout.Sidebar.Contains(e.X, e.Y):
		events, _ := m.eventView.filtered(m.Events, m.names())
		m.eventView.choose(events, m.eventView.at(events)+by*modal.WheelLines)
	case m.layout.List.Contains(e.X, e.Y):
		m.mode = modePane
		return m.openOver(nil, sessions.Taken(m.env(), by))
	}
	return nil
}
