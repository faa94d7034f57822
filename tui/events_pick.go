package tui

import (
	"cmp"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"ccdir/internal/text/textsafe"
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
	only := func(id string) func(*model) cmd {
		return func(m *model) cmd {
			m.eventView.session, m.eventView.sel = id, 0
			m.focusEvents()
			return nil
		}
	}
	d := chooser{title: "events of", fixed: []pick{{text: "all sessions", keys: fmt.Sprint(len(m.Events)), run: only("")}}}
	for _, p := range sessionChoices(m.listSource()) {
		p.keys, p.run = fmt.Sprint(count[p.id]), only(p.id)
		delete(count, p.id)
		d.fixed = append(d.fixed, p)
	}
	for _, e := range m.Events {
		if n := count[e.Session]; e.Session != "" && n > 0 {
			name := cmp.Or(m.former[e.Session], e.Session)
			d.fixed = append(d.fixed, pick{id: e.Session, text: textsafe.Line(name) + " (gone)", keys: fmt.Sprint(n), run: only(e.Session)})
			delete(count, e.Session)
		}
	}
	m.overlay = d
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
		d := m.columnList()
		c := d.content(m.nowScene())
		m.mode, m.overlay = modePane, d.with(d.view.Settled(c).Choose(c, by))
	}
	return nil
}
