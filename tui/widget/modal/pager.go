package modal

import (
	"fmt"

	"charm.land/bubbles/v2/viewport"
	tea "charm.land/bubbletea/v2"

	"ccdir/internal/keymap"
	"ccdir/tui/paint"
	"ccdir/tui/widget/sgr"
)

// Pager shows lines of text with styles that need more room than there is. It is
// a value: what it returns shares the lines and nothing that changes.
type Pager struct {
	view viewport.Model
	// Marks are words that are shown inverse, in small letters.
	Marks []string
}

// Fill gives it other lines and the room for them; the place stays.
func (p Pager) Fill(lines []string, w, h int) Pager {
	if p.view.KeyMap.Up.Keys() == nil {
		p.view = viewport.New()
	}
	p = p.Room(w, h)
	p.view.SetContentLines(lines)
	return p
}

// Room gives it another size.
func (p Pager) Room(w, h int) Pager {
	p.view.SetWidth(max(w, 1))
	p.view.SetHeight(max(h, 1))
	p.view.SetYOffset(p.view.YOffset())
	return p
}

// Moved goes through the lines; ok is false for actions that don't.
func (p Pager) Moved(a keymap.Action) (_ Pager, ok bool) {
	switch a {
	case keymap.ViewUp:
		p.view.ScrollUp(1)
	case keymap.ViewDown:
		p.view.ScrollDown(1)
	case keymap.ViewPageUp:
		p.view.PageUp()
	case keymap.ViewPageDown:
		p.view.PageDown()
	case keymap.ViewFirst:
		p.view.GotoTop()
	case keymap.ViewLast:
		p.view.GotoBottom()
	case keymap.ViewLeft:
		p.view.ScrollLeft(wideStep)
	case keymap.ViewRight:
		p.view.ScrollRight(wideStep)
	default:
		return p, false
	}
	return p, true
}

// wideStep is how far lines that are too wide move to the side.
const wideStep = 8

// Wheel scrolls by a turn of the wheel.
func (p Pager) Wheel(b tea.MouseButton) Pager {
	switch b {
	case tea.MouseWheelUp:
		p.view.ScrollUp(WheelLines)
	case tea.MouseWheelDown:
		p.view.ScrollDown(WheelLines)
	case tea.MouseWheelLeft:
		p.view.ScrollLeft(wideStep)
	case tea.MouseWheelRight:
		p.view.ScrollRight(wideStep)
	}
	return p
}

// To shows a line, with some before it.
func (p Pager) To(line int) Pager {
	p.view.SetYOffset(line - p.view.Height()/3)
	return p
}

// Draw shows the part in view.
func (p Pager) Draw(s *paint.Surface, r paint.Rect) {
	p = p.Room(r.W, r.H)
	sgr.Block(s, r, p.view.View())
	if len(p.Marks) > 0 {
		for y := range r.H {
			Mark(s, r.X, r.Y+y, r.W, p.Marks)
		}
	}
}

// Top is the number of the first line in view.
func (p Pager) Top() int { return p.view.YOffset() }

// scrolls reports whether not everything is in view.
func (p Pager) scrolls() bool { return p.view.TotalLineCount() > p.view.Height() }

// Position says which lines are in view, "" if all are.
func (p Pager) Position() string {
	if !p.scrolls() {
		return ""
	}
	first := p.Top() + 1
	return fmt.Sprintf("%d–%d of %d", first, min(first+p.view.Height()-1, p.view.TotalLineCount()), p.view.TotalLineCount())
}

// WheelLines is how far a turn of the wheel scrolls.
const WheelLines = 3

// WheelSteps is how far a turn of the wheel goes: 1 down, -1 up.
func WheelSteps(b tea.MouseButton) int {
	return map[tea.MouseButton]int{tea.MouseWheelUp: -1, tea.MouseWheelDown: 1}[b]
}
