package tui

import (
	"slices"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/internal/keymap"
	"ccdir/tui/grid/tiling"
	"ccdir/tui/lists/sessionlist"
	"ccdir/tui/lists/sessions"
)

// listState is what the model knows for the session list beside the sessions.
type listState struct {
	projects map[string]string // replaced, never changed in place
}

// openList gives the list the keyboard.
func (m *model) openList(filter string) cmd {
	m.mode, m.zoom = modePane, m.zoom && m.cols < tiling.SidebarFrom
	return tea.Batch(m.openOver(nil, sessions.New(m.env(), filter)), m.findProjects())
}

// listSource is what the list shows now.
func (m *model) listSource() sessionlist.Source {
	src := sessionlist.Source{
		Sessions: m.gridded(), Requests: m.Requests, Hidden: m.arr.hidden, Projects: m.list.projects, Opt: m.arr.list, Now: m.now(),
	}
	if out := m.outside(); len(out) > 0 {
		src.Sessions = slices.Concat(src.Sessions, out)
	}
	return src
}

// toggleColumn keeps the list open beside the panes, or not.
func (m *model) toggleColumn() cmd {
	m.arr.list.Hidden = !m.arr.list.Hidden
	m.rearranged()
	if !m.arr.list.Hidden && m.cols < tiling.SidebarFrom {
		m.say("the terminal is too narrow for the list beside the panes: it needs " + strconv.Itoa(tiling.SidebarFrom) + " columns; " + m.keys.Hint(keymap.List) + " lists the sessions")
	}
	return m.findProjects()
}

// arrangeList changes how sessions are listed.
func (m *model) arrangeList(a keymap.Action) cmd {
	switch a {
	case keymap.ListSort:
		m.arr.list.Sort = map[string]string{sessionlist.ByNeed: sessionlist.ByName, sessionlist.ByName: sessionlist.ByGrid}[m.arr.list.Sort]
		m.rearranged()
	case keymap.ListGroup:
		m.arr.list.Group = !m.arr.list.Group
		m.rearranged()
	case keymap.ListToColumn:
		return m.toggleColumn()
	case keymap.ListWider:
		m.widenColumn(stepCols)
	case keymap.ListNarrower:
		m.widenColumn(-stepCols)
	}
	return nil
}

// writeTo opens the prompt bar for sessions, nil for the one in focus.
func (m *model) writeTo(ids []string) cmd {
	m.prompt.target = target{}
	if len(ids) > 0 {
		m.prompt.target = target{kind: targetChosen, ids: ids}
	}
	return m.openPrompt()
}

// clickList goes to the session that was clicked in the column.
func (m *model) clickList(e tea.Mouse) {
	if id := sessions.At(m.env(), e.X, e.Y); id != "" {
		m.setFocus(id)
	}
}

// listTimes are the times whose ages the column shows.
func (m *model) listTimes() (out []time.Time) {
	if m.layout.List.Empty() {
		return nil
	}
	for _, v := range m.Sessions {
		if !v.Since.IsZero() {
			out = append(out, v.Since)
		}
	}
	return out
}
