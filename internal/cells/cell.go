package cells

// Glyph is the content of a cell: 0 for a cell that was never written or was erased
// (drawn as a space), a rune, or, with the highest bit set, the id of a grapheme
// cluster of more than one rune.
type Glyph uint32

const clusterBit Glyph = 1 << 31

// IsCluster reports whether g is the id of a cluster; the Table that issued the id has
// its text.
func (g Glyph) IsCluster() bool { return g&clusterBit != 0 }

// Span is a cell's part in a character's width.
type Span uint8

const (
	// Narrow: the character takes this one cell. The zero value.
	Narrow Span = iota
	// Wide: the character takes this cell and the next, which is a Tail.
	Wide
	// Tail: the second column of the Wide cell before it. Its glyph is 0 and
	// it has the style of its head.
	Tail
)

// Cell is one column of one row. 8 bytes; the zero value is a blank cell in the default
// style. A Wide cell is always followed by its Tail, and a Tail always follows its Wide
// cell: code that overwrites one half blanks the other.
type Cell struct {
	Glyph Glyph
	Style StyleID
	Span  Span
}

// Blank reports whether the cell shows nothing but its background: never
// written, erased, or a space.
func (c Cell) Blank() bool { return (c.Glyph == 0 || c.Glyph == ' ') && c.Span != Tail }
