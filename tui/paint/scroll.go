package paint

import "ccdir/internal/cells"

// Rows that have moved are moved by the terminal: lines are deleted or inserted (DL, IL)
// within a scroll region (DECSTBM), which every terminal since the VT102 supports, and only
// new rows are written. Panes do not report that they scrolled: the writer compares what
// the terminal shows with the surface, and estimates the bytes that a move saves.
const (
	// A move is looked for only if at least scrollRows rows differ, whose cells cost at
	// least scrollCells bytes.
	scrollRows  = 4
	scrollCells = 64
	// scrollCost is the cost of a move's sequences and of the cursor moves after it, in
	// bytes.
	scrollCost = 32
	// scrollsPerFrame bounds the moves in one frame: panes above one another.
	scrollsPerFrame = 3
)

// shift is a move of rows within top to bottom (inclusive): by n rows up (n > 0) or down
// (n < 0).
type shift struct{ top, bottom, n int }

// scrolls writes the moves that save bytes, and applies them to front.
func (w *Writer) scrolls(s *Surface) {
	for range scrollsPerFrame {
		m, ok := w.findShift(s)
		if !ok {
			return
		}
		w.applyShift(s, m)
	}
}

// findShift finds the move that most rows agree on, if it saves enough.
func (w *Writer) findShift(s *Surface) (shift, bool) {
	d := w.damage(s)
	if d.rows < scrollRows || d.cells < scrollCells {
		return shift{}, false
	}
	if len(w.blank) != w.cols {
		w.blank = make([]cells.Cell, w.cols)
	}
	n := w.likelyShift(s, d)
	if n == 0 {
		return shift{}, false
	}
	// The first and the last row that the move brings to their place.
	first, last := -1, -1
	for y := max(d.top, d.top-n); y <= min(d.bottom, d.bottom-n); y++ {
		if equalCells(s.Row(y)[d.left:d.right], w.frontRow(y + n)[d.left:d.right]) {
			if first < 0 {
				first = y
			}
			last = y
		}
	}
	if first < 0 {
		return shift{}, false
	}
	m := shift{top: first, bottom: last + n, n: n}
	if n < 0 {
		m = shift{top: first + n, bottom: last, n: n}
	}
	return m, w.saves(s, m, d) > scrollCost
}

// damaged is where the terminal differs from the surface: how many rows, what their cells
// cost in bytes, and the rectangle around them.
type damaged struct{ rows, cells, top, bottom, left, right int }

func (w *Writer) damage(s *Surface) damaged {
	d := damaged{left: w.cols}
	for y := range s.rows {
		if !s.dirty[y] {
			continue
		}
		n, left, right := differing(s.Row(y), w.frontRow(y))
		if n == 0 {
			continue
		}
		if d.rows == 0 {
			d.top = y
		}
		d.bottom = y
		d.rows++
		d.cells += n
		d.left, d.right = min(d.left, left), max(d.right, right)
	}
	return d
}

// moveCost is about the cost of a move to a run of cells, in bytes.
const moveCost = 4

// differing estimates the cost of the cells that differ, in bytes, and returns the columns
// around them.
func differing(a, b []cells.Cell) (n, left, right int) {
	for x := range a {
		if a[x] == b[x] {
			continue
		}
		if n == 0 {
			left = x
		}
		if n == 0 || right < x {
			n += moveCost
		}
		n++
		right = x + 1
	}
	return n, left, right
}

func equalCells(a, b []cells.Cell) bool {
	for x := range a {
		if a[x] != b[x] {
			return false
		}
	}
	return true
}

// likelyShift is the move that most rows of the damaged rectangle agree on, by their
// hashes; rows that occur more than once have no vote.
func (w *Writer) likelyShift(s *Surface, d damaged) int {
	if w.rowAt == nil {
		w.rowAt, w.votes = map[uint64]int{}, map[int]int{}
	}
	clear(w.rowAt)
	clear(w.votes)
	for y := d.top; y <= d.bottom; y++ {
		h := hashCells(w.frontRow(y)[d.left:d.right])
		if _, twice := w.rowAt[h]; twice {
			w.rowAt[h] = -1
		} else {
			w.rowAt[h] = y
		}
	}
	best := 0
	for y := d.top; y <= d.bottom; y++ {
		from, known := w.rowAt[hashCells(s.Row(y)[d.left:d.right])]
		if !known || from < 0 || from == y {
			continue
		}
		n := from - y
		w.votes[n]++
		if w.votes[n] > w.votes[best] || w.votes[n] == w.votes[best] && absInt(n) < absInt(best) {
			best = n
		}
	}
	return best
}

func hashCells(cells []cells.Cell) uint64 {
	const prime = 0x9e3779b97f4a7c15
	h := uint64(len(cells))
	for _, c := range cells {
		h = (h ^ uint64(c.Glyph) ^ uint64(c.Style)<<32 ^ uint64(c.Span)<<56) * prime
		h ^= h >> 29
	}
	return h
}

// saves estimates the bytes that the move saves. Without synchronized updates it saves
// nothing if it also moves cells outside the damaged columns: these would visibly jump.
func (w *Writer) saves(s *Surface, m shift, d damaged) int {
	saved := 0
	for y := m.top; y <= m.bottom; y++ {
		back, now := s.Row(y), w.frontRow(y)
		before, _, _ := differing(back, now)
		var after int
		if from := y + m.n; from < m.top || from > m.bottom {
			after, _, _ = differing(back, w.blank)
		} else {
			moved := w.frontRow(from)
			after, _, _ = differing(back, moved)
			if !w.caps.Sync && !(equalCells(moved[:d.left], now[:d.left]) && equalCells(moved[d.right:], now[d.right:])) {
				return 0
			}
		}
		saved += before - after
	}
	return saved
}

// applyShift writes the move. New rows are blank in the default background, whether the
// terminal erases with the pen's background or not.
func (w *Writer) applyShift(s *Surface, m shift) {
	if !w.penOK || !plainBlank(w.pen) {
		w.link(s, 0)
		w.buf = append(w.buf, "\x1b[m"...)
		w.pen, w.penOK, w.penID = cells.Style{}, true, 0
	}
	w.buf = append(w.buf, "\x1b["...)
	w.buf = appendNumber(w.buf, m.top+1, ';')
	w.buf = appendNumber(w.buf, m.bottom+1, 'r')
	w.buf = appendCUP(w.buf, 0, m.top)
	final := byte('M')
	if m.n < 0 {
		final = 'L'
	}
	w.buf = appendCSI(w.buf, absInt(m.n), final)
	w.buf = append(w.buf, "\x1b[r"...) // moves the cursor home too
	w.x, w.y = 0, 0
	w.spans += 2

	rows := w.front[m.top*w.cols : (m.bottom+1)*w.cols]
	by := absInt(m.n) * w.cols
	if m.n > 0 {
		copy(rows, rows[by:])
		clear(rows[len(rows)-by:])
	} else {
		copy(rows[by:], rows)
		clear(rows[:by])
	}
	for y := m.top; y <= m.bottom; y++ {
		s.dirty[y] = true
	}
}

func (w *Writer) frontRow(y int) []cells.Cell { return w.front[y*w.cols : (y+1)*w.cols] }
