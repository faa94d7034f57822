package vt

import "ccdir/internal/cells"

// pen is the rendition that printing uses, with the ids it has in the table.
// The ids are worked out when the rendition changes, not for each cell.
type pen struct {
	style cells.Style
	id    cells.StyleID
	blank cells.StyleID // the style with nothing but the background
}

// penChanged brings the ids up to date with the style, making a new table if
// the old one is full.
func (t *Terminal) penChanged() {
	if !t.setPenIDs() {
		t.tryRebuild(ofStyles) // which sets them again
	}
}

// setPenIDs looks the pen's styles up; false if one did not fit.
func (t *Terminal) setPenIDs() (ok bool) {
	t.pen.id, ok = t.styleID(t.pen.style)
	t.pen.blank = 0
	if ok && !t.pen.style.BG.IsDefault() {
		t.pen.blank, ok = t.styleID(cells.Style{BG: t.pen.style.BG})
	}
	return ok
}

// blank is an erased cell: nothing but the pen's background.
func (t *Terminal) blank() cells.Cell { return cells.Cell{Style: t.pen.blank} }

// savedCursor is the state that DECSC saves, one for each page.
type savedCursor struct {
	kept bool // something was saved
	// x and y are as in page: x may be the number of columns, for a pending wrap. After a
	// change of size y may be outside the page, where its row is: in the history or cut off.
	x, y    int
	style   cells.Style
	origin  bool
	charset charsets
}

// shift moves the saved position with its row.
func (s *savedCursor) shift(rows int) {
	if s.kept {
		s.y += rows
	}
}

// saveCursor is DECSC (ESC 7, CSI s, mode 1048).
func (t *Terminal) saveCursor() {
	p := t.cur
	p.saved = savedCursor{kept: true, x: p.x, y: p.y, style: t.pen.style, origin: t.mode.origin, charset: t.charset}
	p.saved.style.Link = 0
}

// restoreCursor is DECRC (ESC 8, CSI u, mode 1048): home and the default rendition if
// nothing was saved. It restores a pending wrap too, as xterm does. The open hyperlink
// stays.
func (t *Terminal) restoreCursor() {
	s := t.cur.saved
	s.style.Link = t.pen.style.Link
	t.pen.style = s.style
	t.penChanged()
	t.mode.origin = s.origin
	t.charset = s.charset
	t.moveTo(s.x, s.y)
	if s.x == t.cols {
		t.cur.x = t.cols // moveTo has taken the wrap back
	}
}
