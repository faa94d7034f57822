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
		return i >= 0 && !m.overlay.covers(env, m.caps, tiles[i])
	}))
}

// means are the ways to the person from this terminal.
func (g *given) means() attention.Means {
	via := notify.ViaNothing
	switch {
	case g.caps.Clipboard == paint.ClipboardTmux:
		via = notify.ViaTmux
	case g.caps.Clipboard == paint.ClipboardScreen:
		via = notify.ViaScreen
	case !g.caps.Extended:
		via = notify.ViaConsole
	}
	return attention.Means{Notify: g.opts.Notify, Via: via, Env: g.opts.Env}
}

// titleSign is how many columns of a pane's title have its number and its state.
const titleSign = 8

// covers reports whether the component lies over the sign of a pane's state.
func (l *layer) covers(env ui.Env, caps paint.Caps, t ui.Tile) bool {
	if l == nil {
		return false
	}
	sign := paint.Rect{X: t.Rect.X, Y: t.Rect.Y, W: min(t.Rect.W, titleSign), H: 1}
	s := paint.NewSurface(env.Cols, env.Rows, caps)
	s.Text(sign.X, sign.Y, sign.W, strings.Repeat("¤", sign.W), cells.Style{}) // no dialog has these
	before := slices.Clone(s.Row(sign.Y)[sign.X : sign.X+sign.W])
	l.Draw(env, s)
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
