package markdown

import (
	"strings"

	"ccdir/internal/cells"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// Line is one row of set text.
type Line struct {
	// Text has SGR sequences and hyperlinks (sgr.Draw) and takes at most the width asked for.
	Text string
	// Wrapped: the line goes on in the next one, with which it makes the words as they were
	// written.
	Wrapped bool
}

const (
	// minWidth is the least width that is set for.
	minWidth = 10
	// maxDepth is how deep lists and quotes are told apart, and minRoom the room they need.
	maxDepth, minRoom = 6, minWidth
)

// Lines sets a text in w columns.
func Lines(th *theme.Theme, text string, w int) []Line {
	s := setter{theme: th, width: max(w, minWidth)}
	s.blocks(split(text), margin{}, 0)
	return s.out
}

// split are the lines of a text, harmless, without the empty ones around it.
func split(text string) []string {
	lines := strings.Split(strings.TrimRight(strings.ReplaceAll(text, "\r\n", "\n"), "\n \t"), "\n")
	for i, l := range lines {
		lines[i] = textsafe.Line(strings.ReplaceAll(strings.TrimSuffix(l, "\r"), "\t", "    "))
	}
	for len(lines) > 0 && blank(lines[0]) {
		lines = lines[1:]
	}
	return lines
}

func blank(line string) bool { return strings.TrimLeft(line, " ") == "" }

// margin is what stands before lines: first before the first of a block, rest before the
// others. Both are of w columns and have styles already.
type margin struct {
	first, rest string
	w           int
}

// next is the margin after the first line.
func (m margin) next() margin { m.first = m.rest; return m }

// in is the margin of a block within: sign before its first line, then blanks.
func (m margin) in(sign string, st cells.Style) margin {
	n := paint.Width(sign)
	return margin{m.first + modal.Styled(sign, st), m.rest + strings.Repeat(" ", n), m.w + n}
}

// setter collects the lines of a text.
type setter struct {
	theme *theme.Theme
	width int
	out   []Line
}

// room is how many columns are left beside a margin.
func (s *setter) room(m margin) int { return max(s.width-m.w, 2) }

func (s *setter) line(text string) { s.out = append(s.out, Line{Text: text}) }

// blocks sets lines below a margin. Empty lines between blocks stay, one at most.
func (s *setter) blocks(lines []string, m margin, depth int) {
	for i := 0; i < len(lines); {
		if blank(lines[i]) {
			for i < len(lines) && blank(lines[i]) {
				i++
			}
			if i < len(lines) {
				s.line(m.rest)
			}
			continue
		}
		i += s.block(lines[i:], m, depth)
		m = m.next()
	}
}

// block sets the block with which lines begin and returns how many it took.
func (s *setter) block(lines []string, m margin, depth int) int {
	if f, ok := fenceOf(lines[0]); ok {
		return s.fenced(lines, f, m)
	}
	if level, text := heading(lines[0]); level > 0 {
		s.heading(text, level, m)
		return 1
	}
	if rule(lines[0]) {
		s.line(m.first + modal.Styled(strings.Repeat("─", s.room(m)), theme.FG(s.theme.Dim)))
		return 1
	}
	deeper := depth < maxDepth && s.room(m) >= minRoom
	if deeper && quoted(lines[0]) {
		return s.quote(lines, m, depth)
	}
	if it, ok := itemOf(lines[0]); ok && deeper {
		return s.item(lines, it, m, depth)
	}
	if t, n := tableOf(lines); n > 0 {
		s.table(t, m)
		return n
	}
	if indent(lines[0]) >= 4 {
		return s.indented(lines, m)
	}
	return s.paragraph(lines, m)
}

// paragraph sets lines up to an empty one or another block; a rule of signs below makes them
// a heading.
func (s *setter) paragraph(lines []string, m margin) int {
	n := 1
	for n < len(lines) && !blank(lines[n]) {
		if level := underlined(lines[n]); level > 0 {
			s.heading(strings.Join(lines[:n], " "), level, m)
			return n + 1
		}
		if starts(lines[n:]) {
			break
		}
		n++
	}
	s.text(inline(s.theme, strings.Join(lines[:n], "\n"), cells.Style{}), m)
	return n
}

// starts reports whether a block begins that ends a paragraph.
func starts(lines []string) bool {
	if _, ok := fenceOf(lines[0]); ok {
		return true
	}
	if level, _ := heading(lines[0]); level > 0 || rule(lines[0]) || quoted(lines[0]) {
		return true
	}
	if it, ok := itemOf(lines[0]); ok {
		return !it.numbered || it.first
	}
	_, n := tableOf(lines)
	return n > 0
}

// heading sets a heading.
func (s *setter) heading(text string, level int, m margin) {
	st := theme.Bold(s.theme.Accent)
	if level == 1 {
		st.Underline = cells.UnderlineSingle
	}
	s.text(inline(s.theme, text, st), m)
}

// quote sets the lines of a quote beside a bar.
func (s *setter) quote(lines []string, m margin, depth int) int {
	var inner []string
	n := 0
	for ; n < len(lines) && (quoted(lines[n]) || n > 0 && !blank(lines[n]) && !starts(lines[n:])); n++ {
		l := lines[n]
		if quoted(l) {
			l = strings.TrimPrefix(strings.TrimLeft(l, " ")[1:], " ")
		}
		inner = append(inner, l)
	}
	bar := modal.Styled("▎ ", theme.FG(s.theme.Dim))
	s.blocks(inner, margin{m.first + bar, m.rest + bar, m.w + 2}, depth+1)
	return n
}

// item sets one item of a list with what is indented below it.
func (s *setter) item(lines []string, it item, m margin, depth int) int {
	var inner []string
	if !blank(it.text) {
		inner = append(inner, it.text)
	}
	n := 1
	for ; n < len(lines) && it.has(lines, n); n++ {
		switch l := lines[n]; {
		case indent(l) >= it.indent:
			inner = append(inner, l[it.indent:])
		case !blank(l) || len(inner) > 0:
			inner = append(inner, strings.TrimLeft(l, " "))
		}
	}
	m = m.in(it.sign, theme.FG(s.theme.Accent))
	if len(inner) == 0 {
		s.line(m.first)
	}
	s.blocks(inner, m, depth+1)
	return n
}

// has reports whether line n belongs to the item that begins with the first one: it is
// indented as far, or goes on with its paragraph.
func (it item) has(lines []string, n int) bool {
	l := lines[n]
	if blank(l) {
		return n+1 < len(lines) && (blank(lines[n+1]) || indent(lines[n+1]) >= it.indent)
	}
	if indent(l) >= it.indent {
		return true
	}
	_, other := itemOf(strings.TrimLeft(l, " "))
	return !other && !blank(lines[n-1]) && !starts(lines[n:])
}

// text sets styled words below a margin.
func (s *setter) text(words []span, m margin) {
	for _, line := range linesOf(words) {
		for _, part := range broken(line, s.room(m)) {
			s.out = append(s.out, Line{m.first + styled(part), true})
			m = m.next()
		}
		s.out[len(s.out)-1].Wrapped = false
	}
}
