package paint

import (
	"github.com/charmbracelet/colorprofile"

	"ccdir/internal/grid"
)

// onConsole is s by what the Linux console has for it. It has eight colours for
// characters, one bit that makes them bright, and eight backgrounds, so:
//
//   - Bold and the bright colours are the same thing, which SGR 22 ends and SGR 30 to 39
//     do not. One name for both, bold, keeps changes of style right.
//   - Dim is a dark grey and underlined a cyan, instead of the colour and on any
//     background; both are kept where they can be read. Bold and dim are one of the
//     two, whichever came last.
//   - Inverse swaps the colours but not the bit, so bold text becomes dark grey. It is
//     said by colours instead, with an ink that can be read.
func (r *reducer) onConsole(s grid.Style) grid.Style {
	if r.caps.Profile <= colorprofile.ASCII {
		if s.Attrs&grid.Inverse != 0 {
			s.Attrs &^= grid.Bold | grid.Dim
		}
		return cancelled(s)
	}
	fg, bright := eighth(s.FG)
	if bright {
		s.Attrs |= grid.Bold
	}
	bg, brightBG := eighth(s.BG)
	s.FG, s.BG = fg, bg
	s = cancelled(s)
	if s.Attrs&grid.Inverse != 0 {
		s.Attrs &^= grid.Inverse | grid.Bold
		if s.FG, s.BG = bg, fg; s.BG.IsDefault() {
			s.BG = grid.Indexed(7)
		}
		switch {
		case s.FG.IsDefault():
			s.FG = inkOn(s.BG)
		case brightBG:
			s.Attrs |= grid.Bold
		}
		if i, _ := s.FG.Index(); i == 15 {
			s.FG, s.Attrs = grid.Indexed(7), s.Attrs|grid.Bold
		}
	}
	if !s.BG.IsDefault() {
		s.Attrs &^= grid.Dim
		s.Underline = grid.UnderlineNone
	}
	return s
}

// cancelled is s without bold and dim if it has both.
func cancelled(s grid.Style) grid.Style {
	if both := grid.Bold | grid.Dim; s.Attrs&both == both {
		s.Attrs &^= both
	}
	return s
}

// eighth is the one of the first eight colours that c is, and whether it is the
// bright one.
func eighth(c grid.Color) (base grid.Color, bright bool) {
	if i, ok := c.Index(); ok && i >= 8 && i < 16 {
		return grid.Indexed(i - 8), true
	}
	return c, false
}

// inkOn is black or white, whichever has more contrast to that background in the
// console's own colours: white on black, red, brown, blue and magenta.
func inkOn(bg grid.Color) grid.Color {
	switch i, _ := bg.Index(); i {
	case 0, 1, 3, 4, 5:
		return grid.Indexed(15)
	}
	return grid.Indexed(0)
}
