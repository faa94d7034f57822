package cells

// Color is a terminal colour: the default, one of the 256 palette entries, or
// a 24-bit RGB value. The zero value is the default colour of its plane.
type Color uint32

const (
	colorIndexed Color = 1 << 24
	colorRGB     Color = 2 << 24
	colorKind    Color = 0xff << 24
)

// DefaultColor is the terminal's own foreground or background.
const DefaultColor Color = 0

// Indexed returns the palette colour i (0-255, as in SGR 38;5;i).
func Indexed(i uint8) Color { return colorIndexed | Color(i) }

// RGB returns the direct colour r, g, b (as in SGR 38;2;r;g;b).
func RGB(r, g, b uint8) Color {
	return colorRGB | Color(r)<<16 | Color(g)<<8 | Color(b)
}

// IsDefault reports whether c is the default colour.
func (c Color) IsDefault() bool { return c&colorKind == 0 }

// Index returns the palette index, and false if c is not a palette colour.
func (c Color) Index() (uint8, bool) { return uint8(c), c&colorKind == colorIndexed }

// RGB returns the components, and false if c is not a direct colour.
func (c Color) RGB() (r, g, b uint8, ok bool) {
	return uint8(c >> 16), uint8(c >> 8), uint8(c), c&colorKind == colorRGB
}

// Attr is a set of rendition flags (SGR 1-9 and 53).
type Attr uint16

// The rendition flags. Underline is not among them: see [Underline].
const (
	Bold Attr = 1 << iota
	Dim
	Italic
	Blink
	Inverse
	Hidden
	Strike
	Overline
	// Protected: selective erase leaves the cell (DECSCA). Not drawn.
	Protected
)

// Underline is the style of an underline (SGR 4:n).
type Underline uint8

// The underline styles, numbered as in SGR 4:n.
const (
	UnderlineNone Underline = iota
	UnderlineSingle
	UnderlineDouble
	UnderlineCurly
	UnderlineDotted
	UnderlineDashed
)

// Style is the rendition of a cell. It is comparable; the zero value is the default
// rendition. 16 bytes.
type Style struct {
	// FG and BG are the colours as set: inverse does not swap them, and bold does not
	// brighten them.
	FG, BG Color
	// UnderlineColor is the colour of the underline (SGR 58); default means the
	// foreground.
	UnderlineColor Color
	Attrs          Attr
	Underline      Underline
	// Link is the id of a hyperlink (OSC 8) in the owning Table; 0 is none. A table
	// holds at most 255 links at a time.
	Link uint8
}
