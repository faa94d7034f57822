package wire

import (
	"unicode/utf8"

	"ccdir/internal/cells"
)

// asciiGlyph maps a byte of an ASCII run to its glyph: spaces to the blank glyph,
// unprintable bytes to U+FFFD, so that no host can pass a control character to the outer
// terminal.
var asciiGlyph = func() (t [256]cells.Glyph) {
	for i := range t {
		switch {
		case i == ' ':
			t[i] = 0
		case i > ' ' && i < 0x7f:
			t[i] = cells.Glyph(i)
		default:
			t[i] = cells.Glyph(utf8.RuneError)
		}
	}
	return t
}()

// runeGlyph is asciiGlyph for runes.
func runeGlyph(r rune) cells.Glyph {
	if r < 0x80 {
		return asciiGlyph[byte(r)]
	}
	if r < 0xa0 || r > utf8.MaxRune || r >= 0xd800 && r < 0xe000 {
		return cells.Glyph(utf8.RuneError)
	}
	return cells.Glyph(r)
}

// rowDecoder reads encoded rows one by one.
type rowDecoder struct {
	reader
	table *cells.Table
	ids   []cells.StyleID
	left  int
	// full is set if the table had no room for something.
	full bool
	// noLinks leaves hyperlinks out.
	noLinks bool
}

// begin reads the styles.
func (d *rowDecoder) begin(data []byte, table *cells.Table) error {
	d.reader = reader{b: data}
	d.table, d.full = table, false
	d.ids = append(d.ids[:0], 0)
	n := d.int(cells.MaxStyles)
	if n > len(d.b) { // a style takes at least one byte
		return ErrMalformed
	}
	for range n {
		s, err := d.style()
		if err != nil {
			return err
		}
		id, ok := table.StyleID(s)
		d.full = d.full || !ok
		d.ids = append(d.ids, id)
	}
	d.left = d.int(1 << 20)
	if d.bad {
		return ErrMalformed
	}
	return nil
}

func (d *rowDecoder) style() (s cells.Style, err error) {
	bits := d.byte()
	if bits&styleFG != 0 {
		s.FG = d.color()
	}
	if bits&styleBG != 0 {
		s.BG = d.color()
	}
	if bits&styleUnderlineColor != 0 {
		s.UnderlineColor = d.color()
	}
	if bits&styleAttrs != 0 {
		s.Attrs = cells.Attr(d.int(1<<16 - 1))
	}
	if bits&styleUnderline != 0 {
		s.Underline = cells.Underline(d.byte())
	}
	if bits&styleLink != 0 {
		// Without room for a further link the text has none.
		uri := cleanURI(d.bytes(d.int(cells.MaxLinkBytes)))
		if d.noLinks {
			uri = ""
		}
		s.Link, _ = d.table.Link(uri)
	}
	if d.bad || s.Underline > cells.UnderlineDashed {
		return s, ErrMalformed
	}
	return s, nil
}

// cleanURI returns "" for a URI that is not allowed: older hosts check less.
func cleanURI(b []byte) string {
	if s := string(b); cells.SafeLink(s) {
		return s
	}
	return ""
}

func (d *rowDecoder) color() cells.Color {
	switch d.byte() {
	case 1:
		return cells.Indexed(d.byte())
	case 2:
		r, g, b := d.byte(), d.byte(), d.byte()
		return cells.RGB(r, g, b)
	}
	d.bad = true
	return cells.DefaultColor
}

// next reads a row's head; ok is false after the last row and after an error.
func (d *rowDecoder) next() (index int, wrapped, ok bool) {
	if d.left == 0 || d.bad {
		return 0, false, false
	}
	d.left--
	index = d.int(1 << 30)
	flags := d.byte()
	return index, flags&rowWrapped != 0, !d.bad
}

// cells reads a row's runs into dst and blanks the rest. It returns the number of cells
// that the runs filled.
func (d *rowDecoder) cells(dst []cells.Cell) (int, error) {
	at := 0
	for {
		h := d.uvarint()
		kind := h & 7
		if kind == runEnd {
			if d.bad {
				return 0, ErrMalformed
			}
			clear(dst[at:])
			return at, nil
		}
		if h>>3 >= uint64(len(d.ids)) {
			return 0, ErrMalformed
		}
		style := d.ids[h>>3]
		n := d.int(maxCols * 4)
		width := n
		switch kind {
		case runWide:
			width = 2 * n
		case runNarrowCluster:
			width = 1
		case runWideCluster:
			width = 2
		}
		if d.bad || n < 1 || at+width > len(dst) {
			return 0, ErrMalformed
		}
		if err := d.run(int(kind), n, style, dst[at:at+width]); err != nil {
			return 0, err
		}
		at += width
	}
}

// run reads the content of a run into dst, which has the run's width.
func (d *rowDecoder) run(kind, n int, style cells.StyleID, dst []cells.Cell) error {
	switch kind {
	case runASCII:
		text := d.bytes(n)
		if d.bad {
			return ErrMalformed
		}
		for i, c := range text {
			dst[i] = cells.Cell{Glyph: asciiGlyph[c], Style: style}
		}
	case runBlank:
		for i := range dst {
			dst[i] = cells.Cell{Style: style}
		}
	case runNarrow:
		for i := range dst {
			dst[i] = cells.Cell{Glyph: d.rune(), Style: style}
		}
	case runWide:
		for i := 0; i < len(dst); i += 2 {
			dst[i] = cells.Cell{Glyph: d.rune(), Style: style, Span: cells.Wide}
			dst[i+1] = cells.Cell{Style: style, Span: cells.Tail}
		}
	case runRepeat:
		g := runeGlyph(rune(d.int(utf8.MaxRune)))
		for i := range dst {
			dst[i] = cells.Cell{Glyph: g, Style: style}
		}
	default:
		g := d.cluster(d.bytes(n))
		dst[0] = cells.Cell{Glyph: g, Style: style}
		if kind == runWideCluster {
			dst[0].Span = cells.Wide
			dst[1] = cells.Cell{Style: style, Span: cells.Tail}
		}
	}
	if d.bad {
		return ErrMalformed
	}
	return nil
}

func (d *rowDecoder) rune() cells.Glyph {
	r, n := utf8.DecodeRune(d.b)
	if n == 0 {
		d.bad = true
		return 0
	}
	d.b = d.b[n:]
	return runeGlyph(r)
}

func (d *rowDecoder) cluster(text []byte) cells.Glyph {
	if len(text) > cells.MaxClusterBytes || !utf8.Valid(text) {
		d.bad = true
		return 0
	}
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return cells.Glyph(utf8.RuneError)
		}
		i += n
	}
	g, ok := d.table.Glyph(text)
	d.full = d.full || !ok
	return g
}

// DecodeRows decodes rows (HistoryResult.Rows, the final screen) into cells of
// table and hands them to fn in order, until fn returns false. The cells are
// valid until fn returns; trailing blanks in the default style are cut. What
// does not fit into the table any more is shown in its substitutes.
func DecodeRows(data []byte, table *cells.Table, fn func(index int, row cells.Row) bool) error {
	var d rowDecoder
	if err := d.begin(data, table); err != nil {
		return err
	}
	buf := make([]cells.Cell, maxCols)
	for {
		index, wrapped, ok := d.next()
		if !ok {
			break
		}
		n, err := d.cells(buf)
		if err != nil {
			return err
		}
		if !fn(index, cells.Row{Cells: buf[:n], Wrapped: wrapped}) {
			return nil
		}
	}
	if d.bad {
		return ErrMalformed
	}
	return nil
}
