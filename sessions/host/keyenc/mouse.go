package keyenc

import (
	"strconv"
	"unicode/utf8"

	"ccdir/sessions/screen"
	"ccdir/wire"
)

// wheelLines is the number of arrow keys for one turn of the wheel, on the alternate screen
// of an application without mouse reports.
const wheelLines = 3

// AppendMouse appends a mouse event if the application wants it (ctlseqs,
// "Mouse Tracking").
func AppendMouse(dst []byte, e wire.MouseEvent, s screen.State) []byte {
	m := s.Modes
	wheel := e.Button >= 4 && e.Button <= 7
	if m.Mouse == screen.MouseOff {
		if s.Alt && m.AltScroll && e.Action == wire.MousePress && (e.Button == 4 || e.Button == 5) {
			for range wheelLines {
				dst = appendLetter(dst, "AB"[e.Button-4], 0, m.AppCursor)
			}
		}
		return dst
	}
	switch e.Action {
	case wire.MouseRelease:
		if m.Mouse == screen.MouseX10 || wheel || e.Button == 0 {
			return dst
		}
	case wire.MouseMotion:
		if m.Mouse < screen.MouseButton || m.Mouse == screen.MouseButton && e.Button == 0 {
			return dst
		}
	default:
		if e.Button == 0 {
			return dst
		}
	}
	return appendMouseReport(dst, e, m)
}

// mouseButton is the code of a button without modifiers.
func mouseButton(b uint8) int {
	switch {
	case b == 0:
		return 3
	case b < 4:
		return int(b) - 1
	case b < 8:
		return 64 + int(b) - 4
	}
	return 128 + int(b) - 8
}

func appendMouseReport(dst []byte, e wire.MouseEvent, m screen.Modes) []byte {
	code := mouseButton(e.Button)
	released := e.Action == wire.MouseRelease
	sgr := m.MouseEncoding == screen.MouseSGR || m.MouseEncoding == screen.MouseSGRPixels
	if released && !sgr {
		code = 3
	}
	if e.Action == wire.MouseMotion {
		code += 32
	}
	if m.Mouse != screen.MouseX10 {
		if e.Shift {
			code += 4
		}
		if e.Alt {
			code += 8
		}
		if e.Ctrl {
			code += 16
		}
	}
	x, y := e.X+1, e.Y+1
	switch m.MouseEncoding {
	case screen.MouseSGRPixels:
		x = e.X*screen.CellWidth + screen.CellWidth/2
		y = e.Y*screen.CellHeight + screen.CellHeight/2
		fallthrough
	case screen.MouseSGR:
		final := byte('M')
		if released {
			final = 'm'
		}
		return append(appendNumbers(append(dst, esc, '[', '<'), code, x, y), final)
	case screen.MouseURXVT:
		return append(appendNumbers(append(dst, esc, '['), code+32, x, y), 'M')
	case screen.MouseUTF8:
		const most = 2015
		if x > most || y > most {
			return dst
		}
		dst = append(dst, esc, '[', 'M')
		for _, v := range [...]int{code, x, y} {
			dst = utf8.AppendRune(dst, rune(v+32))
		}
		return dst
	}
	const most = 255 - 32
	if x > most || y > most || code > most {
		return dst
	}
	return append(dst, esc, '[', 'M', byte(code+32), byte(x+32), byte(y+32))
}

func appendNumbers(dst []byte, numbers ...int) []byte {
	for i, n := range numbers {
		if i > 0 {
			dst = append(dst, ';')
		}
		dst = strconv.AppendInt(dst, int64(n), 10)
	}
	return dst
}
