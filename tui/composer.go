package tui

import (
	"slices"

	"ccdir/tui/paint"
	"ccdir/tui/pane"
	"ccdir/tui/terminal/lent"
	"ccdir/tui/widget/theme"
	"ccdir/wire"
)

// offset is the part of the session's screen that is shown in w by h cells, see
// offsetOf.
func offset(p *pane.Pane, w, h int) (x, y int) {
	p.Read(func(pic pane.Picture, _ uint64) { x, y = offsetOf(pic, w, h) })
	return x, y
}

// offsetOf is the upper left part, or one as far down and right as the cursor needs.
func offsetOf(pic pane.Picture, w, h int) (x, y int) {
	cols, rows := pic.Size()
	cur := pic.Cursor()
	if rows > h {
		y = min(max(cur.Y-h+1, 0), rows-h)
	}
	if cols > w && cur.X >= w {
		x = min(max(cur.X-w/2, 0), cols-w)
	}
	return x, y
}

// paneCache is what the composer knows of a pane that it drew.
type paneCache struct {
	layer  paint.Layer
	pic    pane.Picture
	gen    uint64
	ox, oy int
	rev    bool
	seen   uint64 // scene in which it was drawn last
}

// composer draws scenes and panes on a surface.
type composer struct {
	s     *paint.Surface
	caps  paint.Caps
	cache map[*pane.Pane]*paneCache
	last  *scene
	// over is what lies over the panes in the last scene, with its cursor.
	over    paint.Patch
	overCur paint.Cursor
	// focus is where the person types in the last scene.
	focus lent.Focus
}

func newComposer(caps paint.Caps) *composer {
	return &composer{s: paint.NewSurface(0, 0, caps), caps: caps, cache: map[*pane.Pane]*paneCache{}}
}

// compose brings the surface up to date: all of it for a new scene, else the
// rows of the panes that changed, only that pane's if only is not nil. It
// returns the cursor.
func (c *composer) compose(sc *scene, only *pane.Pane) paint.Cursor {
	full := sc != c.last
	if full {
		if cols, rows := c.s.Size(); cols != sc.Cols || rows != sc.Rows {
			c.s.Resize(sc.Cols, sc.Rows)
		} else {
			c.s.Clear()
		}
		sc.drawChrome(c.s)
		c.last = sc
	}
	var at paint.Cursor
	c.focus = lent.Focus{}
	drawn := full
	for _, t := range sc.tiles {
		if t.pane == nil {
			continue
		}
		if full || only == nil || only == t.pane {
			drawn = c.pane(sc, t, full) || drawn
		}
		switch {
		case t.focused && t.copy != nil:
			at = c.copyCursor(t)
		case t.focused:
			at = c.cursor(t)
		}
	}
	switch {
	case sc.overlay == nil && sc.mode == modeEvents:
		c.focus = lent.Focus{}
		return sc.eventsCursor()
	case sc.overlay == nil && sc.mode != modePrompt:
		return at
	}
	c.focus = lent.Focus{} // something lies over it, perhaps
	switch {
	case full:
		c.s.Keep(&c.over, func() { c.overCur = sc.drawOver(c.s) })
	case drawn:
		c.s.Lay(&c.over)
	}
	return c.overCur
}

// drawOver draws what lies over the panes: the dialog, or else the prompt bar.
func (sc *scene) drawOver(s *paint.Surface) paint.Cursor {
	if sc.overlay == nil {
		return sc.drawPromptBar(s)
	}
	at := sc.layout.Prompt
	if sc.banner == "" || at.Empty() {
		return sc.overlay.draw(s, sc)
	}
	shown := slices.Clone(s.Row(at.Y))
	cur := sc.overlay.draw(s, sc)
	if !slices.Equal(shown, s.Row(at.Y)) { // what the dialog covers is said in the last line
		sc.drawBanner(s, paint.Rect{Y: sc.Rows - 1, W: sc.Cols, H: 1})
	}
	return cur
}

// pane lays a pane's changed rows into the surface and reports whether there
// were any.
func (c *composer) pane(sc *scene, t tileView, full bool) bool {
	p, in := t.pane, t.inner()
	dirty := p.TakeDirty()
	if !dirty && !full || in.Empty() {
		return false
	}
	pc := c.cache[p]
	if pc == nil {
		pc = &paneCache{}
		c.cache[p] = pc
	}
	pc.seen = sc.seq
	if t.copy != nil {
		p.MarkDirty() // for when the pane is shown again
		c.drawCopy(sc, t, pc)
		return true
	}
	drawn := false
	p.Read(func(pic pane.Picture, _ uint64) { drawn = c.rows(pc, pic, in, full) })
	return drawn
}

// rows lays the rows of a pane's picture into its inside that changed, or all, and
// reports whether there were any.
func (c *composer) rows(pc *paneCache, pic pane.Picture, in paint.Rect, full bool) bool {
	ox, oy := offsetOf(pic, in.W, in.H)
	rev := pic.Flags()&wire.FlagReverse != 0
	all := full || pic != pc.pic || ox != pc.ox || oy != pc.oy || rev != pc.rev
	_, rows := pic.Size()
	table := pic.Table()
	any := all
	for y := range in.H {
		if y+oy >= rows {
			if all {
				c.s.Fill(paint.Rect{X: in.X, Y: in.Y + y, W: in.W, H: 1}, theme.FG(0))
			}
			continue
		}
		row := pic.Row(y + oy)
		if !all && row.Gen <= pc.gen {
			continue
		}
		any = true
		cells := row.Cells
		if ox < len(cells) {
			cells = cells[ox:]
		} else {
			cells = nil
		}
		pc.layer.Row(c.s, in.X, in.Y+y, in.W, table, cells, rev)
	}
	pc.pic, pc.gen, pc.ox, pc.oy, pc.rev = pic, pic.Gen(), ox, oy, rev
	return any
}

// cursor is the terminal's cursor for the focused pane.
func (c *composer) cursor(t tileView) (at paint.Cursor) {
	if t.session.State.Ended() {
		return at
	}
	t.pane.Read(func(pic pane.Picture, number uint64) {
		in := t.inner()
		ox, oy := offsetOf(pic, in.W, in.H)
		cur := pic.Cursor()
		x, y := in.X+cur.X-ox, in.Y+cur.Y-oy
		if pc := c.cache[t.pane]; pc != nil && pc.pic == pic && pc.gen == pic.Gen() {
			cols, rows := pic.Size()
			c.focus = lent.Focus{Pane: t.pane, Number: number, Cols: cols, Rows: rows, In: in, Left: ox, X: x, Y: y, Cursor: cur}
		}
		at = paint.Cursor{X: x, Y: y, Visible: cur.Visible && in.Contains(x, y), Shape: cur.Shape}
	})
	return at
}

// forget drops the caches of panes that were not drawn for a while.
func (c *composer) forget(sc *scene) {
	if len(c.cache) <= 2*len(sc.tiles)+8 {
		return
	}
	for p, pc := range c.cache {
		if pc.seen+100 < sc.seq {
			delete(c.cache, p)
		}
	}
}
