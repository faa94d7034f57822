package copymode

import (
	"context"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"ccdir/internal/cells"
	"ccdir/tui/copymode/core"
	"ccdir/wire"
)

// pageSeeds are rows as a host encodes them: styles, links, wide characters, clusters,
// blanks, soft wraps.
func pageSeeds(f *testing.F) (rows, saved []byte) {
	table := cells.NewTable()
	link, _ := table.Link("https://example.org/a")
	style, ok := table.StyleID(cells.Style{FG: cells.RGB(1, 2, 3), Attrs: cells.Bold, Link: link})
	cluster, fits := table.Glyph([]byte("👩‍💻"))
	if !ok || !fits {
		f.Fatal("an empty table is full")
	}
	text := cells.Row{Cells: []cells.Cell{{Glyph: 'a', Style: style}, {}, {Glyph: 'é'}, {Glyph: '世', Span: cells.Wide}, {Span: cells.Tail}}, Wrapped: true}
	emoji := cells.Row{Cells: []cells.Cell{{Glyph: cluster, Span: cells.Wide, Style: style}, {Span: cells.Tail, Style: style}, {Glyph: 'x'}}}
	list := []cells.Row{text, emoji, {}, text}
	var enc wire.RowEncoder
	enc.Reset(table)
	for i, row := range list {
		enc.Add(i, row)
	}
	return enc.AppendTo(nil), wire.AppendSaved(nil, table, list, list[:2])
}

// checkPages fails unless every line of a buffer can be shown and copied: its cells fit
// together, and its text is text.
func checkPages(t *testing.T, b core.Buffer) {
	t.Helper()
	line := 0
	for n := b.First(); n < b.End(); n++ {
		row, table := b.Row(n)
		line += len(row.Cells)
		for x, c := range row.Cells {
			if c.Span == cells.Tail && (x == 0 || row.Cells[x-1].Span != cells.Wide) {
				t.Fatalf("line %d has half a character at %d", n, x)
			}
			if glyph := string(table.AppendGlyph(nil, c.Glyph)); !utf8.ValidString(glyph) || strings.ContainsFunc(glyph, unicode.IsControl) {
				t.Fatalf("line %d has %q at %d", n, glyph, x)
			}
			if uri := table.LinkURI(table.Style(c.Style).Link); strings.ContainsFunc(uri, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
				t.Fatalf("line %d leads to %q", n, uri)
			}
		}
	}
	if line != b.Cells() {
		t.Fatalf("%d cells are said to be %d", line, b.Cells())
	}
	text := b.AllText()
	if !utf8.Valid(text) || strings.ContainsFunc(string(text), func(r rune) bool { return r != '\n' && unicode.IsControl(r) }) {
		t.Fatalf("the text is %q", text)
	}
	if b.End() > b.First() && b.TextLine(b.End()-1) > b.End()-b.First() {
		t.Fatalf("line %d of text in %d rows", b.TextLine(b.End()-1), b.End()-b.First())
	}
}

// FuzzPages: pages of a history and of a saved screen, whatever came from the host or
// the disk, are an error or lines that can be shown; what came before the damage stays.
func FuzzPages(f *testing.F) {
	rows, saved := pageSeeds(f)
	f.Add(rows, 0, 5)
	f.Add(rows[:len(rows)-2], -40, 80)
	f.Add(saved, 0, 5)
	f.Add(saved[:len(saved)/2], 7, 3)
	f.Add([]byte("ccdirscr\x01\xff\xff\x01"), 0, 80)
	f.Fuzz(func(t *testing.T, data []byte, first, cols int) {
		if first > 1<<40 || first < -1<<40 || cols < 0 || cols > 1000 {
			return // the host's numbers are checked where they come in
		}
		page, err := decodePage(first, cols, data)
		if page == nil {
			t.Fatalf("no page, %v", err)
		}
		b := core.NewBuffer(page)
		if b.First() != first {
			t.Fatalf("the page of %d begins at %d", first, b.First())
		}
		checkPages(t, b)
		whole, err := decodeSaved(context.Background(), data, cols)
		checkPages(t, whole)
		if err == nil && whole.Cells() > 0 && whole.End() <= whole.First() {
			t.Fatal("cells without lines")
		}
		stopped, cancel := context.WithCancel(context.Background())
		cancel()
		if part, _ := decodeSaved(stopped, data, cols); part.End()-part.First() > 1 {
			t.Fatalf("%d lines after the end", part.End()-part.First())
		}
	})
}
