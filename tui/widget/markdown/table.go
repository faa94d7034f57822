package markdown

import (
	"slices"
	"strings"

	"ccdir/internal/cells"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

const (
	// maxColumns is how many columns a table may have.
	maxColumns = 32
	// minColumn is the least width of a column; if there is no room for that, each row
	// becomes lines of "heading: text".
	minColumn = 5
)

// table is a table as it was written. align has '<', '>' or '^' for each column.
type table struct {
	rows  [][]string // the first one is the heading
	align []byte
}

// tableOf reads the table with which lines begin, and of how many lines it is.
func tableOf(lines []string) (t table, n int) {
	if len(lines) < 2 || !strings.Contains(lines[0], "|") {
		return table{}, 0
	}
	head := cellsOf(lines[0])
	under := cellsOf(lines[1])
	if len(head) != len(under) || len(head) > maxColumns {
		return table{}, 0
	}
	for _, c := range under {
		bar := strings.Trim(c, ":")
		if bar == "" || strings.Trim(bar, "-") != "" {
			return table{}, 0
		}
		a := byte('<')
		switch {
		case strings.HasPrefix(c, ":") && strings.HasSuffix(c, ":"):
			a = '^'
		case strings.HasSuffix(c, ":"):
			a = '>'
		}
		t.align = append(t.align, a)
	}
	t.rows = append(t.rows, head)
	for n = 2; n < len(lines) && strings.Contains(lines[n], "|"); n++ {
		row := cellsOf(lines[n])
		for len(row) < len(head) {
			row = append(row, "")
		}
		t.rows = append(t.rows, row[:len(head)])
	}
	return t, n
}

// cellsOf are the texts between the bars of a line; bars in code or behind "\" are text.
func cellsOf(line string) (row []string) {
	line = strings.TrimPrefix(strings.TrimSpace(line), "|")
	var cell strings.Builder
	code := false
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\' && i+1 < len(line) && line[i+1] == '|':
			cell.WriteByte('|')
			i++
			continue
		case line[i] == '`':
			code = !code && strings.IndexByte(line[i+1:min(len(line), i+maxSpan)], '`') >= 0
		case line[i] == '|' && !code:
			row = append(row, strings.TrimSpace(cell.String()))
			cell.Reset()
			continue
		}
		cell.WriteByte(line[i])
	}
	if rest := strings.TrimSpace(cell.String()); rest != "" || len(row) == 0 {
		row = append(row, rest)
	}
	return row
}

// table sets a table in columns, or row by row where they have no room.
func (s *setter) table(t table, m margin) {
	set := make([][][]span, len(t.rows))
	for i, row := range t.rows {
		for _, text := range row {
			st := cells.Style{}
			if i == 0 {
				st.Attrs = cells.Bold
			}
			set[i] = append(set[i], inline(s.theme, text, st))
		}
	}
	room := s.room(m) - 3*(len(t.align)-1)
	if room < minColumn*len(t.align) {
		s.records(set, m)
		return
	}
	widths := widthsOf(set, len(t.align), room)
	for i, row := range set {
		m = s.tableRow(row, widths, t.align, m)
		if i == 0 {
			bars := make([]string, len(widths))
			for c, w := range widths {
				bars[c] = strings.Repeat("─", w)
			}
			s.line(m.first + modal.Styled(strings.Join(bars, "─┼─"), theme.FG(s.theme.Dim)))
		}
	}
}

// widthsOf gives each column what its text takes; while that is more than the room, the
// widest one gives way.
func widthsOf(set [][][]span, columns, room int) []int {
	widths := make([]int, columns)
	sum := 0
	for c := range widths {
		for _, row := range set {
			widths[c] = max(widths[c], min(widthOf(row[c]), room))
		}
		widths[c] = max(widths[c], 1)
		sum += widths[c]
	}
	for ; sum > room; sum-- {
		widths[slices.Index(widths, slices.Max(widths))]--
	}
	return widths
}

// tableRow sets a row, whose texts go on below within their columns.
func (s *setter) tableRow(row [][]span, widths []int, align []byte, m margin) margin {
	parts := make([][][]span, len(row))
	height := 1
	for c, words := range row {
		for _, line := range linesOf(words) {
			parts[c] = append(parts[c], broken(line, widths[c])...)
		}
		height = max(height, len(parts[c]))
	}
	for y := range height {
		text := make([]string, len(row))
		for c := range row {
			var words []span
			if y < len(parts[c]) {
				words = parts[c][y]
			}
			text[c] = aligned(words, widths[c], align[c])
		}
		s.line(m.first + strings.TrimRight(strings.Join(text, modal.Styled(" │ ", theme.FG(s.theme.Dim))), " "))
		m = m.next()
	}
	return m
}

// aligned fills words to a width.
func aligned(words []span, w int, align byte) string {
	text, fill := styled(words), max(0, w-widthOf(words))
	switch align {
	case '>':
		return strings.Repeat(" ", fill) + text
	case '^':
		return strings.Repeat(" ", fill/2) + text + strings.Repeat(" ", fill-fill/2)
	}
	return text + strings.Repeat(" ", fill)
}

// records sets each row as lines of heading and text.
func (s *setter) records(set [][][]span, m margin) {
	for i, row := range set[min(1, len(set)-1):] {
		if i > 0 {
			s.line(m.rest)
		}
		for c, words := range row {
			label := append(slices.Clone(set[0][c]), span{text: ": "})
			s.text(append(label, words...), m)
			m = m.next()
		}
	}
}
