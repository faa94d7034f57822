package cells

// Row is one line of cells. The function that returns a row says who owns the slice and
// how long it stays valid.
type Row struct {
	Cells []Cell
	// Gen is the generation at which the row last changed (see the engines);
	// 0 where generations are not kept.
	Gen uint64
	// Edited is the generation at which the line's own cells last changed, wherever it
	// stood: a line that only scrolled keeps it, so Edited <= Gen. With a scroll hint
	// (see the engines) only rows edited later need repainting. 0 where generations are
	// not kept.
	Edited uint64
	// Wrapped: the text continues in the next row without a line break (soft wrap).
	Wrapped bool
}

// AppendText appends the row's text in UTF-8 to dst: a wide cluster once, without
// trailing blanks.
func (t *Table) AppendText(dst []byte, cells []Cell) []byte {
	end := len(cells)
	for end > 0 && cells[end-1].Blank() {
		end--
	}
	for _, c := range cells[:end] {
		if c.Span != Tail {
			dst = t.AppendGlyph(dst, c.Glyph)
		}
	}
	return dst
}
