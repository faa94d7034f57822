package paint

import (
	"fmt"
	"slices"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"ccdir/internal/cells"
)

// modelCell is what is wanted in a cell, in plain values: no ids, no tables. w is its
// columns, 0 for the second half of a wide character.
type modelCell struct {
	text string
	w    int
	st   cells.Style // without its link
	uri  string
}

// model is the picture that is wanted, kept beside a Surface by the simplest rules
// there are, and reduced to what the terminal has. It shares no code with the surface, layers, patches and reducer that it judges.
type model struct {
	cols, rows int
	cells      []modelCell
	caps       Caps
}

func newModel(cols, rows int, caps Caps) *model {
	m := &model{caps: caps}
	m.resize(cols, rows)
	return m
}

func (m *model) resize(cols, rows int) {
	m.cols, m.rows = cols, rows
	m.cells = make([]modelCell, cols*rows)
	m.clear()
}

func (m *model) clear() {
	for i := range m.cells {
		m.cells[i] = modelCell{w: 1}
	}
}

func (m *model) at(x, y int) *modelCell { return &m.cells[y*m.cols+x] }

// open blanks the other half of a wide character of which the cell is one.
func (m *model) open(x, y int) {
	other := x + 1
	switch m.at(x, y).w {
	case 1:
		return
	case 0:
		other = x - 1
	}
	m.at(other, y).text, m.at(other, y).w = "", 1
}

// put sets a character; what lies outside is dropped.
func (m *model) put(x, y int, c modelCell) {
	if y < 0 || y >= m.rows || x < 0 || x+c.w > m.cols {
		return
	}
	if c.text = m.glyph(c.text); c.text == " " {
		c.text = ""
	}
	if c.st = m.reduced(c.st); !m.caps.Links {
		c.uri = ""
	}
	if c.text == "" && !showsOnBlanks(c.st, c.uri) {
		c.st = cells.Style{BG: c.st.BG}
	}
	for i := range c.w {
		m.open(x+i, y)
		*m.at(x+i, y) = modelCell{st: c.st, uri: c.uri}
	}
	*m.at(x, y) = c
}

// showsOnBlanks reports whether of a blank more is seen than its background.
func showsOnBlanks(st cells.Style, uri string) bool {
	return !st.BG.IsDefault() || st.Attrs&(cells.Inverse|cells.Strike|cells.Overline) != 0 || st.Underline != 0 || uri != ""
}

// glyph is a character as a font has it.
func (m *model) glyph(text string) string {
	if m.caps.Glyphs == GlyphsAll || text == "" {
		if whole := map[string]string{"👍🏽": "👍", "👩‍🚀": "👩"}; m.caps.Sums && whole[text] != "" {
			return whole[text]
		}
		return text
	}
	first := string([]rune(text)[:1]) // a console has no clusters
	for from, to := range map[string]string{
		"─━│┃┌┐└┘╭╮╰╯┏┓┗┛█": "─═│║┌┐└┘┌┐└┘╔╗╚╝█", "␛␉␇�": "^^^?",
	} {
		if i := slices.Index([]rune(from), []rune(first)[0]); i >= 0 {
			first = string([]rune(to)[i])
		}
	}
	if m.caps.Glyphs == GlyphsASCII {
		if i := slices.Index([]rune("─═│║┌┐└┘╔╗╚╝█"), []rune(first)[0]); i >= 0 {
			first = string("-=||++++++++#"[i])
		}
	}
	return first
}

// color is a colour as the terminal has it.
func (m *model) color(c cells.Color) cells.Color {
	i, indexed := c.Index()
	r, g, b, _ := c.RGB()
	from := ansi.Color(ansi.RGBColor{R: r, G: g, B: b})
	if indexed {
		from = ansi.IndexedColor(i)
	}
	switch p := m.caps.Profile; {
	case p <= colorprofile.ASCII || c.IsDefault():
		return cells.DefaultColor
	case p >= colorprofile.TrueColor, indexed && p == colorprofile.ANSI256, indexed && i < 16:
		return c
	case p == colorprofile.ANSI256:
		return cells.Indexed(uint8(ansi.Convert256(from)))
	case m.caps.Glyphs == GlyphsConsole:
		return cells.Indexed(sixteenth(from, &consoleGreys)) // TestReduceTo16 is about it
	}
	return cells.Indexed(sixteenth(from, &xtermGreys))
}

// reduced is a style as the terminal has it.
func (m *model) reduced(st cells.Style) cells.Style {
	st.FG, st.BG, st.UnderlineColor = m.color(st.FG), m.color(st.BG), m.color(st.UnderlineColor)
	st.Attrs &^= m.caps.Lacks
	if !m.caps.Underlines {
		st.Underline, st.UnderlineColor = min(st.Underline, cells.UnderlineSingle), cells.DefaultColor
	}
	if st.Underline == cells.UnderlineNone {
		st.UnderlineColor = cells.DefaultColor
	}
	if m.caps.Profile <= colorprofile.NoTTY {
		st = cells.Style{}
	}
	if m.caps.Glyphs == GlyphsConsole { // TestLinuxConsoleShowsTheSurface is about it
		st = (&reducer{caps: m.caps}).onConsole(st)
	}
	return st
}

// want is what the terminal has to show, cell by cell.
func (m *model) want() []string {
	out := make([]string, len(m.cells))
	for i, c := range m.cells {
		from := c
		if c.w == 0 { // the terminal has one style for both
			from = m.cells[i-1]
		}
		out[i] = describe(c.text, c.w, from.st, from.uri)
	}
	return out
}

// describe is what can be seen of a cell.
func describe(text string, w int, st cells.Style, uri string) string {
	if text == " " {
		text = ""
	}
	if text == "" && w == 1 && !showsOnBlanks(cells.Style{Attrs: st.Attrs, Underline: st.Underline}, uri) {
		st = cells.Style{BG: st.BG}
	}
	return fmt.Sprintf("%q %d %v %q", text, w, st, uri)
}
