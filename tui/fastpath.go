package tui

import (
	"ccdir/tui/paint"
	"ccdir/tui/pane"
	"ccdir/tui/terminal/tty"
	"ccdir/wire/directline"
)

// fastPath is what a pane that is opened now may do past its host.
func (m *model) fastPath() pane.FastPath {
	if !m.opts.FastPath {
		return pane.FastPath{}
	}
	return pane.FastPath{Line: true, Display: m.display}
}

// lendable is the terminal if it may be lent to hosts, otherwise nil: it must show every
// letter, and be a file of our own, whose mode suits both.
func lendable(t *tty.Terminal, caps paint.Caps) directline.Terminal {
	own := t.File()
	if own == nil || caps.Glyphs != paint.GlyphsAll {
		return nil
	}
	return own
}
