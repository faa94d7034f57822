package copymode

import (
	"strings"
	"unicode"

	"ccdir/internal/cells"
	"ccdir/tui/copymode/core"
)

const (
	// surely is how many letters have to be the same where the conversation goes on in the
	// screen, maybe how many do if that many nowhere are.
	surely, maybe = 40, 20
)

// joined are the pages of a conversation up to where the screen goes on with it. The screen
// tells the same words in another dress: signs, colours and line breaks are the agent's
// own, so only letters and digits are compared. If they meet nowhere, a line says so.
func joined(pages []rowsOf, screen core.Buffer, cols int) []rowsOf {
	var text strings.Builder
	type start struct{ page, row, offset int }
	var starts []start
	for p, page := range pages {
		for r, row := range page.rows {
			starts = append(starts, start{p, r, text.Len()})
			text.WriteString(letters(row, page.table))
		}
	}
	offset, met := meeting(text.String(), screen)
	if !met {
		return append(pages, divider(cols))
	}
	at := len(starts) - 1
	for at > 0 && starts[at].offset > offset {
		at--
	}
	for at > 0 && starts[at-1].offset == starts[at].offset && offset == starts[at].offset {
		at-- // rows without letters before it belong to what the screen shows
	}
	cut := starts[at]
	pages = pages[:cut.page+1]
	page := &pages[cut.page]
	row := page.rows[cut.row]
	page.rows = page.rows[:cut.row]
	if within := offset - cut.offset; within > 0 {
		row.Cells = row.Cells[:column(row, page.table, within)]
		row.Wrapped = false
		page.rows = append(page.rows[:cut.row:cut.row], row)
	}
	return pages
}

// meeting is the place in a text with which the screen goes on, from the screen's first row
// on that is in it.
func meeting(text string, screen core.Buffer) (offset int, met bool) {
	n := screen.End()
	rows := make([]string, 0, n)
	for i := range n {
		row, table := screen.Row(i)
		if table == nil {
			rows = append(rows, "")
			continue
		}
		rows = append(rows, letters(row, table))
	}
	for _, enough := range []int{surely, maybe} {
		for i := range rows {
			if rows[i] == "" {
				continue
			}
			want := ""
			for j := i; j < n && len(want) < enough; j++ {
				want += rows[j]
			}
			if len(want) < enough {
				break
			}
			if at := strings.LastIndex(text, want[:enough]); at >= 0 {
				return at, true
			}
		}
	}
	return 0, false
}

// letters are the letters and digits of a row.
func letters(row cells.Row, table *cells.Table) string {
	var b strings.Builder
	var one []byte
	for _, c := range row.Cells {
		if c.Span == cells.Tail || c.Glyph == 0 {
			continue
		}
		one = table.AppendGlyph(one[:0], c.Glyph)
		for _, r := range string(one) {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				b.WriteRune(r)
			}
		}
	}
	return b.String()
}

// column is the cell of a row at which its letters from a byte on begin.
func column(row cells.Row, table *cells.Table, offset int) int {
	for x := range row.Cells {
		if len(letters(cells.Row{Cells: row.Cells[:x+1]}, table)) > offset {
			return x
		}
	}
	return len(row.Cells)
}

// divider says that what is above is told by the conversation.
func divider(cols int) rowsOf {
	table := cells.NewTable()
	text := "─── above: the conversation, from the agent's own file "
	var row []cells.Cell
	for _, r := range text + strings.Repeat("─", cols) {
		if len(row) == cols {
			break
		}
		row = append(row, cells.Cell{Glyph: cells.Glyph(r)})
	}
	return rowsOf{[]cells.Row{{Cells: row}}, table}
}
