package help

import (
	"ccdir/internal/cells"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// Draw shows the columns and the filter.
func (d dialog) Draw(env ui.Env, s *paint.Surface) paint.Cursor {
	p := d.plan(env)
	title := "keys to begin with"
	if d.all {
		title = "all keys"
	}
	modal.Box(s, p.box, title, env.Theme.Accent)
	in := paint.Rect{X: p.box.X + 2, Y: p.box.Y + 1, W: max(0, p.box.W-4), H: max(0, p.box.H-2)}
	top := d.clamp(p)
	for c, lines := range p.columns {
		r := paint.Rect{X: in.X + c*(p.w+gap), Y: in.Y, W: p.w, H: max(0, in.H-1)}
		for i := 0; i < r.H && top+i < len(lines); i++ {
			drawLine(s, env, r, i, lines[top+i])
		}
	}
	return d.drawFoot(s, env, in, p.h > p.room)
}

func drawLine(s *paint.Surface, env ui.Env, r paint.Rect, i int, l line) {
	if l.heading != "" {
		modal.Line(s, r, i, l.heading, theme.Bold(env.Theme.Accent))
		return
	}
	x, st := 0, cells.Style{}
	if l.dim {
		st = theme.FG(env.Theme.Dim)
	}
	if l.keys != "" {
		x = keyWidth(r.W)
		s.Text(r.X, r.Y+i, x-1, paint.Cut(l.keys, x-1), cells.Style{FG: st.FG, Attrs: cells.Bold})
	}
	s.Text(r.X+x, r.Y+i, r.W-x, l.text, st)
}

// drawFoot is the filter, and the keys of the dialog.
func (d dialog) drawFoot(s *paint.Surface, env ui.Env, r paint.Rect, scrolls bool) paint.Cursor {
	y := r.Y + r.H - 1
	if r.H < 1 {
		return paint.Cursor{}
	}
	if d.filter.Empty() {
		foot := "? or a all keys   type to find one   Esc close"
		if d.all {
			foot = "type to filter   ? fewer   Esc close"
		}
		if scrolls {
			foot += "   ↑ ↓ PgUp PgDn scroll"
		}
		modal.Line(s, r, r.H-1, foot, theme.FG(env.Theme.Dim))
		return paint.Cursor{}
	}
	s.Text(r.X, y, r.W, "/ ", theme.Bold(env.Theme.Accent))
	at := d.filter.Draw(s, r.X+2, y, r.W-2, cells.Style{Attrs: cells.Bold})
	return paint.Cursor{X: r.X + 2 + at, Y: y, Visible: true}
}
