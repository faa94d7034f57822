package tui

import (
	"maps"

	"ccdir/internal/text/textsafe"
)

// overtaken ends the question of a dialog whose session has gone or ended meanwhile,
// so that there is nothing to do any more. The dialog stays for the key that is on its
// way to it, which must not reach a pane. Marks of sessions that have gone go too.
func (m *model) overtaken() {
	if l, ok := m.overlay.(sessionList); ok && len(l.marked) > 0 {
		l.marked = maps.Clone(l.marked)
		maps.DeleteFunc(l.marked, func(id string, _ bool) bool { return m.session(id) == nil })
		m.overlay = l
	}
	d, ok := m.overlay.(confirm)
	if !ok || d.of == "" || d.over {
		return
	}
	name := textsafe.Line(m.names()[d.of])
	switch v := m.session(d.of); {
	case v == nil:
		d.question = name + " was removed meanwhile."
	case v.State.Ended() && !d.ended:
		d.question = name + " has ended meanwhile."
	default:
		return
	}
	d.detail, d.over = "", true
	m.overlay = d
}
