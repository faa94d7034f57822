package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/tui/grid/tiling"
	"ccdir/tui/paint"
	"ccdir/tui/terminal/input"
	"ccdir/tui/widget/theme"
)

// borders is the mode in which arrow keys move the focused pane's borders. It
// covers nothing: its keys stand in the prompt bar's line.
type borders struct{}

func (m *model) openBorders() {
	if m.layout.Plan == nil {
		m.say("one pane is shown alone: there is no border to move")
		return
	}
	m.overlay = borders{}
}

func (borders) draw(s *paint.Surface, sc *scene) paint.Cursor {
	r := sc.layout.Prompt
	if r.Empty() {
		return paint.Cursor{}
	}
	s.Fill(r, theme.FG(0))
	hint := "arrows move the pane's borders"
	for _, k := range []struct {
		a    keymap.Action
		text string
	}{{keymap.BorderNext, "next pane"}, {keymap.BorderEqual, "equal"}, {keymap.BorderDone, "done"}} {
		if keys := sc.Keys.Of(k.a).Keys; len(keys) > 0 {
			hint += "   " + keys[0] + " " + k.text
		}
	}
	s.Text(r.X, r.Y, r.W, paint.Cut(hint, r.W), theme.Bold(sc.Theme.Accent))
	return paint.Cursor{}
}

func (borders) key(m *model, k input.Key) cmd {
	b, ok := m.keys.LookupIn(keymap.ModeBorders, k.Name)
	if !ok {
		if k.Name == "C-c" {
			m.overlay = nil
		}
		return nil
	}
	if d, ok := borderActions[b.Action]; ok {
		m.moveBorder(d)
		m.arr.repeat = time.Time{}
		return nil
	}
	switch b.Action {
	case keymap.BorderNext:
		m.focusStep(1)
	case keymap.BorderEqual:
		m.equalize()
	case keymap.BorderDone:
		m.overlay = nil
	}
	return nil
}

func (borders) paste(*model, string) {}

// borderDrag is a border that the mouse moves: one between panes, that of the column at
// the left, or the one between the two parts of the column (share).
type borderDrag struct {
	border        tiling.Border
	column, share bool
	// off is how far behind the border's position the pointer is.
	off int
}

// frameClick is the last click on a frame: a second one soon zooms.
type frameClick struct {
	session string
	at      time.Time
}

// doubleClick is the longest time between the clicks of a double click.
const doubleClick = 400 * time.Millisecond

// grab begins to move the border below the pointer, and reports whether there
// is one. Two clicks on the frame of one pane zoom it.
func (m *model) grab(e tea.Mouse) bool {
	if e.Button != tea.MouseLeft || e.Mod != 0 {
		return false
	}
	if r := m.layout.Column(); !r.Empty() && e.Y < r.H && (e.X == r.W-1 || e.X == r.W) {
		m.arr.drag = &borderDrag{column: true, off: e.X - r.W}
		return true
	}
	if r := m.layout.Sidebar; r.Y > 0 && e.X < r.W && (e.Y == r.Y-1 || e.Y == r.Y) {
		m.arr.drag = &borderDrag{share: true, off: e.Y - r.Y}
		return true
	}
	if t, ok := m.tileAt(e.X, e.Y); ok && !t.inner().Contains(e.X, e.Y) {
		now := m.now()
		if c := m.arr.clicked; c.session == t.session.ID && now.Sub(c.at) < doubleClick {
			m.arr.clicked = frameClick{}
			m.focus, m.mode = t.session.ID, modePane
			m.toggleZoom()
			return true
		}
		m.arr.clicked = frameClick{t.session.ID, now}
		if m.pickUpPane(t, e) {
			return true
		}
	}
	if m.layout.Plan == nil {
		return false
	}
	b, ok := m.layout.Plan.BorderAt(e.X, e.Y)
	if !ok {
		return false
	}
	at := e.Y
	if b.Upright {
		at = e.X
	}
	m.arr.drag = &borderDrag{border: b, off: at - b.At}
	return true
}

// dragBorder moves the border that was grabbed; hosts are told of the sizes
// when it is let go.
func (m *model) dragBorder(msg tea.MouseMsg) {
	d, e := m.arr.drag, msg.Mouse()
	switch msg.(type) {
	case tea.MouseMotionMsg:
		m.arr.clicked = frameClick{}
		m.layout = m.arrange(len(m.shown()))
		switch {
		case d.column:
			m.setColumnWidth(e.X - d.off)
		case d.share:
			m.setShare(e.Y - d.off)
		case m.layout.Plan == nil:
			m.arr.drag = nil // the panes went away meanwhile
		case d.border.Upright:
			m.putBorder(d.border, e.X-d.off)
		default:
			m.putBorder(d.border, e.Y-d.off)
		}
	default:
		m.arr.drag = nil
	}
}

// setColumnWidth gives the column of sessions and events so many columns.
func (m *model) setColumnWidth(w int) {
	if m.cols == 0 {
		return
	}
	least, most := tiling.SidebarLeast, m.cols/2
	if !m.arr.list.Hidden {
		least, most = tiling.ListLeast, m.cols*2/5
	}
	w = min(max(w, least), most)
	part := (w*api.GridWhole + m.cols/2) / m.cols
	if !m.arr.list.Hidden {
		m.arr.list.Width = part
	}
	if !m.noSidebar {
		m.arr.sidebar = &api.GridSidebar{Width: part}
	}
	m.rearranged()
}

// widenColumn gives the column some columns more or less.
func (m *model) widenColumn(by int) {
	m.layout = m.arrange(len(m.shown())) // several keys may come at once
	r := m.layout.Column()
	if r.Empty() {
		m.say("there is no column: " + m.keys.Hint(keymap.ListToColumn) + " shows the sessions beside the panes where there is room")
		return
	}
	m.setColumnWidth(r.W + by)
	m.arr.hold = m.now().Add(holdFor)
}

// setShare puts the border between sessions and events at a row.
func (m *model) setShare(row int) {
	h := m.layout.Column().H
	if h == 0 || m.layout.Sidebar.Y == 0 {
		return
	}
	row = min(max(row, tiling.PartLeast), h-tiling.PartLeast)
	m.arr.list.Share = (row*api.GridWhole + h/2) / h
	m.rearranged()
}

// toggleSidebar shows or hides the events.
func (m *model) toggleSidebar() {
	m.noSidebar = !m.noSidebar
	next := api.GridSidebar{Hidden: m.noSidebar}
	if old := m.arr.sidebar; old != nil {
		next.Width = old.Width
	}
	m.arr.sidebar = &next
	m.rearranged()
}

// sidebarWidth is the width of the events in columns, 0 if they are hidden.
func (m *model) sidebarWidth() int {
	switch own := m.arr.sidebar; {
	case m.noSidebar:
		return 0
	case own != nil && own.Width > 0:
		return (own.Width*m.cols + api.GridWhole/2) / api.GridWhole
	case m.opts.SidebarWidth > 0:
		return m.opts.SidebarWidth
	}
	return tiling.SidebarWidth
}

// toggleZoom shows the focused pane alone, or all again.
func (m *model) toggleZoom() {
	m.zoom = !m.zoom
	if m.arr.zoom = ""; m.zoom {
		m.arr.zoom = m.focus
	}
	m.rearranged()
}
