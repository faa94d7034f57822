package paint

import (
	"image/color"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"ccdir/internal/cells"
)

// maxReduced bounds the cache of reduced colours, which is emptied when full.
const maxReduced = 4096

// reducer reduces styles to those that a terminal can show.
type reducer struct {
	caps  Caps
	cache map[cells.Color]cells.Color
}

// style returns s as the terminal can show it. A terminal without colours keeps bold,
// inverse and other attributes.
func (r *reducer) style(s cells.Style) cells.Style {
	s.FG, s.BG = r.color(s.FG), r.color(s.BG)
	s.Attrs &^= r.caps.Lacks
	if r.caps.Profile <= colorprofile.NoTTY {
		s.Attrs, s.Underline = 0, cells.UnderlineNone
	}
	if !r.caps.Underlines {
		s.UnderlineColor = cells.DefaultColor
		if s.Underline > cells.UnderlineSingle {
			s.Underline = cells.UnderlineSingle
		}
	} else {
		s.UnderlineColor = r.color(s.UnderlineColor)
	}
	if r.caps.Glyphs == GlyphsConsole {
		s = r.onConsole(s)
	}
	if s.Underline == cells.UnderlineNone {
		s.UnderlineColor = cells.DefaultColor
	}
	return s
}

func (r *reducer) color(c cells.Color) cells.Color {
	if c.IsDefault() || r.caps.Profile <= colorprofile.ASCII {
		return cells.DefaultColor
	}
	i, indexed := c.Index()
	switch {
	case r.caps.Profile >= colorprofile.TrueColor:
		return c
	case indexed && (i < 16 || r.caps.Profile >= colorprofile.ANSI256):
		return c
	}
	if to, ok := r.cache[c]; ok {
		return to
	}
	if r.cache == nil || len(r.cache) >= maxReduced {
		r.cache = map[cells.Color]cells.Color{}
	}
	to := r.convert(c)
	r.cache[c] = to
	return to
}

// convert finds the nearest palette colour.
func (r *reducer) convert(c cells.Color) cells.Color {
	var from color.Color
	if red, green, blue, ok := c.RGB(); ok {
		from = color.RGBA{R: red, G: green, B: blue, A: 0xff}
	} else {
		i, _ := c.Index()
		from = ansi.IndexedColor(i)
	}
	if r.caps.Profile >= colorprofile.ANSI256 {
		return cells.Indexed(uint8(ansi.Convert256(from)))
	}
	greys := &xtermGreys
	if r.caps.Glyphs == GlyphsConsole {
		greys = &consoleGreys
	}
	return cells.Indexed(sixteenth(from, greys))
}

// The greys among the sixteen colours, 0, 8, 7 and 15, of xterm and of the Linux
// console.
var (
	xtermGreys   = [4]int{0x00, 0x7f, 0xe5, 0xff}
	consoleGreys = [4]int{0x00, 0x55, 0xaa, 0xff}
)

// brightFrom is the value, of 255, from which a colour is one of the bright eight.
const brightFrom = 192

// sixteenth is the colour of the sixteen that has c's name. The hue counts first, because
// programs mean something by it (green for good, red for bad), then the brightness. A
// colour with hardly any hue becomes the nearest grey.
func sixteenth(c color.Color, greys *[4]int) uint8 {
	v := color.RGBAModel.Convert(c).(color.RGBA)
	r, g, b := int(v.R), int(v.G), int(v.B)
	top, low := max(r, g, b), min(r, g, b)
	if chroma := top - low; top < 40 || chroma*5 < top {
		best := 0
		for i, grey := range greys {
			if abs := absInt(top - grey); abs < absInt(top-greys[best]) {
				best = i
			}
		}
		return [4]uint8{0, 8, 7, 15}[best]
	}
	// Red, green and blue are bits 0 to 2: set if nearer to the strongest of the three
	// than to the weakest.
	half := (top + low + 1) / 2
	var index uint8
	for i, part := range [3]int{r, g, b} {
		if part >= half {
			index |= 1 << i
		}
	}
	if top >= brightFrom {
		index += 8
	}
	return index
}
