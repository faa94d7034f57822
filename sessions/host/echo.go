package host

import (
	"slices"

	"ccdir/internal/cells"
	"ccdir/sessions/screen"
)

// A program's answer to a key goes straight to the terminals that are lent to this host
// (wire/directline) if it is plain text that appears at the cursor and changes nothing
// else. The frame follows all the same.

// beforeEcho is the screen before the text. Guarded by host.mu.
type beforeEcho struct {
	state screen.State
	// row is the row of the cursor; next is the one below it if the text may wrap,
	// otherwise empty.
	row, next []cells.Cell
}

// feed feeds the engine p, and writes p to the terminals that are lent to this host if it
// may go there. h.mu is held.
func (h *host) feed(p []byte) {
	echo, ok := h.direct.Echo(h.picture(h.eng.Gen()), p)
	if !ok {
		h.eng.Feed(p)
		return
	}
	h.before.look(h.eng)
	h.eng.Feed(p)
	if at := h.before.printed(h.eng, p, echo.Cells); at != elsewhere {
		echo.Write(at == below)
	}
}

// look remembers the screen.
func (b *beforeEcho) look(eng screen.Engine) {
	b.state = eng.State()
	cur := b.state.Cursor
	b.row = append(b.row[:0], eng.Row(cur.Y).Cells...)
	b.next = b.next[:0]
	if _, rows := eng.Size(); cur.X == len(b.row)-1 && cur.Y+1 < rows {
		b.next = append(b.next, eng.Row(cur.Y+1).Cells...)
	}
}

// place is where a text was printed.
type place int

const (
	elsewhere place = iota
	here            // where the cursor was
	below           // at the beginning of the row below it
)

// printed reports where p, which takes width cells, was printed: the screen must be the
// one before with p there, in the default style, and the cursor behind p.
func (b *beforeEcho) printed(eng screen.Engine, p []byte, width int) place {
	now, was := eng.State(), b.state
	cols := len(b.row)
	at, changed, x := here, b.row, was.Cursor.X
	switch {
	case len(b.next) == cols && cols > 0 && now.Cursor.Y == was.Cursor.Y+1:
		if !slices.EqualFunc(b.row, eng.Row(was.Cursor.Y).Cells, sameCell) {
			return elsewhere
		}
		at, changed, x = below, b.next, 0
		was.Cursor.Y++
		was.Cursor.X = width
	case x+width == cols && cols > 2: // on two columns a row that scrolls might look so
		was.Cursor.X = cols - 1
	default:
		was.Cursor.X += width
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

// picture is the number of the picture of that generation (wire.Frame.Gen). h.mu is
// held.
func (h *host) picture(gen uint64) uint64 { return (h.engEpoch-1)<<48 | gen }
