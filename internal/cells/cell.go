package cells

// Glyph is what a cell shows: 0 for a cell that was never written or was
// erased (drawn as a space), a rune, or the id of a grapheme cluster of more
// than one rune, told apart by the highest bit.
type Glyph uint32

const clusterBit Glyph = 1 << 31

// IsCluster reports whether g stands for a cluster of several runes; its text
// is then in the Table that gave it out.
func (g Glyph) IsCluster() bool { return g&clusterBit != 0 }

// Span says how a cell takes part in a character's width.
type Span uint8

const (
	// Narrow: the character takes this one cell. The zero value.
	Narrow Span = iota
	// Wide: the character takes this cell and the next, which is a Tail.
	Wide
	// Tail: the second column of the Wide cell before it. Its glyph is 0 and
	// its style is that of its head.
	Tail
)

// Cell is one column of one row. 8 bytes; the zero value is a blank cell in
// the default style. A Wide cell is always followed by its Tail and a Tail
// always follows its Wide cell: whoever overwrites one half blanks the other.
type Cell struct {
	Glyph Glyph
	Style StyleID
	Span  Span
}

// Blank reports whether the cell shows nothing but its background: never
// written, erased, or a space.
func (c Cell) Blank() bool { return (c.Glyph == 0 || c.Glyph == ' ') && c.Span != Tail }
