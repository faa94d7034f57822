package paint

import (
	"github.com/charmbracelet/colorprofile"

	"ccdir/internal/cells"
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
func (r *reducer) onConsole(s cells.Style) cells.Style {
	if r.caps.Profile <= colorprofile.ASCII {
		if s.Attrs&cells.Inverse != 0 {
			s.Attrs &^= cells.Bold | cells.Dim
		}
		return cancelled(s)
	}
	fg, bright := eighth(s.FG)
	if bright {
		s.Attrs |= cells.Bold
	}
	bg, brightBG := eighth(s.BG)
	s.FG, s.BG = fg, bg
	s = cancelled(s)
	if s.Attrs&cells.Inverse != 0 {
		s.Attrs &^= cells.Inverse | cells.Bold
		if s.FG, s.BG = bg, fg; s.BG.IsDefault() {
			s.BG = cells.Indexed(7)
		}
		switch {
		case s.FG.IsDefault():
			s.FG = inkOn(s.BG)
		case brightBG:
			s.Attrs |= cells.Bold
		}
		if i, _ := s.FG.Index(); i == 15 {
			s.FG, s.Attrs = cells.Indexed(7), s.Attrs|cells.Bold
		}
	}
	if !s.BG.IsDefault() {
		s.Attrs &^= cells.Dim
		s.Underline = cells.UnderlineNone
	}
	return s
}

// cancelled is s without bold and dim if it has both.
func cancelled(s cells.Style) cells.Style {
	if both := cells.Bold | cells.Dim; s.Attrs&both == both {
		s.Attrs &^= both
	}
	return s
}

// eighth is the one of the first eight colours that c is, and whether it is the
// bright one.
func eighth(c cells.Color) (base cells.Color, bright bool) {
	if i, ok := c.Index(); ok && i >= 8 && i < 16 {
		return cells.Indexed(i - 8), true
	}
	return c, false
}

// inkOn is black or white, whichever has more contrast to that background in the
// console's own colours: white on black, red, brown, blue and magenta.
func inkOn(bg cells.Color) cells.Color {
	switch i, _ := bg.Index(); i {
	case 0, 1, 3, 4, 5:
		return cells.Indexed(15)
	}
	return cells.Indexed(0)
}
