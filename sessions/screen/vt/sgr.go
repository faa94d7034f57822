package vt

import "ccdir/internal/cells"

// linkOnly is the default rendition with what SGR does not change: the open
// hyperlink and protection.
func (t *Terminal) linkOnly() cells.Style {
	s := t.pen.style
	return cells.Style{Link: s.Link, Attrs: s.Attrs & cells.Protected}
}

// sgr is SGR (CSI … m), with the forms of ISO 8613-6 after colons.
func (t *Terminal) sgr(ps *params) {
	for i := 0; i < ps.top; i++ {
		s := &t.pen.style
		switch n := ps.arg(i, 0); {
		case n == 0:
			*s = t.linkOnly()
		case n < 30 || n == 53 || n == 55:
			sgrAttr(s, n, ps.parts(i))
		case n <= 37:
			s.FG = cells.Indexed(uint8(n - 30))
		case n == 38:
			i += sgrColor(&s.FG, ps, i)
		case n == 39:
			s.FG = cells.DefaultColor
		case n <= 47:
			s.BG = cells.Indexed(uint8(n - 40))
		case n == 48:
			i += sgrColor(&s.BG, ps, i)
		case n == 49:
			s.BG = cells.DefaultColor
		case n == 58:
			i += sgrColor(&s.UnderlineColor, ps, i)
		case n == 59:
			s.UnderlineColor = cells.DefaultColor
		case n >= 90 && n <= 97:
			s.FG = cells.Indexed(uint8(n - 90 + 8))
		case n >= 100 && n <= 107:
			s.BG = cells.Indexed(uint8(n - 100 + 8))
		}
	}
	t.penChanged()
}

// sgrAttr sets and takes back what is not a colour.
func sgrAttr(s *cells.Style, n int, parts []int32) {
	switch n {
	case 1:
		s.Attrs |= cells.Bold
	case 2:
		s.Attrs |= cells.Dim
	case 3:
		s.Attrs |= cells.Italic
	case 4:
		s.Underline = cells.UnderlineSingle
		if len(parts) > 0 && parts[0] >= 0 && parts[0] <= int32(cells.UnderlineDashed) {
			s.Underline = cells.Underline(parts[0])
		}
	case 5:
		s.Attrs |= cells.Blink
	case 7:
		s.Attrs |= cells.Inverse
	case 8:
		s.Attrs |= cells.Hidden
	case 9:
		s.Attrs |= cells.Strike
	case 21:
		s.Underline = cells.UnderlineDouble
	case 22:
		s.Attrs &^= cells.Bold | cells.Dim
	case 23:
		s.Attrs &^= cells.Italic
	case 24:
		s.Underline = cells.UnderlineNone
	case 25:
		s.Attrs &^= cells.Blink
	case 27:
		s.Attrs &^= cells.Inverse
	case 28:
		s.Attrs &^= cells.Hidden
	case 29:
		s.Attrs &^= cells.Strike
	case 53:
		s.Attrs |= cells.Overline
	case 55:
		s.Attrs &^= cells.Overline
	}
}

// sgrColor reads the colour that parameter i (38, 48, 58) begins and returns
// how many more parameters it took. Numbers that are missing are 0; a kind of
// colour that is not known changes nothing.
func sgrColor(c *cells.Color, ps *params, i int) (used int) {
	if parts := ps.parts(i); len(parts) > 0 {
		colonColor(c, parts)
		return 0
	}
	if parts := ps.parts(min(i+1, ps.top-1)); i+1 < ps.top && len(parts) > 0 {
		// 38;2:… mixes the forms; what is after the colons belongs to it.
		colonColor(c, append([]int32{int32(ps.arg(i+1, 0))}, parts...))
		return 1
	}
	switch ps.arg(i+1, 0) {
	case 5:
		*c = cells.Indexed(uint8(ps.arg(i+2, 0)))
		return 2
	case 2:
		*c = cells.RGB(uint8(ps.arg(i+2, 0)), uint8(ps.arg(i+3, 0)), uint8(ps.arg(i+4, 0)))
		return 4
	case 0:
		return 1
	}
	return 4
}

// colonColor reads 5:n, 2:r:g:b and 2:space:r:g:b.
func colonColor(c *cells.Color, parts []int32) {
	at := func(i int) uint8 {
		if i < len(parts) && parts[i] > 0 {
			return uint8(parts[i])
		}
		return 0
	}
	switch parts[0] {
	case 5:
		*c = cells.Indexed(at(1))
	case 2:
		first := 1
		if len(parts) > 4 {
			first = 2
		}
		*c = cells.RGB(at(first), at(first+1), at(first+2))
	}
}
