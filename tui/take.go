package tui

import (
	"ccdir/internal/text/textsafe"
	"ccdir/tui/ui"
)

// take lays the news into the model.
func (m *model) take(n news) {
	before, told, focus := m.Sessions, m.Loaded, m.grid.Focus
	if n.size != nil {
		m.cols, m.rows = n.size[0], n.size[1]
	}
	if n.redraw {
		m.redraws++
	}
	m.Known.Link(n.Link)
	if n.Snapshot != nil {
		server := m.Server
		m.Known.Snapshot(n.Snapshot)
		m.carryOut(ui.Daemon, m.daemon.Snapshot(server, n.Snapshot, m.keys))
		m.grid.Connected(n.Snapshot.Grid != nil)
		m.takeGrid(n.Snapshot.Grid, !m.Loaded)
	}
	m.takeGrid(n.Grid, false)
	m.takeSettings(n.settings)
	if n.Nodes != nil {
		m.Nodes = *n.Nodes
	}
	if n.settled != nil { // it is not followed any more
		m.warn("config: " + textsafe.Line(n.settled.Error()))
	}
	for _, v := range n.Sessions {
		m.Upsert(v)
	}
	for id := range n.Removed {
		shown := m.grid.Shown(&m.World)
		m.Known.Remove(id)
		m.attention.Removed(id)
		if m.grid.Focus == id {
			m.grid.Removed(&m.World, shown)
		}
	}
	m.TakeRequests(n.Snapshot, n.Requests)
	if n.Snapshot == nil && n.Tasks != nil {
		m.carryOut(ui.Nobody, m.attention.Tasks(m.env(), m.opts.Notify, n.Tasks))
	}
	m.TakeTasks(n.News)
	m.TakeLimits(n.Limits)
	m.daemon.Events(n.Events)
	if n.Snapshot == nil {
		m.carryOut(ui.Nobody, m.attention.Limits(m.opts.Notify, n.Events))
	}
	m.TakeEvents(n.Events)
	for _, s := range n.panes {
		m.carryOut(ui.Nobody, m.hosts.Report(&m.World, m.grid.Focus, m.now(), s))
	}
	if n.Snapshot != nil && !m.Loaded {
		m.Loaded = true
		m.carryOut(ui.Grid, m.grid.Begin(m.env(), m.opts.Zoom))
		m.attention.Met(m.grid.Focus)
	}
	if n.Focus != "" && m.Session(n.Focus) != nil {
		m.setFocus(n.Focus)
	}
	m.grid.Close(m.env())
	m.NoteRemoved(before, n.Snapshot)
	if focus != "" && m.Session(focus) == nil {
		m.grid.Lost(m.env(), focus)
	}
	if told {
		m.attention.Changed(m.env(), m.opts.Notify, before)
	}
}
