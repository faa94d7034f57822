package host

import (
	"slices"

	"ccdir/internal/cells"
	"ccdir/sessions/screen"
	"ccdir/wire/directline"
)

// echoes writes what a program prints in answer to a key to the terminals that lend
// their displays (wire/directline): plain text that goes where the cursor is and
// changes nothing else. The frame follows as ever. Guarded by host.mu.
type echoes struct {
	// The screen before the text: its number and state, the row of the cursor, and the
	// one below it if the text may wrap. And how many cells the text takes.
	picture   uint64
	state     screen.State
	row, next []cells.Cell
	cells     int
}

// before looks at the screen before the engine is fed p, and reports whether that
// may go straight to a display.
func (e *echoes) before(h *host, p []byte) bool {
	if len(p) > directline.MaxEcho {
		return false
	}
	picture := h.picture(h.eng.Gen())
	if !h.lent(picture) {
		return false
	}
	cells, plain := directline.Plain(p)
	if !plain {
		return false
	}
	e.picture, e.state, e.cells = picture, h.eng.State(), cells
	e.row = append(e.row[:0], h.eng.Row(e.state.Cursor.Y).Cells...)
	e.next = e.next[:0]
	if _, rows := h.eng.Size(); e.state.Cursor.X == len(e.row)-1 && e.state.Cursor.Y+1 < rows {
		e.next = append(e.next, h.eng.Row(e.state.Cursor.Y+1).Cells...)
	}
	return true
}

// after writes p to the displays if the engine made of it what a terminal does
// that prints it as it stands.
func (e *echoes) after(h *host, p []byte) {
	at := e.printed(h.eng, p)
	if at == elsewhere {
		return
	}
	for c := range h.clients {
		if c.line.page != nil {
			c.line.page.Echo(e.picture, p, e.cells, at == below)
		}
	}
}

// Where a text was printed.
type place int

const (
	elsewhere place = iota
	here            // where the cursor was
	below           // at the beginning of the row below it
)

// printed reports where p was printed, if the screen is the one before with p there,
// in the default style, and the cursor behind it.
func (e *echoes) printed(eng screen.Engine, p []byte) place {
	now, was := eng.State(), e.state
	cols := len(e.row)
	at, changed, x := here, e.row, was.Cursor.X
	switch {
	case len(e.next) == cols && cols > 0 && now.Cursor.Y == was.Cursor.Y+1:
		if !slices.EqualFunc(e.row, eng.Row(was.Cursor.Y).Cells, sameCell) {
			return elsewhere
		}
		at, changed, x = below, e.next, 0
		was.Cursor.Y++
		was.Cursor.X = e.cells
	case x+e.cells == cols && cols > 2: // on two columns a row that scrolls might look so
		was.Cursor.X = cols - 1
	default:
		was.Cursor.X += e.cells
	}
	if now != was || now.Sync || now.Modes.ReverseVideo || !now.Cursor.Visible || now.Cursor.X >= cols {
		return elsewhere
	}
	for i, r := range []rune(string(p)) {
		changed[x+i] = cells.Cell{Glyph: cells.Glyph(r)}
	}
	if !slices.EqualFunc(changed, eng.Row(now.Cursor.Y).Cells, sameCell) {
		return elsewhere
	}
	return at
}

// sameCell reports whether two cells look the same.
func sameCell(a, b cells.Cell) bool { return a == b || a.Blank() && b.Blank() && a.Style == b.Style }

// lent reports whether a terminal lends its display after that picture. h.mu is
// held.
func (h *host) lent(picture uint64) bool {
	for c := range h.clients {
		if c.line.page != nil && c.line.page.Lent(picture) {
			return true
		}
	}
	return false
}

// picture is the number of what the engine showed at that generation
// (hostwire.Frame.Gen). h.mu is held.
func (h *host) picture(gen uint64) uint64 { return (h.engEpoch-1)<<48 | gen }
