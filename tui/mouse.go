package tui

import (
	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/tui/terminal"
	"ccdir/wire"
)

// event handles what the terminal sends beside keys and pastes.
func (m *model) event(ev uv.Event) cmd {
	switch ev := ev.(type) {
	case uv.MouseClickEvent:
		return m.mouse(tea.MouseClickMsg(ev))
	case uv.MouseReleaseEvent:
		return m.mouse(tea.MouseReleaseMsg(ev))
	case uv.MouseWheelEvent:
		return m.mouse(tea.MouseWheelMsg(ev))
	case uv.MouseMotionEvent:
		return m.mouse(tea.MouseMotionMsg(ev))
	case uv.BackgroundColorEvent:
		m.background(ev)
	case uv.FocusEvent:
		m.blurred, m.notices.focusTold = false, true
		m.askBackground()
	case uv.BlurEvent:
		m.blurred, m.notices.focusTold = true, true
	}
	return nil
}

// mouse handles a click, a wheel turn or a motion.
func (m *model) mouse(msg tea.MouseMsg) cmd {
	e := msg.Mouse()
	if m.overlay != nil {
		return m.overlayMouse(msg)
	}
	if m.drag != nil {
		return m.dragged(msg)
	}
	if m.arr.drag != nil {
		m.dragBorder(msg)
		return nil
	}
	if m.arr.draggedPane.id != "" {
		m.dragPane(msg)
		return nil
	}
	if m.selecting.down {
		return m.selectText(msg)
	}
	if m.promptMouse(msg) {
		return nil
	}
	t, inPane := m.tileAt(e.X, e.Y)
	switch msg.(type) {
	case tea.MouseClickMsg:
		if m.grab(e) && !inPane {
			return nil
		}
		if !inPane {
			return m.clickChrome(e)
		}
		m.mode = modePane
		m.focus = t.session.ID
		if m.own(t, e) && e.Button == tea.MouseLeft {
			if t.pane != nil && !m.opts.ReadOnly {
				t.pane.Claim()
			}
			return m.pressText(t, e)
		}
		if t.pane != nil && !m.opts.ReadOnly {
			t.pane.Claim()
			if m.forward(t, e, wire.MousePress) {
				m.drag, m.dragTile = t.pane, t
			}
		}
	case tea.MouseWheelMsg:
		if inPane {
			return m.wheel(t, e)
		}
		return m.wheelChrome(e)
	case tea.MouseMotionMsg:
		if inPane && t.state.Flags&wire.FlagMouseAny != 0 && m.copies[t.session.ID] == nil {
			m.forward(t, e, wire.MouseMotion)
		}
	}
	return nil
}

// dragged gives motion and release to the pane in which the button went down,
// wherever the pointer is by now.
func (m *model) dragged(msg tea.MouseMsg) cmd {
	t, e := m.dragTile, msg.Mouse()
	if now, shown := m.tileOf(t.session.ID); shown { // it may have moved
		t = now
	}
	t.state = m.states[t.session.ID]
	switch msg.(type) {
	case tea.MouseMotionMsg:
		if t.state.Flags&(wire.FlagMouseMotion|wire.FlagMouseAny) != 0 {
			m.forward(t, e, wire.MouseMotion)
		}
	case tea.MouseReleaseMsg:
		m.forward(t, e, wire.MouseRelease)
		m.drag = nil
	case tea.MouseClickMsg:
		// A release was lost, or a second button goes down.
		m.drag = nil
		return m.mouse(msg)
	}
	return nil
}

// wheel gives a wheel turn to the application below the pointer if it wants the
// mouse, or arrow keys for it (alternate scroll, which the host encodes); else
// it scrolls through the pane's history.
func (m *model) wheel(t tileView, e tea.Mouse) cmd {
	if m.own(t, e) && !(alternate(t) && m.copies[t.session.ID] == nil) {
		return m.wheelText(t, e)
	}
	m.send(t, e, wire.MousePress)
	return nil
}

// wantsMouse reports whether the pane's application takes mouse events from
// this client.
func (m *model) wantsMouse(t tileView) bool {
	return t.state.Flags&(wire.FlagMouse|wire.FlagMouseMotion|wire.FlagMouseAny) != 0
}

// forward sends a mouse event to the pane's application if it wants such
// events, and reports whether it does.
func (m *model) forward(t tileView, e tea.Mouse, a wire.MouseAction) bool {
	return m.wantsMouse(t) && m.send(t, e, a)
}

// send sends a mouse event in cells of the session's screen; not for presses
// on the frame.
func (m *model) send(t tileView, e tea.Mouse, a wire.MouseAction) bool {
	in := t.inner()
	if t.pane == nil || m.opts.ReadOnly || t.session.State.Ended() || a == wire.MousePress && !in.Contains(e.X, e.Y) {
		return false
	}
	ox, oy := terminal.Offset(t.pane, in.W, in.H)
	x, y := e.X-in.X+ox, e.Y-in.Y+oy
	t.pane.Send(&wire.Input{Type: wire.InputMouse, Mouse: wire.MouseEvent{
		X: min(max(x, 0), max(t.state.Cols-1, 0)), Y: min(max(y, 0), max(t.state.Rows-1, 0)),
		Button: uint8(e.Button), Action: a,
		Shift: e.Mod&tea.ModShift != 0, Alt: e.Mod&tea.ModAlt != 0, Ctrl: e.Mod&tea.ModCtrl != 0,
	}})
	return true
}

// tileOf is where a session's pane is, if it is in view.
func (m *model) tileOf(id string) (tileView, bool) {
	for _, t := range m.tiles(m.shown()) {
		if t.session.ID == id {
			return t, true
		}
	}
	return tileView{}, false
}

func (m *model) tileAt(x, y int) (tileView, bool) {
	for _, t := range m.tiles(m.shown()) {
		if t.rect.Contains(x, y) {
			return t, true
		}
	}
	return tileView{}, false
}

// clickChrome: the strip and the events choose a session, the prompt bar takes
// the keyboard.
func (m *model) clickChrome(e tea.Mouse) cmd {
	sc := &scene{Env: m.env(), layout: m.layout, panes: m.shown(), outside: m.outside(), view: m.eventView}
	sc.listed, _ = m.eventView.filtered(m.Events, m.names())
	switch l := m.layout; {
	case l.List.Contains(e.X, e.Y):
		m.clickList(e)
	case l.Strip.Contains(e.X, e.Y):
		for _, c := range sc.stripCells() {
			if e.X >= c.x && e.X < c.x+c.w {
				m.focus = sc.panes[c.index].ID
			}
		}
	case l.Sidebar.Inset(1).Contains(e.X, e.Y):
		shown := sc.shownEvents()
		if i := e.Y - l.Sidebar.Y - 1 - sc.outsideRows(); i >= 0 && i < len(shown) {
			m.chooseEvent(shown[i])
		}
	case l.Prompt.Contains(e.X, e.Y) && m.canAnswer() && requestOf(m.Requests, m.focus) != nil && m.mode != modePrompt:
		m.openAnswer(*requestOf(m.Requests, m.focus))
	case l.Prompt.Contains(e.X, e.Y) && m.keys.Of(keymap.Prompt).Disabled(m.facts()) == "":
		return m.openPrompt()
	}
	return nil
}

func (m *model) chooseEvent(e api.Event) {
	if e.Session != "" && m.session(e.Session) != nil {
		m.setFocus(e.Session)
	}
}
