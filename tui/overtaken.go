package tui

import (
	"maps"
)

// dropStaleMarks takes marks of sessions that have gone out of the list.
func (m *model) dropStaleMarks() {
	if l, ok := m.overlay.(sessionList); ok && len(l.marked) > 0 {
		l.marked = maps.Clone(l.marked)
		maps.DeleteFunc(l.marked, func(id string, _ bool) bool { return m.session(id) == nil })
		m.overlay = l
	}
}
