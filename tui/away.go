package tui

import (
	"strings"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/widget/format"
)

// linksFrom reports whether panes of a node may show hyperlinks.
func (m *model) linksFrom(node string) bool {
	n := m.Node(node)
	return n != nil && n.Links
}

// refuseAway refuses input for a session whose machine does not answer, with a bell: it is not
// kept, because nobody can see what it would do.
func (m *model) refuseAway(v *api.Session) {
	age := format.Seconds(m.now(), v.Away)
	m.warn(strings.TrimSpace(textsafe.Line(v.Node) + " has not answered for " + age + ": nothing is typed there until it does"))
	if m.emit != nil {
		m.emit([]byte("\a"))
	}
}
