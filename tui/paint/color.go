package paint

import (
	"image/color"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"ccdir/internal/grid"
)

// maxReduced bounds the cache of reduced colours; it starts afresh when full.
const maxReduced = 4096

// reducer brings styles down to what a terminal can show.
type reducer struct {
	caps  Caps
	cache map[grid.Color]grid.Color
}

// style returns s as the terminal can show it. Bold, inverse and the like stay
// on a terminal without colours.
func (r *reducer) style(s grid.Style) grid.Style {
	s.FG, s.BG = r.color(s.FG), r.color(s.BG)
	s.Attrs &^= r.caps.Lacks
	if r.caps.Profile <= colorprofile.NoTTY {
		s.Attrs, s.Underline = 0, grid.UnderlineNone
	}
	if !r.caps.Underlines {
		s.UnderlineColor = grid.DefaultColor
		if s.Underline > grid.UnderlineSingle {
			s.Underline = grid.UnderlineSingle
		}
	} else {
		s.UnderlineColor = r.color(s.UnderlineColor)
	}
	if s.Underline == grid.UnderlineNone {
		s.UnderlineColor = grid.DefaultColor
	}
	return s
}

func (r *reducer) color(c grid.Color) grid.Color {
	if c.IsDefault() || r.caps.Profile <= colorprofile.ASCII {
		return grid.DefaultColor
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
		r.cache = map[grid.Color]grid.Color{}
	}
	to := convert(c, r.caps.Profile)
	r.cache[c] = to
	return to
}

// convert finds the nearest palette colour.
func convert(c grid.Color, p colorprofile.Profile) grid.Color {
	var from color.Color
	if red, green, blue, ok := c.RGB(); ok {
		from = color.RGBA{R: red, G: green, B: blue, A: 0xff}
	} else {
		i, _ := c.Index()
		from = ansi.IndexedColor(i)
	}
	if p >= colorprofile.ANSI256 {
		return grid.Indexed(uint8(ansi.Convert256(from)))
	}
	return grid.Indexed(uint8(ansi.Convert16(from)))
}
