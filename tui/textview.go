package tui

import (
	tea "charm.land/bubbletea/v2"

	"ccdir/internal/keymap"
	"ccdir/tui/paint"
	"ccdir/tui/terminal/input"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/sgr"
	"ccdir/tui/widget/theme"
)

// textDialog is a dialog of text that scrolls. The functions below do what all of
// them have in common.
type textDialog interface {
	overlay
	// text is its title and its lines in w columns.
	text(sc *scene, w int) (title string, lines []string)
	// pages is where in the text it is, paged puts another place into the dialog.
	pages() modal.Pager
	paged(modal.Pager) overlay
	// own is the action that opened it: its key closes it too.
	own() keymap.Action
}

// textSize is the width of such a dialog's inside.
const textSize = 96

// textPlan lays a dialog out: its box is as high as its text.
func textPlan(d textDialog, sc *scene) (box paint.Rect, title string, p modal.Pager) {
	w := max(1, min(textSize, sc.Cols-4))
	title, lines := d.text(sc, w)
	box = modal.Middle(sc.Cols, sc.Rows, textSize, min(len(lines)+1, max(1, sc.Rows-2)))
	return box, title, d.pages().Fill(lines, box.W-4, box.H-3)
}

// drawText draws such a dialog.
func drawText(d textDialog, s *paint.Surface, sc *scene) paint.Cursor {
	box, title, p := textPlan(d, sc)
	modal.Box(s, box, title, sc.Theme.Accent)
	in := paint.Rect{X: box.X + 2, Y: box.Y + 1, W: max(0, box.W-4), H: max(0, box.H-2)}
	p.Draw(s, paint.Rect{X: in.X, Y: in.Y, W: in.W, H: max(0, in.H-1)})
	keys, w := []keymap.Named{keymap.ViewClose.As("close")}, in.W
	if where := p.Position(); where != "" {
		keys = append(keys, keymap.ViewPageDown.As("more"), keymap.ViewPageUp.As("back"))
		if n := paint.Width(where); n+12 < w {
			s.Text(in.X+w-n, in.Y+in.H-1, n, where, theme.FG(sc.Theme.Dim))
			w -= n + 2
		}
	}
	if in.H > 0 {
		sgr.Draw(s, in.X, in.Y+in.H-1, w, modal.Keys(sc.Keys, sc.Theme, w, keys))
	}
	return paint.Cursor{}
}

// textKey scrolls such a dialog or closes it.
func textKey(m *model, d textDialog, k input.Key) cmd {
	_, _, p := textPlan(d, m.nowScene())
	b, ok := m.keys.LookupIn(keymap.ModeViews, k.Name)
	if after, bound := m.keys.Lookup(k.Name); k.Name == "C-c" || !ok && bound && after.Action == d.own() || ok && (b.Action == keymap.ViewClose || b.Action == keymap.ViewOpen) {
		m.overlay = nil
		return nil
	}
	p, _ = p.Moved(b.Action)
	m.overlay = d.paged(p)
	return nil
}

// textMouse scrolls such a dialog by the wheel; a click beside it closes it.
func textMouse(m *model, d textDialog, msg tea.MouseMsg) cmd {
	box, _, p := textPlan(d, m.nowScene())
	e := msg.Mouse()
	switch msg.(type) {
	case tea.MouseWheelMsg:
		m.overlay = d.paged(p.Wheel(e.Button))
	case tea.MouseClickMsg:
		if !box.Contains(e.X, e.Y) {
			m.overlay = nil
		}
	}
	return nil
}
