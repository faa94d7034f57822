package vt

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"ccdir/internal/cells"
	"ccdir/sessions/screen"
)

// recorder is a Listener that writes down what it is told.
type recorder struct {
	events []string
	answer func(code int, data []byte) []byte
}

func (r *recorder) Bell() { r.events = append(r.events, "bell") }

func (r *recorder) OSC(code int, data []byte) []byte {
	r.events = append(r.events, fmt.Sprintf("%d;%q", code, data))
	if r.answer != nil {
		return r.answer(code, data)
	}
	return nil
}

// checkInvariants fails t unless the terminal keeps what the interface
// promises about cells, cursor and tables.
func checkInvariants(t *testing.T, term *Terminal) {
	t.Helper()
	cols, rows := term.Size()
	if len(term.cur.lines) != rows || len(term.cur.moved) != rows || len(term.tabs) != cols {
		t.Fatalf("%dx%d: %d lines, %d generations, %d tabs", cols, rows, len(term.cur.lines), len(term.cur.moved), len(term.tabs))
	}
	for y := range rows {
		row := term.Row(y)
		if len(row.Cells) != cols {
			t.Fatalf("row %d has %d cells, not %d", y, len(row.Cells), cols)
		}
		if row.Gen > term.Gen() || row.Edited > row.Gen {
			t.Fatalf("row %d: generation %d, edited %d, newest %d", y, row.Gen, row.Edited, term.Gen())
		}
		checkCells(t, term.Table(), row.Cells)
		for _, c := range row.Cells[term.cur.lines[y].used:] {
			if c != (cells.Cell{}) {
				t.Fatalf("row %d has cells beyond column %d", y, term.cur.lines[y].used)
			}
		}
	}
	for i := 0; i < term.HistoryLen(); i += 1 + term.HistoryLen()/20 {
		checkCells(t, term.Table(), term.HistoryRow(i).Cells)
	}
	st := term.State()
	if c := st.Cursor; c.X < 0 || c.X >= cols || c.Y < 0 || c.Y >= rows {
		t.Fatalf("cursor %d,%d outside %dx%d", c.X, c.Y, cols, rows)
	}
	if pg := term.cur; pg.top < 0 || pg.bottom >= rows || pg.top > pg.bottom {
		t.Fatalf("margins %d to %d of %d rows", pg.top, pg.bottom, rows)
	}
	if !utf8.ValidString(st.Title) || len(st.Title) > maxTitle {
		t.Fatalf("title %q", st.Title)
	}
	if len(term.replies) > maxReplies {
		t.Fatalf("%d bytes of replies", len(term.replies))
	}
}

func checkCells(t *testing.T, table *cells.Table, row []cells.Cell) {
	t.Helper()
	for x, c := range row {
		wideBefore := x > 0 && row[x-1].Span == cells.Wide
		switch {
		case (c.Span == cells.Tail) != wideBefore:
			t.Fatalf("column %d: half of a wide character alone: %+v", x, row)
		case c.Span == cells.Tail && (c.Glyph != 0 || c.Style != row[x-1].Style):
			t.Fatalf("column %d: tail %+v of %+v", x, c, row[x-1])
		case c.Span == cells.Wide && x == len(row)-1:
			t.Fatalf("wide character in the last column")
		case int(c.Style) >= table.Styles():
			t.Fatalf("column %d: style %d of %d", x, c.Style, table.Styles())
		}
		text := table.AppendGlyph(nil, c.Glyph)
		if !utf8.Valid(text) || len(text) > cells.MaxClusterBytes {
			t.Fatalf("column %d: cluster %q", x, text)
		}
		if c.Glyph != 0 && c.Glyph < ' ' || c.Glyph >= 0x7f && c.Glyph < 0xa0 {
			t.Fatalf("column %d: control character %#x", x, c.Glyph)
		}
	}
}

// dump writes down all that can be read of a terminal except generations.
func dump(term *Terminal) string {
	var b strings.Builder
	run := func(row cells.Row) {
		for _, c := range row.Cells {
			s := term.Table().Style(c.Style)
			link := term.Table().LinkURI(s.Link)
			s.Link = 0
			fmt.Fprintf(&b, "%q%v%v%q ", term.Table().AppendGlyph(nil, c.Glyph), c.Span, s, link)
		}
		fmt.Fprintln(&b, row.Wrapped)
	}
	_, rows := term.Size()
	for y := range rows {
		run(term.Row(y))
	}
	for i := range term.HistoryLen() {
		run(term.HistoryRow(i))
	}
	fmt.Fprintf(&b, "%+v %q", term.State(), term.replies)
	return b.String()
}

// mainText gives the text of history and main screen as logical lines.
func mainText(term *Terminal) []string {
	var lines []string
	var line strings.Builder
	add := func(row cells.Row) {
		run := row.Cells[:contentLen(row.Cells)]
		for _, c := range run {
			if c.Span != cells.Tail {
				line.Write(term.Table().AppendGlyph(nil, c.Glyph))
			}
		}
		if !row.Wrapped {
			lines = append(lines, strings.TrimRight(line.String(), " "))
			line.Reset()
		}
	}
	for i := range term.HistoryLen() {
		add(term.HistoryRow(i))
	}
	for _, l := range term.main.lines {
		add(cells.Row{Cells: l.cells, Wrapped: l.wrapped})
	}
	for _, r := range term.below {
		add(cells.Row{Cells: r.cells, Wrapped: r.wrapped})
	}
	if line.Len() > 0 {
		lines = append(lines, strings.TrimRight(line.String(), " "))
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func newTest(cols, rows int, input ...string) *Terminal {
	term := New(screen.Options{Cols: cols, Rows: rows, HistoryLines: 1000})
	for _, s := range input {
		term.Feed([]byte(s))
	}
	return term
}

func wantGrid(t *testing.T, term *Terminal, want ...string) {
	t.Helper()
	got := gridText(term)
	for len(got) > len(want) && got[len(got)-1] == "" {
		got = got[:len(got)-1]
	}
	if !slices.Equal(got, want) {
		t.Errorf("screen %q, want %q", got, want)
	}
}
