package markdown

import (
	"strings"

	"ccdir/internal/cells"
	"ccdir/tui/paint"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// fenced sets a block of code between fences; without an end it goes on to the last line.
func (s *setter) fenced(lines []string, f fence, m margin) int {
	n := 1
	for n < len(lines) && !f.ends(lines[n]) {
		n++
	}
	code := make([]string, 0, n)
	for _, l := range lines[1:n] {
		code = append(code, l[min(indent(l), f.indent):])
	}
	s.code(code, f.name == "diff" || f.name == "patch", m)
	return min(n+1, len(lines))
}

// indented sets lines that four blanks make code.
func (s *setter) indented(lines []string, m margin) int {
	n := 0
	for n < len(lines) && (blank(lines[n]) || indent(lines[n]) >= 4) {
		n++
	}
	for blank(lines[n-1]) {
		n--
	}
	code := make([]string, 0, n)
	for _, l := range lines[:n] {
		code = append(code, l[min(indent(l), 4):])
	}
	s.code(code, false, m)
	return n
}

// code sets lines of code as they are, two columns in, on a background of their own where the
// theme has one. Lines that are too long go on anywhere.
func (s *setter) code(lines []string, diff bool, m margin) {
	if len(lines) == 0 {
		lines = []string{""}
	}
	w := s.room(m) - 2
	for _, l := range lines {
		st := s.theme.Code
		switch {
		case diff && strings.HasPrefix(l, "+"):
			st = theme.FG(s.theme.Idle)
		case diff && strings.HasPrefix(l, "-"):
			st = theme.FG(s.theme.Alert)
		}
		for {
			part := paint.Head(l, max(w, 1))
			l = l[len(part):]
			s.codeLine(part, st, l != "", m)
			m = m.next()
			if l == "" {
				break
			}
		}
	}
}

func (s *setter) codeLine(part string, st cells.Style, wrapped bool, m margin) {
	text := "  " + part
	if st.BG != cells.DefaultColor {
		text += strings.Repeat(" ", max(0, s.room(m)-paint.Width(text)))
	}
	s.out = append(s.out, Line{m.first + modal.Styled(text, st), wrapped})
}
