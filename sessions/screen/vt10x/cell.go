package vt10x

import (
	"ccdir/internal/cells"
	"ccdir/sessions/screen"

	upstream "github.com/hinshun/vt10x"
)

// Attributes of vt10x's cells, which it does not export (state.go).
const (
	upReverse = 1 << iota
	upUnderline
	upBold
	upGfx
	upItalic
	upBlink
	upWrap
)

// upWrapNext is the bit of Cursor.State for a wrap that is due.
const upWrapNext = 2

// filler takes the second column of a wide character, which vt10x does not
// know: the last code point of plane 16, which no application prints.
const filler = '\U0010FFFD'

// cell converts the cell at x, y; wrap tells whether vt10x wrapped there.
func (e *Engine) cell(x, y int) (c cells.Cell, wrap bool) {
	g := e.term.Cell(x, y)
	wrap = g.Mode&upWrap != 0
	fg, bg := g.FG, g.BG
	s := cells.Style{}
	if g.Mode&upReverse != 0 && g.Char != ' ' {
		// vt10x swaps when it sets a character; a Style does not.
		fg, bg = bg, fg
	}
	if g.Mode&upReverse != 0 {
		s.Attrs |= cells.Inverse
	}
	if g.Mode&upBold != 0 {
		s.Attrs |= cells.Bold
	}
	if g.Mode&upItalic != 0 {
		s.Attrs |= cells.Italic
	}
	if g.Mode&upBlink != 0 {
		s.Attrs |= cells.Blink
	}
	if g.Mode&upUnderline != 0 {
		s.Underline = cells.UnderlineSingle
	}
	s.FG, s.BG = color(fg), color(bg)
	if g.Char == 0 || g.Char == ' ' {
		g.Char = 0
	}
	switch {
	case g.Char != filler && !wide(g.Char):
		c.Glyph = cells.Glyph(g.Char)
	case g.Char != filler && x+1 < e.cols && e.term.Cell(x+1, y).Char == filler:
		c.Glyph, c.Span = cells.Glyph(g.Char), cells.Wide
	case g.Char != filler: // its second half was overwritten
	case x > 0 && wide(e.term.Cell(x-1, y).Char):
		c.Span = cells.Tail
	}
	c.Style, _ = e.table.StyleID(s)
	return c, wrap
}

// color converts a colour. vt10x has no room to tell a palette entry from an
// RGB value below 256.
func color(c upstream.Color) cells.Color {
	switch {
	case c >= upstream.DefaultFG:
		return cells.DefaultColor
	case c < 256:
		return cells.Indexed(uint8(c))
	}
	return cells.RGB(uint8(c>>16), uint8(c>>8), uint8(c))
}

// snapshot is the state as vt10x and the filter have it now.
func (e *Engine) snapshot() screen.State {
	s := e.state
	cur := e.term.Cursor()
	s.Cursor.X, s.Cursor.Y = min(cur.X, e.cols-1), min(cur.Y, e.rows-1)
	s.Cursor.Visible = e.term.CursorVisible()
	s.Cursor.Shape = e.filter.shape
	s.Alt = e.term.Mode()&upstream.ModeAltScreen != 0
	s.Modes = e.filter.modes
	s.Sync = e.filter.sync
	s.Title = e.filter.title
	return s
}
