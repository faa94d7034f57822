package tui

import (
	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
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
	case uv.FocusEvent:
		m.attention.InFront(true)
		m.askBackground()
	case uv.BlurEvent:
		m.attention.InFront(false)
	}
	return nil
}
