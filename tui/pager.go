package tui

import (
	"fmt"

	"charm.land/bubbles/v2/viewport"
	tea "charm.land/bubbletea/v2"

	"ccdir/internal/keymap"
	"ccdir/tui/paint"
	"ccdir/tui/sgr"
)

// pager shows lines of text with styles that need more room than there is. It is
// a value: what it returns shares the lines and nothing that changes.
type pager struct {
	view viewport.Model
	// marks are words that are shown inverse, in small letters.
	marks []string
}

// fill gives it other lines and the room for them; the place stays.
func (p pager) fill(lines []string, w, h int) pager {
	if p.view.KeyMap.Up.Keys() == nil {
		p.view = viewport.New()
	}
	p = p.room(w, h)
	p.view.SetContentLines(lines)
	return p
}

// room gives it another size.
func (p pager) room(w, h int) pager {
	p.view.SetWidth(max(w, 1))
	p.view.SetHeight(max(h, 1))
	p.view.SetYOffset(p.view.YOffset())
	return p
}

// moved goes through the lines; ok is false for actions that don't.
func (p pager) moved(a keymap.Action) (_ pager, ok bool) {
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

// wheel scrolls by a turn of the wheel.
func (p pager) wheel(b tea.MouseButton) pager {
	switch b {
	case tea.MouseWheelUp:
		p.view.ScrollUp(wheelLines)
	case tea.MouseWheelDown:
		p.view.ScrollDown(wheelLines)
	case tea.MouseWheelLeft:
		p.view.ScrollLeft(wideStep)
	case tea.MouseWheelRight:
		p.view.ScrollRight(wideStep)
	}
	return p
}

// to shows a line, with some before it.
func (p pager) to(line int) pager {
	p.view.SetYOffset(line - p.view.Height()/3)
	return p
}

// draw shows the part in view.
func (p pager) draw(s *paint.Surface, r paint.Rect) {
	p = p.room(r.W, r.H)
	sgr.Block(s, r, p.view.View())
	if len(p.marks) > 0 {
		for y := range r.H {
			markWords(s, r.X, r.Y+y, r.W, p.marks)
		}
	}
}

// scrolls reports whether not everything is in view.
func (p pager) scrolls() bool { return p.view.TotalLineCount() > p.view.Height() }

// position says which lines are in view, "" if all are.
func (p pager) position() string {
	if !p.scrolls() {
		return ""
	}
	first := p.view.YOffset() + 1
	return fmt.Sprintf("%d–%d of %d", first, min(first+p.view.Height()-1, p.view.TotalLineCount()), p.view.TotalLineCount())
}
