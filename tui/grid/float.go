package grid

import (
	"cmp"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/theme"
)

// A floating tool lies over the panes as long as it has the focus: that is all there is to be
// known of it, here and in what the daemon keeps of the arrangement.

// Least size of a floating tool, frame included, where there is room; it has floatPart percent
// of the area of the panes otherwise.
const (
	floatCols = goodCols + 2
	floatRows = 22
	goodCols  = 80
	floatPart = 84
)

// Float is the tool that lies over the panes, nil if there is none; the pointer is for reading.
func (g *Grid) Float(w *ui.World) *api.Session {
	if v := w.Session(g.Focus); v != nil && w.Floats(*v) {
		return v
	}
	return nil
}

// Under is the session whose pane has the focus, or the one beside which the floating tool was
// opened.
func (g *Grid) Under(w *ui.World) string {
	if v := g.Float(w); v != nil {
		return v.Beside.Session
	}
	return g.Focus
}

// FloatRect is where a floating tool lies, frame included: in the middle of the panes' area,
// all over it while the grid is zoomed.
func (g *Grid) FloatRect() paint.Rect {
	l := g.Layout
	area := paint.Rect{X: l.Column().W, Y: l.Strip.H, W: g.room.Cols - l.Column().W, H: g.room.Rows}
	for _, bar := range []paint.Rect{l.Prompt, l.Status} {
		if !bar.Empty() {
			area.H = min(area.H, bar.Y)
		}
	}
	area.H -= area.Y
	if area.Empty() || g.Zoomed {
		return area
	}
	w := min(area.W, max(floatCols, area.W*floatPart/100))
	h := min(area.H, max(floatRows, area.H*floatPart/100))
	return paint.Rect{X: area.X + (area.W-w)/2, Y: area.Y + (area.H-h)/2, W: w, H: h}
}

// FloatSize is the room of a floating tool's screen, in cells.
func (g *Grid) FloatSize() (cols, rows int) {
	in := ui.Tile{Rect: g.FloatRect(), Floats: true}.Inner()
	return max(in.W, 1), max(in.H, 1)
}

// floating is the tile of the floating tool; ok is false if there is none.
func (g *Grid) floating(w *ui.World) (t ui.Tile, ok bool) {
	v, r := g.Float(w), g.FloatRect()
	if v == nil || r.Empty() {
		return t, false
	}
	return ui.Tile{Session: v, Rect: r, Focused: true, Floats: true}, true
}

// Close gives the focus back to the session below a floating tool that was closed. What is
// typed just then was meant for the tool.
func (g *Grid) Close(env ui.Env) {
	if v := g.Float(env.World); v != nil && v.Closed() {
		g.Focus = v.Beside.Session
		g.grace = grace{until: env.Now.Add(graceFor), name: v.Name}
	}
}

// DrawFloat draws the frame of a tool that floats, over what is below it. Its last line says how
// to hide it, or what to do once it has ended.
func (p Picture) DrawFloat(s *paint.Surface, t ui.Tile) {
	s.Fill(t.Rect, theme.FG(p.Theme.Dim))
	s.Box(t.Rect, paint.Heavy, p.FrameStyle(t))
	p.drawFrame(s, t)
	text := textsafe.Line(p.floatHint(t.Session))
	if room := t.Rect.W - 4; text != "" && t.Rect.H > 1 && room > 0 { // at the right copy mode says where it is
		text = paint.Cut(" "+text+" ", room)
		s.Text(t.Rect.X+2, t.Rect.Y+t.Rect.H-1, room, text, theme.FG(p.Theme.Dim))
	}
}

// floatHint names the keys that matter for a tool that floats.
func (p Picture) floatHint(v *api.Session) string {
	own, hide := p.Keys.Hint(keymap.Beside(v.Beside.Tool)), p.Keys.Hint(keymap.Hide)
	switch {
	case v.State.Ended():
		return cmp.Or(own, p.Keys.Hint(keymap.Restart)) + " starts it again  " + p.Keys.Hint(keymap.Kill) + " removes it  " + hide + " hides"
	case cmp.Or(own, hide) == "":
		return ""
	}
	return cmp.Or(own, hide) + " hides"
}
