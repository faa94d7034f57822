package vt

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ccdir/internal/cells"
	"ccdir/sessions/screen"
)

// TestManyMarks: marks on one cell are bounded in text, table and heap.
func TestManyMarks(t *testing.T) {
	var term *Terminal
	data := []byte("a" + strings.Repeat("\u0301\u0302", 10_000) + "b")
	heap := heapOf(func() any {
		term = New(screen.Options{Cols: 10, Rows: 3})
		feed(term, data, 1000)
		return term
	})
	checkInvariants(t, term)
	if heap > 100<<10 {
		t.Errorf("20,000 marks keep %d bytes", heap)
	}
	if text := gridText(term)[0]; !strings.HasPrefix(text, "a\u0301\u0302") || !strings.HasSuffix(text, "b") || len(text) > cells.MaxClusterBytes+1 {
		t.Errorf("shown as %q", text)
	}
	if c := cursorOf(term); c != [2]int{2, 0} {
		t.Errorf("cursor at %v", c)
	}
}

// TestManyStyles: a new table is made when one is full; what is on the screen
// keeps its colours and its rows are newer; the history keeps its own.
func TestManyStyles(t *testing.T) {
	term := New(screen.Options{Cols: 40, Rows: 4, HistoryLines: 20000})
	term.Feed([]byte("\x1b[38;2;1;2;3m\x1b]8;;http://kept.example/\x07kept\x1b]8;;\x07\r\n\x1b[2;4r\x1b[2;1H"))
	before := term.Gen()
	table := term.Table()
	var b strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&b, "\x1b[38;2;%d;%d;%dmx", i>>16&255, i>>8&255, i&255)
	}
	term.Feed([]byte(b.String()))
	checkInvariants(t, term)
	if term.Table() == table {
		t.Fatal("the table was not replaced")
	}
	if n := term.Table().Styles(); n > cells.MaxStyles {
		t.Errorf("%d styles", n)
	}
	first := term.Row(0)
	if first.Gen <= before || first.Edited <= before {
		t.Error("the first row is not newer though its ids changed")
	}
	s := term.Table().Style(first.Cells[0].Style)
	if s.FG != cells.RGB(1, 2, 3) || term.Table().LinkURI(s.Link) != "http://kept.example/" {
		t.Errorf("the first row lost its style: %+v", s)
	}
	if _, ok := term.ScrollHint(before); ok {
		t.Error("a scroll hint reaches across a new table")
	}
	last := 199_999
	if got := term.Table().Style(term.Row(term.cur.y).Cells[term.cur.x-1].Style).FG; got != cells.RGB(uint8(last>>16), uint8(last>>8), uint8(last&255)) {
		t.Errorf("the last cell has colour %v", got)
	}
}

// TestHistoryStyles: lines in the history have their own styles, read back
// whatever became of the table; more of them than a table holds are shown plain
// and make the next Feed start a new one.
func TestHistoryStyles(t *testing.T) {
	term := New(screen.Options{Cols: 100, Rows: 2, HistoryLines: 20000})
	var b strings.Builder
	for i := range 150_000 {
		fmt.Fprintf(&b, "\x1b[38;2;%d;%d;%dmx", i>>16&255, i>>8&255, i&255)
	}
	term.Feed([]byte(b.String()))
	n := term.HistoryLen()
	colour := func(line, x int) cells.Color {
		return term.Table().Style(term.HistoryRow(line).Cells[x].Style).FG
	}
	for _, line := range []int{0, n / 2, n - 1} {
		i := line*100 + 7
		if got, want := colour(line, 7), cells.RGB(uint8(i>>16), uint8(i>>8), uint8(i)); got != want {
			t.Errorf("line %d of %d has %v, want %v", line, n, got, want)
		}
	}
	for i := range n { // all of them together do not fit
		term.HistoryRow(i)
	}
	if n := term.Table().Styles(); n > cells.MaxStyles {
		t.Errorf("%d styles", n)
	}
	term.Feed([]byte("y"))
	if got, want := colour(0, 7), cells.RGB(0, 0, 7); got != want {
		t.Errorf("after the next Feed line 0 has %v, want %v", got, want)
	}
	checkInvariants(t, term)
}

// TestScreenOfStyles: a screen that shows more styles than a table holds stays
// quick and keeps its text.
func TestScreenOfStyles(t *testing.T) {
	term := New(screen.Options{Cols: 400, Rows: 400})
	var b strings.Builder
	for i := range 400 * 400 {
		fmt.Fprintf(&b, "\x1b[1;38;2;%d;%d;%dmx", i>>16&255, i>>8&255, i&255)
	}
	start := cpuTime()
	term.Feed([]byte(b.String()))
	if took := cpuTime() - start; took > 20*time.Second {
		t.Errorf("took %v of a processor", took)
	}
	if n := term.Table().Styles(); n > cells.MaxStyles {
		t.Errorf("%d styles", n)
	}
	for y, line := range gridText(term) {
		if line != strings.Repeat("x", 400) {
			t.Fatalf("row %d shows %q", y, line)
		}
	}
	if s := term.Table().Style(term.Row(399).Cells[399].Style); s.Attrs != cells.Bold {
		t.Errorf("what does not fit is shown as %+v, want bold without colour", s)
	}
}

// TestManyClusters and links likewise.
func TestManyClusters(t *testing.T) {
	term := New(screen.Options{Cols: 10, Rows: 3, HistoryLines: 100000})
	var b strings.Builder
	for i := range 3 * cells.MaxClusters {
		fmt.Fprintf(&b, "%c%c", rune(0x4e00+i%20000), rune(0x300+i/20000))
	}
	term.Feed([]byte(b.String()))
	checkInvariants(t, term)
	if n := term.Table().Clusters(); n > cells.MaxClusters {
		t.Errorf("%d clusters", n)
	}
	i := 3*cells.MaxClusters - 1
	x := term.State().Cursor.X
	row := term.Row(term.State().Cursor.Y)
	if got, want := string(term.Table().AppendGlyph(nil, row.Cells[x-2].Glyph)), string([]rune{rune(0x4e00 + i%20000), rune(0x300 + i/20000)}); got != want {
		t.Errorf("the last cluster is %q, want %q", got, want)
	}
	if got := string(term.Table().AppendText(nil, term.HistoryRow(0).Cells)); !strings.HasPrefix(got, "一\u0300丁\u0300") {
		t.Errorf("the oldest line shows %q", got)
	}
}

func TestManyLinks(t *testing.T) {
	term := New(screen.Options{Cols: 20, Rows: 10, HistoryLines: 2000})
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, "\x1b]8;id=%d;http://host/%d\x1b\\file%d\x1b]8;;\x1b\\ x\r\n", i, i, i)
	}
	term.Feed([]byte(b.String()))
	checkInvariants(t, term)
	link := func(row cells.Row) string {
		return term.Table().LinkURI(term.Table().Style(row.Cells[0].Style).Link)
	}
	if got := link(term.Row(8)); got != "http://host/999" {
		t.Errorf("the last line links to %q", got)
	}
	if s := term.Table().Style(term.Row(8).Cells[8].Style); s.Link != 0 {
		t.Error("text after a link is linked")
	}
	if got := link(term.HistoryRow(0)); got != "http://host/0" {
		t.Errorf("the oldest line links to %q", got)
	}
	for _, uri := range []string{strings.Repeat("x", cells.MaxLinkBytes+1), "\xff"} {
		bad := newTest(10, 2, "\x1b]8;;http://a/\x07a\x1b]8;;"+uri+"\x07b")
		if s := bad.Table().Style(bad.Row(0).Cells[1].Style); s.Link != 0 {
			t.Errorf("link %.10q is kept as %q", uri, bad.Table().LinkURI(s.Link))
		}
	}
}

// TestHistoryBounds: lines and bytes bound the history; the oldest go first,
// and numbers last.
func TestHistoryBounds(t *testing.T) {
	term := New(screen.Options{Cols: 20, Rows: 2, HistoryLines: 10})
	for i := range 100 {
		term.Feed(fmt.Appendf(nil, "line %d\r\n", i))
	}
	if got := historyText(term); !slices.Equal(got, []string{"line 89", "line 90", "line 91", "line 92", "line 93", "line 94", "line 95", "line 96", "line 97", "line 98"}) {
		t.Errorf("history %q", got)
	}
	if got := term.HistoryTotal(); got != 99 {
		t.Errorf("total %d", got)
	}

	epoch := term.HistoryEpoch()
	term.Feed([]byte("\x1b[3J"))
	if term.HistoryLen() != 0 || term.HistoryEpoch() == epoch {
		t.Error("ED 3 does not erase the history")
	}
	wantGrid(t, term, "line 99")

	const most = 100 << 10
	term = New(screen.Options{Cols: 200, Rows: 2, HistoryLines: 1 << 20, HistoryBytes: most})
	heap := heapOf(func() any {
		for i := range 20_000 {
			term.Feed(fmt.Appendf(nil, "%d %s\r\n", i, strings.Repeat("x", 150)))
		}
		return nil
	})
	if term.HistoryLen() < 500 || term.hist.bytes > most || heap > most+4*chunkBytes {
		t.Errorf("%d lines in %d bytes, heap grew by %d", term.HistoryLen(), term.hist.bytes, heap)
	}
	if got := historyText(term); !strings.HasPrefix(got[len(got)-1], "19998 ") {
		t.Errorf("newest line %.20q", got[len(got)-1])
	}

	none := New(screen.Options{Cols: 20, Rows: 2})
	none.Feed([]byte("1\r\n2\r\n3\r\n4"))
	if none.HistoryLen() != 0 || none.HistoryTotal() != 0 {
		t.Error("a terminal without history keeps lines")
	}
}

// TestHistorySources: what goes to the history and what does not.
func TestHistorySources(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []string
	}{
		{"line feed", "1\r\n2\r\n3\r\n4", []string{"1"}},
		{"wrap", "123456789012345678901234567890123", []string{"1234567890"}},
		{"SU", "1\r\n2\x1b[2S", []string{"1", "2"}},
		{"region at the top", "1\r\n2\r\n3\x1b[1;2r\x1b[2;1H\n", []string{"1"}},
		{"region below the top", "1\r\n2\r\n3\x1b[2;3r\x1b[3;1H\n\n", []string{}},
		{"DL", "1\r\n2\x1b[H\x1b[2M", []string{}},
		{"IL", "1\r\n2\x1b[H\x1b[2L", []string{}},
		{"RI", "1\r\n2\x1b[H\x1bM", []string{}},
		{"ED 2", "1\r\n2\x1b[2J", []string{}},
		{"alternate screen", "\x1b[?1049h1\r\n2\r\n3\r\n4\x1b[?1049l", []string{}},
	} {
		term := newTest(10, 3, c.in)
		if got := historyText(term); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
