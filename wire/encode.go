package wire

import (
	"encoding/binary"
	"unicode/utf8"

	"ccdir/internal/cells"
)

// The encoding of rows (Frame.Data, HistoryResult.Rows, the final screen):
//
//	styles  uvarint count, then each style. Style 0 is the default and not in
//	        the list; the first listed is 1.
//	rows    uvarint count, then each row: uvarint index, a byte (bit 0: wrapped),
//	        runs, a run of kind 0.
//
// A style is a byte that says which fields follow (bit 0 foreground, 1
// background, 2 underline colour, 3 attributes, 4 underline, 5 hyperlink), then
// those fields: a colour is 1 and the palette index, or 2 and red, green, blue;
// attributes are a uvarint of cells.Attr; the underline a byte; the link a
// uvarint length and the URI.
//
// A run is uvarint style*8+kind, uvarint n, and what the kind says. Cells after
// the last run are blank in the default style. A space and a cell that was
// never written are the same on the wire.
const (
	runEnd           = 0 // the row ends (style and n are absent)
	runBlank         = 1 // n blank cells
	runASCII         = 2 // n bytes, a narrow cell each
	runNarrow        = 3 // n runes in UTF-8, a narrow cell each
	runWide          = 4 // n runes in UTF-8, two cells each
	runNarrowCluster = 5 // one cluster of n bytes in one cell
	runWideCluster   = 6 // one cluster of n bytes in two cells
	runRepeat        = 7 // n narrow cells that all show the rune that follows (uvarint)
)

const (
	styleFG = 1 << iota
	styleBG
	styleUnderlineColor
	styleAttrs
	styleUnderline
	styleLink
)

const rowWrapped = 1

// Minimum lengths from which a run of its own is shorter than continuing the one before.
const (
	minBlankRun  = 4
	minRepeatRun = 4
)

// RowEncoder collects rows and encodes them. The zero value is ready after
// Reset. Buffers are kept between uses.
type RowEncoder struct {
	table *cells.Table
	// at[id] is stamp<<32 | wire index, for styles used since Reset.
	at     []uint64
	stamp  uint64
	styles []cells.StyleID
	rows   []byte
	count  int
}

// Reset drops the rows. Rows added from now on have cells of table.
func (e *RowEncoder) Reset(table *cells.Table) {
	e.table = table
	e.stamp++
	e.styles = e.styles[:0]
	e.rows = e.rows[:0]
	e.count = 0
}

// AppendTo appends the styles and rows added since Reset to dst.
func (e *RowEncoder) AppendTo(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(e.styles)))
	for _, id := range e.styles {
		dst = appendStyle(dst, e.table, e.table.Style(id))
	}
	dst = binary.AppendUvarint(dst, uint64(e.count))
	return append(dst, e.rows...)
}

// Trim frees buffers above limit, in bytes, after an unusually large use.
func (e *RowEncoder) Trim(limit int) {
	if cap(e.rows) > limit {
		e.rows = nil
	}
}

// style returns the wire index of id.
func (e *RowEncoder) style(id cells.StyleID) uint64 {
	if id == 0 {
		return 0
	}
	if int(id) >= len(e.at) {
		e.at = append(e.at, make([]uint64, max(e.table.Styles(), int(id)+1)-len(e.at))...)
	}
	if v := e.at[id]; v>>32 == e.stamp&0xffffffff {
		return v & 0xffffffff
	}
	e.styles = append(e.styles, id)
	n := uint64(len(e.styles))
	e.at[id] = e.stamp<<32 | n
	return n
}

// Add adds a row under an index. Cells beyond maxCols are left out.
func (e *RowEncoder) Add(index int, row cells.Row) {
	cells := row.Cells
	if len(cells) > maxCols {
		cells = cells[:maxCols]
	}
	for len(cells) > 0 && cells[len(cells)-1].Style == 0 && cells[len(cells)-1].Blank() {
		cells = cells[:len(cells)-1]
	}
	e.count++
	e.rows = binary.AppendUvarint(e.rows, uint64(index))
	var flags byte
	if row.Wrapped {
		flags |= rowWrapped
	}
	e.rows = append(e.rows, flags)
	for len(cells) > 0 {
		cells = cells[e.run(cells):]
	}
	e.rows = append(e.rows, runEnd)
}

func (e *RowEncoder) head(style cells.StyleID, kind, n int) {
	h := e.style(style)<<3 | uint64(kind)
	if h < 0x80 && n < 0x80 { // most heads take two bytes
		e.rows = append(e.rows, byte(h), byte(n))
		return
	}
	e.rows = binary.AppendUvarint(e.rows, h)
	e.rows = binary.AppendUvarint(e.rows, uint64(n))
}

// run encodes one run from the start of row, which is not empty, and returns the number of
// its cells.
func (e *RowEncoder) run(row []cells.Cell) int {
	c := row[0]
	switch {
	case c.Span == cells.Wide && len(row) > 1 && row[1].Span == cells.Tail:
		if c.Glyph.IsCluster() {
			e.cluster(c, runWideCluster)
			return 2
		}
		return e.wide(row)
	case c.Span != cells.Narrow:
		// Half of a wide character: engines do not make them.
		e.head(c.Style, runBlank, 1)
		return 1
	case c.Glyph.IsCluster():
		e.cluster(c, runNarrowCluster)
		return 1
	}
	if n := same(row); n >= minRepeatRun {
		if c.Blank() {
			e.head(c.Style, runBlank, n)
		} else {
			e.head(c.Style, runRepeat, n)
			e.rows = binary.AppendUvarint(e.rows, uint64(c.Glyph))
		}
		return n
	}
	return e.text(row)
}

// same counts the narrow cells at the start that equal the first (blanks all
// count as equal).
func same(row []cells.Cell) int {
	c := row[0]
	n := 1
	if c.Blank() {
		for n < len(row) && row[n].Style == c.Style && row[n].Span == cells.Narrow && row[n].Blank() {
			n++
		}
		return n
	}
	for n < len(row) && row[n] == c {
		n++
	}
	return n
}

// text encodes narrow single-rune cells of one style, ASCII or not, up to where another
// kind of run is shorter.
func (e *RowEncoder) text(row []cells.Cell) int {
	style := row[0].Style
	ascii := row[0].Glyph < utf8.RuneSelf
	n, alike := 1, 1
	for n < len(row) {
		c := row[n]
		if c.Style != style || c.Span != cells.Narrow || c.Glyph.IsCluster() || ascii && c.Glyph >= utf8.RuneSelf {
			break
		}
		if c.Glyph == row[n-1].Glyph || c.Blank() && row[n-1].Blank() {
			if alike++; alike == minRepeatRun {
				n -= minRepeatRun - 1
				break
			}
		} else {
			alike = 1
		}
		n++
	}
	if !ascii {
		e.head(style, runNarrow, n)
		for _, c := range row[:n] {
			if c.Glyph == 0 {
				c.Glyph = ' '
			}
			e.rows = utf8.AppendRune(e.rows, rune(c.Glyph))
		}
		return n
	}
	e.head(style, runASCII, n)
	for _, c := range row[:n] {
		g := byte(c.Glyph)
		if g == 0 {
			g = ' '
		}
		e.rows = append(e.rows, g)
	}
	return n
}

// wide encodes wide single-rune characters of one style.
func (e *RowEncoder) wide(row []cells.Cell) int {
	style := row[0].Style
	n := 0
	for n+1 < len(row) && row[n].Span == cells.Wide && row[n+1].Span == cells.Tail &&
		row[n].Style == style && !row[n].Glyph.IsCluster() {
		n += 2
	}
	e.head(style, runWide, n/2)
	for i := 0; i < n; i += 2 {
		e.rows = utf8.AppendRune(e.rows, rune(row[i].Glyph))
	}
	return n
}

func (e *RowEncoder) cluster(c cells.Cell, kind int) {
	var buf [cells.MaxClusterBytes]byte
	text := e.table.AppendGlyph(buf[:0], c.Glyph)
	e.head(c.Style, kind, len(text))
	e.rows = append(e.rows, text...)
}

func appendStyle(dst []byte, t *cells.Table, s cells.Style) []byte {
	at := len(dst)
	dst = append(dst, 0)
	var bits byte
	if !s.FG.IsDefault() {
		bits |= styleFG
		dst = appendColor(dst, s.FG)
	}
	if !s.BG.IsDefault() {
		bits |= styleBG
		dst = appendColor(dst, s.BG)
	}
	if !s.UnderlineColor.IsDefault() {
		bits |= styleUnderlineColor
		dst = appendColor(dst, s.UnderlineColor)
	}
	if s.Attrs != 0 {
		bits |= styleAttrs
		dst = binary.AppendUvarint(dst, uint64(s.Attrs))
	}
	if s.Underline != 0 {
		bits |= styleUnderline
		dst = append(dst, byte(s.Underline))
	}
	if uri := t.LinkURI(s.Link); uri != "" {
		bits |= styleLink
		dst = binary.AppendUvarint(dst, uint64(len(uri)))
		dst = append(dst, uri...)
	}
	dst[at] = bits
	return dst
}

func appendColor(dst []byte, c cells.Color) []byte {
	if i, ok := c.Index(); ok {
		return append(dst, 1, i)
	}
	r, g, b, _ := c.RGB()
	return append(dst, 2, r, g, b)
}
