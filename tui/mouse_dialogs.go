package tui

import (
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/terminal/input"
	"ccdir/tui/widget/edit"
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

// mouse: a click on a field goes there, one on an agent or a directory chooses it.
// One beside the dialog closes it as long as nothing would be lost.
func (d newSession) mouse(m *model, msg tea.MouseMsg) cmd {
	if c, wheel := m.wheelKey(msg); wheel {
		return c
	}
	e, ok := modal.Clicked(msg)
	if !ok || d.busy {
		return nil
	}
	box, notes := d.place(m.cols, m.rows)
	in := paint.Rect{X: box.X + 2, Y: box.Y + 1, W: box.W - 4, H: box.H - 2}
	row := e.Y - in.Y
	switch {
	case !box.Contains(e.X, e.Y):
		if d.fields[newPrompt].Empty() && d.fields[newName].Empty() {
			m.overlay = nil
		}
		return nil
	case row == in.H-1:
		return m.pressAt(d, newFoot, e.X-in.X)
	case row >= 0 && row < newFields:
		if d.at = row; row == newAgent {
			d.agent = d.agentAt(e.X-in.X-newLabel, d.agent)
		}
	default:
		if i := d.dirAt(notes, row-newFields); i >= 0 {
			d.dirPick, d.fields[newDir] = i, edit.NewLine(d.dirs[i].Path)
		}
	}
	m.overlay = d
	return nil
}

// agentAt is the agent at column x of their row, else old.
func (d newSession) agentAt(x, old int) int {
	at := 0
	for i, a := range d.agents {
		w := paint.Width(textsafe.Line(a.Name))
		if a.Path == "" {
			w++
		}
		if i == d.agent {
			w += 2
		}
		if x >= at && x < at+w {
			return i
		}
		at += w + 1
	}
	return old
}

// dirAt is the directory that a line of the notes names, -1 for others.
func (d newSession) dirAt(notes []string, line int) int {
	if d.at != newDir || line < 0 || line >= len(notes) {
		return -1
	}
	i := -1
	for _, n := range notes[:line+1] {
		if strings.HasPrefix(n, "  ") || strings.HasPrefix(n, "▸ ") {
			i++
		} else {
			i = -1
		}
	}
	return i
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
