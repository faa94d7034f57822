package paint

import (
	"github.com/charmbracelet/colorprofile"

	"ccdir/internal/cells"
)

// onConsole expresses s by the means of the Linux console: eight foreground colours, one bit
// that makes them bright, and eight backgrounds.
//
//   - Bold and the bright colours are the same bit, which SGR 22 clears and SGR 30 to 39 do
//     not. Both are expressed as bold, so that changes of style stay right.
//   - Dim replaces the colour by dark grey, and underline by cyan, on any background; both
//     are kept only where they are legible. Bold and dim exclude each other: the later one
//     counts.
//   - Inverse swaps the colours but not the bit, so bold text would become dark grey. It is
//     expressed by colours instead, with a legible foreground.
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

// cancelled drops bold and dim from s if it has both.
func cancelled(s cells.Style) cells.Style {
	if both := cells.Bold | cells.Dim; s.Attrs&both == both {
		s.Attrs &^= both
	}
	return s
}

// eighth splits c into one of the first eight colours and whether it is the bright one.
func eighth(c cells.Color) (base cells.Color, bright bool) {
	if i, ok := c.Index(); ok && i >= 8 && i < 16 {
		return cells.Indexed(i - 8), true
	}
	return c, false
}

// inkOn is black or white, whichever has more contrast on that background in the console's
// palette: white on black, red, brown, blue and magenta.
func inkOn(bg cells.Color) cells.Color {
	switch i, _ := bg.Index(); i {
	case 0, 1, 3, 4, 5:
		return cells.Indexed(15)
	}
	return cells.Indexed(0)
}
