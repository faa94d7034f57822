package terminal

import (
	"ccdir/internal/cells"
	"ccdir/tui/paint"
	"ccdir/tui/pane"
	"ccdir/tui/terminal/lent"
	"ccdir/wire"
)

// Offset is the upper left cell of the session's screen that is shown in a place of w by
// h cells.
func Offset(p *pane.Pane, w, h int) (x, y int) {
	p.Read(func(pic pane.Picture, _ uint64) { x, y = offsetOf(pic, w, h) })
	return x, y
}

// offsetOf shows the upper left part, or one as far down and right as the cursor needs.
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

// paneCache remembers how a pane was drawn last.
type paneCache struct {
	layer  paint.Layer
	pic    pane.Picture
	gen    uint64
	ox, oy int
	rev    bool
	seen   uint64 // number of the scene
}

// Compositor draws scenes and panes on a surface.
type Compositor struct {
	surface *paint.Surface
	cache   map[*pane.Pane]*paneCache
	last    *Scene
	number  uint64 // of the last scene, from 1
	// over is the part of the last scene that lies over the panes, with its cursor.
	over    paint.Patch
	overCur paint.Cursor
	// focus is where the person types in the last scene.
	focus lent.Focus
}

// NewCompositor makes a compositor with an empty surface.
func NewCompositor(caps paint.Caps) *Compositor {
	return &Compositor{surface: paint.NewSurface(0, 0, caps), cache: map[*pane.Pane]*paneCache{}}
}

// Surface is the surface that Compose draws on.
func (c *Compositor) Surface() *paint.Surface { return c.surface }

// Compose brings the surface up to date: all of it for a new scene, otherwise the rows of
// the panes that changed, only that pane's if only is not nil. It returns the cursor.
func (c *Compositor) Compose(sc *Scene, only *pane.Pane) paint.Cursor {
	full := sc != c.last
	if full {
		c.begin(sc)
	}
	var at paint.Cursor
	c.focus = lent.Focus{}
	drawn := full
	for i := range sc.Panes {
		p := &sc.Panes[i]
		if full || only == nil || only == p.Pane {
			again := full || p.Frame != nil && drawn
			if p.Frame != nil && again {
				p.Frame(c.surface)
			}
			drawn = c.pane(p, again) || drawn
		}
		switch {
		case p.Focused && p.Content != nil:
			at = p.Content.Cursor()
		case p.Focused:
			at = c.cursor(p)
		}
	}
	if !sc.Over && sc.Cursor == nil {
		return at
	}
	c.focus = lent.Focus{} // something lies over it, perhaps
	if !sc.Over {
		return *sc.Cursor
	}
	switch {
	case full:
		c.surface.Keep(&c.over, func() { c.overCur = sc.Drawing.Over(c.surface) })
	case drawn:
		c.surface.Lay(&c.over)
	}
	return c.overCur
}

// begin draws all of a new scene but its panes' content.
func (c *Compositor) begin(sc *Scene) {
	if cols, rows := c.surface.Size(); cols != sc.Cols || rows != sc.Rows {
		c.surface.Resize(sc.Cols, sc.Rows)
	} else {
		c.surface.Clear()
	}
	sc.Drawing.Chrome(c.surface)
	c.last = sc
	c.number++
}

// pane draws the rows of a pane that changed, or all, and reports whether there were any.
func (c *Compositor) pane(at *Pane, full bool) bool {
	p := at.Pane
	dirty := p.TakeDirty()
	if !dirty && !full || at.In.Empty() {
		return false
	}
	pc := c.cache[p]
	if pc == nil {
		pc = &paneCache{}
		c.cache[p] = pc
	}
	pc.seen = c.number
	if at.Content != nil {
		p.MarkDirty() // for when its picture is shown again
		at.Content.Draw(c.surface, &pc.layer)
		return true
	}
	drawn := false
	p.Read(func(pic pane.Picture, _ uint64) { drawn = c.rows(pc, pic, at.In, full) })
	return drawn
}

// rows draws the rows of a pane's picture that changed, or all, and reports whether there
// were any.
func (c *Compositor) rows(pc *paneCache, pic pane.Picture, in paint.Rect, full bool) bool {
	ox, oy := offsetOf(pic, in.W, in.H)
	rev := pic.Flags()&wire.FlagReverse != 0
	all := full || pic != pc.pic || ox != pc.ox || oy != pc.oy || rev != pc.rev
	cols, rows := pic.Size()
	table := pic.Table()
	any := all
	shown := min(in.H, rows-oy)
	for y, n := 0, 0; y < shown; y += n {
		var changed bool
		if n, changed = line(pic, y+oy, min(shown-y, mostWrapped), pc.gen); n > 1 && in.W < cols {
			n, changed = 1, pic.Row(y+oy).Gen > pc.gen // parts of the line are out of view
		}
		if !all && !changed {
			continue
		}
		any = true
		for i := range n {
			row := pic.Row(y + i + oy).Cells
			pc.layer.Row(c.surface, in.X, in.Y+y+i, in.W, table, row[min(ox, len(row)):], rev)
		}
		c.surface.LinkURLs(paint.Rect{X: in.X, Y: in.Y + y, W: min(in.W, cols), H: n})
	}
	if below := (paint.Rect{X: in.X, Y: in.Y + shown, W: in.W, H: in.H - shown}); all && !below.Empty() {
		c.surface.Fill(below, cells.Style{})
	}
	pc.pic, pc.gen, pc.ox, pc.oy, pc.rev = pic, pic.Gen(), ox, oy, rev
	return any
}

// mostWrapped bounds how many rows are drawn anew because one of them has changed.
const mostWrapped = 8

// line is how many rows from y on, most at most, are one line that is wrapped, and whether one
// of them is younger than gen.
func line(pic pane.Picture, y, most int, gen uint64) (n int, changed bool) {
	for n < most {
		row := pic.Row(y + n)
		n, changed = n+1, changed || row.Gen > gen
		if !row.Wrapped {
			break
		}
	}
	return n, changed
}

// cursor is the cursor of the focused pane's picture.
func (c *Compositor) cursor(p *Pane) (at paint.Cursor) {
	if p.Ended {
		return at
	}
	in := p.In
	p.Pane.Read(func(pic pane.Picture, number uint64) {
		ox, oy := offsetOf(pic, in.W, in.H)
		cur := pic.Cursor()
		x, y := in.X+cur.X-ox, in.Y+cur.Y-oy
		if pc := c.cache[p.Pane]; pc != nil && pc.pic == pic && pc.gen == pic.Gen() {
			cols, rows := pic.Size()
			c.focus = lent.Focus{Pane: p.Pane, Number: number, Cols: cols, Rows: rows, In: in, Left: ox, X: x, Y: y, Cursor: cur}
		}
		at = paint.Cursor{X: x, Y: y, Visible: cur.Visible && in.Contains(x, y), Shape: cur.Shape}
	})
	return at
}

// forget drops the caches of panes that were not drawn for a hundred scenes.
func (c *Compositor) forget() {
	if len(c.cache) <= 2*len(c.last.Panes)+8 {
		return
	}
	for p, pc := range c.cache {
		if pc.seen+100 < c.number {
			delete(c.cache, p)
		}
	}
}
