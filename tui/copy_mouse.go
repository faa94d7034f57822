package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/tui/copymode"
	"ccdir/tui/widget/modal"
	"ccdir/wire"
)

// Clicks within clickTime on the same cell count together.
const clickTime = 400 * time.Millisecond

// selecting is a selection that may begin: the left button is down in a pane
// whose program does not have the mouse.
type selecting struct {
	tile   tileView
	x, y   int
	clicks int
	at     time.Time
	down   bool
	// held is where the pointer is held above or below the pane, which scrolls on at next;
	// zero if it is not.
	held tea.Mouse
	next time.Time
}

// scrollEvery is how often a pointer that is held above or below the pane scrolls.
const scrollEvery = 50 * time.Millisecond

// pressText notes a press of the left button on a pane's text. A second and a
// third one select a word and a line at once.
func (m *model) pressText(t tileView, e tea.Mouse) cmd {
	if !t.inner().Contains(e.X, e.Y) {
		return nil
	}
	now := m.now()
	s := &m.selecting
	again := s.tile.session.ID == t.session.ID && s.x == e.X && s.y == e.Y && now.Sub(s.at) < clickTime
	clicks := 1
	if again {
		clicks = s.clicks%3 + 1
	}
	*s = selecting{tile: t, x: e.X, y: e.Y, clicks: clicks, at: now, down: true}
	if c := m.copies[t.session.ID]; c != nil && clicks == 1 {
		c.st.Kind = copymode.None
		c.st.Jump(lineAt(c, t, e.X, e.Y))
	}
	if clicks > 1 {
		return m.dragText(e)
	}
	return nil
}

// lineAt is the line and column below a cell of the screen, within the pane.
func lineAt(c *copyView, t tileView, x, y int) copymode.Pos {
	in := t.inner()
	x, y = min(max(x-in.X, 0), in.W-1), min(max(y-in.Y, 0), in.H-1)
	return copymode.Pos{Line: c.st.Top + y, Col: c.st.Left + x}
}

// dragText selects from where the button went down to the pointer, never beyond
// the pane; a pointer above or below it scrolls.
func (m *model) dragText(e tea.Mouse) cmd {
	s := &m.selecting
	s.next = time.Time{}
	t, shown := m.tileOf(s.tile.session.ID)
	if !shown {
		return nil // until the button is let go
	}
	if t.rect != s.tile.rect { // it has moved: what was below the press is not known any more
		s.tile, s.x, s.y = t, e.X, e.Y
	}
	c := m.copies[t.session.ID]
	if c == nil {
		if c = m.enterCopy(t, true); c == nil {
			s.down = false
			return nil
		}
	}
	if !c.dragging {
		c.dragging = true
		c.st.Kind = copymode.None
		c.st.Jump(lineAt(c, t, s.x, s.y))
		c.st.Select([]copymode.Kind{copymode.Char, copymode.Words, copymode.Lines}[s.clicks-1])
		if e.Mod&tea.ModAlt != 0 || e.Mod&tea.ModCtrl != 0 {
			c.st.Kind = copymode.Block
		}
	}
	m.dragPast(c, t, e)
	c.st.Jump(lineAt(c, t, e.X, e.Y))
	return m.loadCopy(c)
}

// dragPast scrolls towards a pointer above or below the pane, and goes on as long as there
// is something to come.
func (m *model) dragPast(c *copyView, t tileView, e tea.Mouse) {
	in, top, n := t.inner(), c.st.Top, 0
	switch {
	case e.Y < in.Y:
		n = e.Y - in.Y
	case e.Y >= in.Y+in.H:
		n = e.Y - in.Y - in.H + 1
	}
	c.st.Scroll(n)
	if c.st.Top != top || n < 0 && !c.complete {
		m.selecting.held, m.selecting.next = e, m.now().Add(scrollEvery)
	}
}

// dragOn scrolls on below a pointer that is held.
func (m *model) dragOn() cmd {
	s := &m.selecting
	if !s.down || s.next.IsZero() || m.now().Before(s.next) {
		return nil
	}
	return m.dragText(s.held)
}

// releaseText copies what was selected.
func (m *model) releaseText() cmd {
	s := &m.selecting
	s.down, s.next = false, time.Time{}
	c := m.copies[s.tile.session.ID]
	if c == nil || !c.dragging {
		if c != nil {
			m.endPeek(c)
		}
		return nil
	}
	c.dragging = false
	return m.yank(c, false)
}

// selectText handles motion and release while the button is down.
func (m *model) selectText(msg tea.MouseMsg) cmd {
	switch msg.(type) {
	case tea.MouseMotionMsg:
		if e := msg.Mouse(); e.X != m.selecting.x || e.Y != m.selecting.y || m.copies[m.selecting.tile.session.ID] != nil {
			return m.dragText(e)
		}
		return nil
	case tea.MouseReleaseMsg:
		return m.releaseText()
	}
	m.selecting.down, m.selecting.next = false, time.Time{}
	return m.mouse(msg)
}

// wheelText scrolls through a pane's history.
func (m *model) wheelText(t tileView, e tea.Mouse) cmd {
	n := modal.WheelLines
	switch e.Button {
	case tea.MouseWheelUp:
		n = -n
	case tea.MouseWheelDown:
	default:
		return nil
	}
	c := m.copies[t.session.ID]
	if c == nil {
		if n > 0 || t.pane == nil || !t.pane.HasPicture() {
			return nil
		}
		if c = m.enterCopy(t, true); c == nil {
			return nil
		}
		c.toScroll = n
		return m.loadCopy(c)
	}
	if !c.known || c.toScroll != 0 {
		c.toScroll += n // there is nothing above the screen yet to scroll to
		return nil
	}
	c.st.Scroll(n)
	m.endPeek(c)
	return m.loadCopy(c)
}

// own reports whether mouse events on a pane are the grid's own: its program
// takes none, the pane shows history, or Shift is down.
func (m *model) own(t tileView, e tea.Mouse) bool {
	return !m.wantsMouse(t) || m.copies[t.session.ID] != nil || e.Mod&tea.ModShift != 0 || m.opts.ReadOnly || t.session.State.Ended()
}

// alternate reports whether the wheel is arrow keys for the pane's program.
func alternate(t tileView) bool {
	const scroll = wire.FlagAlt | wire.FlagAltScroll
	return t.state.Flags&scroll == scroll
}
