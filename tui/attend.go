package tui

import (
	"slices"
	"strings"

	"ccdir/internal/cells"
	"ccdir/tui/attention"
	"ccdir/tui/attention/notify"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
)

// remind lets attention tell what is due.
func (m *model) remind(env ui.Env, tiles []ui.Tile) {
	m.carryOut(ui.Nobody, m.attention.Remind(env, m.means(), func(id string) bool {
		i := slices.IndexFunc(tiles, func(t ui.Tile) bool { return t.ID() == id })
		return i >= 0 && !m.covered(tiles[i])
	}))
}

// means are the ways to the person from this terminal.
func (m *model) means() attention.Means {
	via := notify.ViaNothing
	switch {
	case m.caps.Clipboard == paint.ClipboardTmux:
		via = notify.ViaTmux
	case m.caps.Clipboard == paint.ClipboardScreen:
		via = notify.ViaScreen
	case !m.caps.Extended:
		via = notify.ViaConsole
	}
	return attention.Means{Notify: m.opts.Notify, Via: via, Env: m.opts.Env}
}

// titleSign is how many columns of a pane's title have its number and its state.
const titleSign = 8

// covered reports whether a dialog lies over the sign of a pane's state.
func (m *model) covered(t ui.Tile) bool {
	if m.overlay == nil {
		return false
	}
	sign := paint.Rect{X: t.Rect.X, Y: t.Rect.Y, W: min(t.Rect.W, titleSign), H: 1}
	s := paint.NewSurface(m.cols, m.rows, m.caps)
	s.Text(sign.X, sign.Y, sign.W, strings.Repeat("¤", sign.W), cells.Style{}) // no dialog has these
	before := slices.Clone(s.Row(sign.Y)[sign.X : sign.X+sign.W])
	m.overlay.Draw(m.env(), s)
	after := s.Row(sign.Y)[sign.X : sign.X+sign.W]
	for i := range before {
		if before[i] == after[i] {
			return false
		}
	}
	return len(before) > 0
}

// retitle keeps the title of the terminal's window.
func (m *model) retitle(env ui.Env) {
	want := ""
	if m.opts.Title {
		want = attention.Title(env)
	}
	if want != m.title && m.setTitle != nil && !m.unseen {
		m.title = want
		m.setTitle(want)
	}
}
