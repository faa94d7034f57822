package tui

import (
	"time"

	"ccdir/internal/text/textsafe"
	"ccdir/tui/ui"
	"ccdir/wire"
)

// copyTold is the shortest time between two notices that a program's copy was not taken.
const copyTold = 10 * time.Second

// programCopies puts what the program in the focused pane copies into the clipboard, or says
// why not. Other panes' copies are dropped: nobody there can have asked for one.
func (m *model) programCopies(all map[string]wire.Copy) {
	c, copies := all[m.grid.Focus]
	v := m.focused()
	if !copies || v == nil || m.opts.ReadOnly {
		return
	}
	env := m.env()
	name := env.SessionName(v.ID)
	refusal := ""
	switch {
	case m.opts.NoCopies:
		refusal = name + " copies something: set clipboard = true in the configuration to allow it"
	case v.Node != "" && !m.LinksFrom(v.Node):
		refusal = name + " copies something: set clipboard = true in [nodes." + textsafe.Line(v.Node) + "] to allow it"
	case c.TooLong:
		refusal = name + " copies more than programs may (48 KB): select it in copy mode"
	default:
		m.effect(ui.Nobody, ui.Copy{Text: c.Text, By: name})
		return
	}
	if now := m.now(); now.Sub(m.copyRefused) >= copyTold {
		m.copyRefused = now
		m.warn(refusal)
	}
}
