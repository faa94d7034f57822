package sgr

import (
	"strconv"
	"strings"

	"ccdir/internal/cells"
)

// Sequence measures the escape sequence at the beginning of l; ok is whether
// it is one of CSI … m.
func Sequence(l string) (n int, params string, ok bool) {
	if len(l) < 2 {
		return len(l), "", false
	}
	switch l[1] {
	case '[':
		for i := 2; i < len(l); i++ {
			if l[i] >= 0x40 && l[i] <= 0x7e {
				return i + 1, l[2:i], l[i] == 'm'
			}
		}
		return len(l), "", false
	case ']':
		for i := 2; i < len(l); i++ {
			if l[i] == 0x07 {
				return i + 1, "", false
			}
			if l[i] == 0x1b {
				return min(i+2, len(l)), "", false
			}
		}
		return len(l), "", false
	}
	return 2, "", false
}

// Linked is styled text that leads to an address.
func Linked(text, uri string) string { return linkBegin + uri + linkEnd + text + linkBegin + linkEnd }

// The ends of OSC 8 without parameters.
const linkBegin, linkEnd = "\x1b]8;;", "\x1b\\"

// linkIn is the address in a sequence that begins a hyperlink, "" for the end of one.
func linkIn(sequence string) (uri string, ok bool) {
	uri, begins := strings.CutPrefix(sequence, linkBegin)
	uri, ends := strings.CutSuffix(uri, linkEnd)
	return uri, begins && ends
}

// applySGR changes a style by the parameters of one SGR sequence (ECMA-48
// 8.3.117 and xterm's extensions).
func applySGR(st cells.Style, params string) cells.Style {
	fields := strings.Split(params, ";")
	for i := 0; i < len(fields); i++ {
		main, sub, _ := strings.Cut(fields[i], ":")
		n, err := strconv.Atoi(main)
		if err != nil && main != "" {
			continue
		}
		switch {
		case n == 38 || n == 48 || n == 58:
			var c cells.Color
			var ok bool
			if sub != "" {
				c, _, ok = extended(strings.Split(sub, ":"), true)
			} else {
				var used int
				c, used, ok = extended(fields[i+1:], false)
				i += used
			}
			if ok {
				setColor(&st, n, c)
			}
		case n == 4 && sub != "":
			if u, err := strconv.Atoi(sub); err == nil && u >= 0 && u <= int(cells.UnderlineDashed) {
				st.Underline = cells.Underline(u)
			}
		default:
			simpleSGR(&st, n)
		}
	}
	return st
}

func setColor(st *cells.Style, n int, c cells.Color) {
	switch n {
	case 38:
		st.FG = c
	case 48:
		st.BG = c
	default:
		st.UnderlineColor = c
	}
}

// extended reads 5;n or 2;r;g;b (with colons also 2::r:g:b) and tells how many
// fields that took.
func extended(f []string, colons bool) (c cells.Color, used int, ok bool) {
	num := func(i int) int {
		if i >= len(f) {
			return -1
		}
		n, err := strconv.Atoi(f[i])
		if err != nil || n < 0 || n > 255 {
			return -1
		}
		return n
	}
	switch num(0) {
	case 5:
		n := num(1)
		return cells.Indexed(uint8(max(n, 0))), 2, n >= 0
	case 2:
		at := 1
		if colons && len(f) >= 5 {
			at = 2
		}
		r, g, b := num(at), num(at+1), num(at+2)
		return cells.RGB(uint8(max(r, 0)), uint8(max(g, 0)), uint8(max(b, 0))), 4, r >= 0 && g >= 0 && b >= 0
	}
	return 0, min(1, len(f)), false
}

var sgrOn = map[int]cells.Attr{1: cells.Bold, 2: cells.Dim, 3: cells.Italic, 5: cells.Blink, 6: cells.Blink, 7: cells.Inverse, 8: cells.Hidden, 9: cells.Strike, 53: cells.Overline}
var sgrOff = map[int]cells.Attr{22: cells.Bold | cells.Dim, 23: cells.Italic, 25: cells.Blink, 27: cells.Inverse, 28: cells.Hidden, 29: cells.Strike, 55: cells.Overline}

func simpleSGR(st *cells.Style, n int) {
	switch {
	case n == 0:
		*st = cells.Style{}
	case n == 4:
		st.Underline = cells.UnderlineSingle
	case n == 21:
		st.Underline = cells.UnderlineDouble
	case n == 24:
		st.Underline = cells.UnderlineNone
	case n >= 30 && n <= 37:
		st.FG = cells.Indexed(uint8(n - 30))
	case n == 39:
		st.FG = cells.DefaultColor
	case n >= 40 && n <= 47:
		st.BG = cells.Indexed(uint8(n - 40))
	case n == 49:
		st.BG = cells.DefaultColor
	case n == 59:
		st.UnderlineColor = cells.DefaultColor
	case n >= 90 && n <= 97:
		st.FG = cells.Indexed(uint8(n - 90 + 8))
	case n >= 100 && n <= 107:
		st.BG = cells.Indexed(uint8(n - 100 + 8))
	default:
		st.Attrs |= sgrOn[n]
		st.Attrs &^= sgrOff[n]
	}
}
