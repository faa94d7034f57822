package tui

import (
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/tui/terminal/input"
	"ccdir/tui/widget/modal"
)

// mouseOverlay is a dialog with clicks and wheel of its own.
type mouseOverlay interface {
	mouse(m *model, msg tea.MouseMsg) cmd
}

// overlayMouse gives the mouse to a dialog: the wheel scrolls, a click chooses,
// one beside it closes it.
func (m *model) overlayMouse(msg tea.MouseMsg) cmd {
	switch d := m.overlay.(type) {
	case mouseOverlay:
		return d.mouse(m, msg)
	case listDialog:
		return listMouse(m, d, msg)
	}
	return nil
}

// wheelKey presses a dialog's arrow keys for a turn of the wheel.
func (m *model) wheelKey(msg tea.MouseMsg) (c cmd, wheel bool) {
	if _, wheel = msg.(tea.MouseWheelMsg); !wheel {
		return nil, false
	}
	if name := map[int]string{-1: "Up", 1: "Down"}[modal.WheelSteps(msg.Mouse().Button)]; name != "" {
		c = m.overlay.key(m, input.Key{Name: name, At: m.clickedAt()})
	}
	return c, true
}

// clickedAt is when the event of the mouse that is handled came. One that came before
// a popup was on the screen answers nothing in it, as a key does not.
func (m *model) clickedAt() time.Time {
	if m.pointed.IsZero() {
		return m.now()
	}
	return m.pointed
}

// pressAt presses the key that a dialog's last line names below the pointer.
func (m *model) pressAt(o overlay, text string, x int) cmd {
	if name := modal.FootKeyAt(text, x); name != "" {
		return o.key(m, input.Key{Name: name, At: m.clickedAt()})
	}
	return nil
}

// mouse: a click ends the moving of borders; they can be dragged then.
func (borders) mouse(m *model, msg tea.MouseMsg) cmd {
	if _, ok := modal.Clicked(msg); ok {
		m.overlay = nil
		return m.mouse(msg)
	}
	return nil
}

// mouse: a click on an answer is that answer; one on a choice marks it, and takes
// it if it is marked. One beside the bar answers nothing.
func (d answerBar) mouse(m *model, msg tea.MouseMsg) cmd {
	if c, wheel := m.wheelKey(msg); wheel {
		return c
	}
	e, ok := modal.Clicked(msg)
	if !ok || !m.seen(d.popup, m.clickedAt()) {
		return nil
	}
	p := d.plan(m.nowScene())
	i := e.Y - (p.in.Y + p.in.H - len(p.foot))
	switch {
	case !p.box.Contains(e.X, e.Y):
		if !d.writes() && d.step != answerSending {
			m.overlay = nil
		}
	case i < 0 || i >= len(p.foot):
	case p.foot[i].pick > 0 && p.foot[i].mark && !d.req.Multiple:
		return d.key(m, input.Key{Name: "Enter", At: m.clickedAt()})
	case p.foot[i].pick > 0:
		return d.key(m, input.Key{Name: strconv.Itoa(p.foot[i].pick), At: m.clickedAt()})
	case p.foot[i].keys:
		return m.pressAt(d, p.foot[i].text, e.X-p.in.X)
	}
	return nil
}
