package paint

import "strconv"

// moveTo appends the shortest sequence that moves the cursor to x, y.
func (w *Writer) moveTo(x, y int) {
	if w.x == x && w.y == y {
		return
	}
	start := len(w.buf)
	w.buf = appendCUP(w.buf, x, y)
	if w.y >= 0 && w.x >= 0 {
		best := len(w.buf) - start
		for _, try := range [...]func([]byte, int, int) []byte{w.moveRow, w.moveReturn} {
			w.buf = try(w.buf, x, y)
			if n := len(w.buf) - start - best; n > 0 && n < best {
				copy(w.buf[start:], w.buf[start+best:])
				best = n
			}
			w.buf = w.buf[:start+best]
		}
	}
	w.x, w.y = x, y
}

func appendCUP(dst []byte, x, y int) []byte {
	dst = append(dst, "\x1b["...)
	if y > 0 || x > 0 {
		if y > 0 {
			dst = strconv.AppendInt(dst, int64(y+1), 10)
		}
		if x > 0 {
			dst = append(dst, ';')
			dst = strconv.AppendInt(dst, int64(x+1), 10)
		}
	}
	return append(dst, 'H')
}

// moveRow appends relative moves, first along the column, then along the row; nothing if
// that cannot be short.
func (w *Writer) moveRow(dst []byte, x, y int) []byte {
	if y != w.y {
		if x != w.x && absInt(y-w.y) > 3 {
			return dst
		}
		dst = w.vertical(dst, y)
	}
	switch d := x - w.x; {
	case d == 0:
	case d < 0 && d >= -3:
		for range -d {
			dst = append(dst, '\b')
		}
	case d < 0:
		dst = appendCSI(dst, -d, 'D')
	default:
		dst = appendCSI(dst, d, 'C')
	}
	return dst
}

// moveReturn appends moves by carriage return, for the left columns.
func (w *Writer) moveReturn(dst []byte, x, y int) []byte {
	if x > 9 || absInt(y-w.y) > 9 {
		return dst
	}
	dst = append(dst, '\r')
	if y != w.y {
		dst = w.vertical(dst, y)
	}
	if x > 0 {
		dst = appendCSI(dst, x, 'C')
	}
	return dst
}

// vertical appends moves to row y in the same column. Line feeds go straight down (raw
// mode) and never below the last row.
func (w *Writer) vertical(dst []byte, y int) []byte {
	switch d := y - w.y; {
	case d > 0 && d <= 3 && y < w.rows:
		for range d {
			dst = append(dst, '\n')
		}
	case d > 0:
		dst = appendCSI(dst, d, 'B')
	case d < 0:
		dst = appendCSI(dst, -d, 'A')
	}
	return dst
}

func appendCSI(dst []byte, n int, final byte) []byte {
	dst = append(dst, "\x1b["...)
	if n != 1 {
		dst = strconv.AppendInt(dst, int64(n), 10)
	}
	return append(dst, final)
}

func appendNumber(dst []byte, n int, final byte) []byte {
	return append(strconv.AppendInt(dst, int64(n), 10), final)
}

func absInt(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
