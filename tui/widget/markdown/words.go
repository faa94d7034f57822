package markdown

import (
	"strings"

	"ccdir/internal/cells"
	"ccdir/tui/paint"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/sgr"
	"ccdir/tui/widget/theme"
)

// linesOf are words line by line.
func linesOf(words []span) [][]span {
	lines := [][]span{nil}
	for _, w := range words {
		for i, part := range strings.Split(w.text, "\n") {
			if i > 0 {
				lines = append(lines, nil)
			}
			if part != "" {
				lines[len(lines)-1] = append(lines[len(lines)-1], span{part, w.st, w.link})
			}
		}
	}
	return lines
}

// textOf is the text of words.
func textOf(words []span) string {
	if len(words) == 1 {
		return words[0].text
	}
	var b strings.Builder
	for _, w := range words {
		b.WriteString(w.text)
	}
	return b.String()
}

// widthOf is how wide the widest line of words is.
func widthOf(words []span) int {
	w := 0
	for line := range strings.SplitSeq(textOf(words), "\n") {
		w = max(w, paint.Width(line))
	}
	return w
}

// broken are the rows of at most w columns that a line of words takes.
func broken(line []span, w int) (rows [][]span) {
	for _, part := range modal.Break(textOf(line), w) {
		var row []span
		for left := len(part); left > 0; {
			n := min(left, len(line[0].text))
			row = append(row, span{line[0].text[:n], line[0].st, line[0].link})
			if line[0].text = line[0].text[n:]; line[0].text == "" {
				line = line[1:]
			}
			left -= n
		}
		rows = append(rows, row)
	}
	return rows
}

// styled are words with SGR sequences.
func styled(words []span) string {
	var b strings.Builder
	for _, w := range words {
		text := modal.Styled(w.text, w.st)
		if w.link != "" && cells.SafeLink(w.link) {
			text = sgr.Linked(text, w.link)
		}
		b.WriteString(text)
	}
	return b.String()
}

// Plain is a text as one line, without signs and line breaks.
func Plain(text string) string {
	var words []string
	code := false
	var f fence
	for _, l := range split(text) {
		switch open, ok := fenceOf(l); {
		case code && f.ends(l):
			code = false
			continue
		case code:
		case ok:
			f, code = open, true
			continue
		case rule(l), underlined(l) > 0, strings.Trim(l, "|:- ") == "":
			continue
		default:
			l = textOf(inline(plainTheme, unsigned(l), cells.Style{}))
		}
		words = append(words, strings.Fields(l)...)
	}
	return strings.Join(words, " ")
}

// plainTheme is for words whose styles nobody sees.
var plainTheme = &theme.Theme{}

// unsigned is a line without the signs of headings, quotes, items and tables.
func unsigned(l string) string {
	for range maxDepth {
		if level, text := heading(l); level > 0 {
			return text
		}
		if quoted(l) {
			l = strings.TrimPrefix(strings.TrimLeft(l, " ")[1:], " ")
			continue
		}
		it, ok := itemOf(strings.TrimLeft(l, " "))
		if !ok {
			break
		}
		if it.numbered {
			return it.sign + it.text
		}
		l = it.text
	}
	if t := strings.TrimSpace(l); strings.HasPrefix(t, "|") && strings.HasSuffix(t, "|") {
		return strings.Join(cellsOf(t), " · ")
	}
	return l
}
