package paint

import (
	"fmt"
	"strings"
	"testing"

	"ccdir/internal/cells"
	"ccdir/sessions/screen"
	"ccdir/sessions/screen/vt"
)

// scrolling is a terminal with a pane in which lines scroll.
type scrolling struct {
	t     *testing.T
	s     *Surface
	w     *Writer
	e     screen.Engine
	lines []string
	next  int
	pane  Rect
}

func newScrolling(t *testing.T, caps Caps, pane Rect) *scrolling {
	t.Helper()
	sc := &scrolling{t: t, s: NewSurface(100, 30, caps), w: NewWriter(caps), e: vt.New(screen.Options{Cols: 100, Rows: 30}), pane: pane}
	sc.s.Box(pane, Heavy, cells.Style{FG: cells.Indexed(2)})
	sc.s.Text(0, 29, 100, "a status line", cells.Style{})
	for range pane.H - 2 {
		sc.lines = append(sc.lines, sc.line())
	}
	sc.frame(0)
	return sc
}

func (sc *scrolling) line() string {
	sc.next++
	return fmt.Sprintf("line %d %s", sc.next, strings.Repeat(string(rune('a'+sc.next%26)), 40+sc.next%7))
}

// frame scrolls by n lines, up or down, and returns what was written.
func (sc *scrolling) frame(n int) string {
	sc.t.Helper()
	for range n {
		sc.lines = append(sc.lines[1:], sc.line())
	}
	for range -n {
		sc.lines = append([]string{sc.line()}, sc.lines[:len(sc.lines)-1]...)
	}
	in := sc.pane.Inset(1)
	for i, l := range sc.lines {
		sc.s.Fill(Rect{in.X, in.Y + i, in.W, 1}, cells.Style{})
		sc.s.Text(in.X, in.Y+i, in.W, l, cells.Style{FG: cells.Indexed(uint8(len(l) % 8))})
	}
	out := string(sc.w.Frame(sc.s, Cursor{}))
	sc.e.Feed([]byte(out))
	if d := diff(want(sc.s), show(sc.e), 100); d != "" {
		sc.t.Fatalf("%s\nwritten: %q", d, out)
	}
	return out
}

// TestScrollIsAMove: lines that scroll in a pane of full width cost the new lines
// and a few sequences, in both directions, without touching what is around it.
func TestScrollIsAMove(t *testing.T) {
	for _, n := range []int{1, 3, 12, -1, -5} {
		sc := newScrolling(t, allCaps, Rect{0, 1, 100, 26})
		out := sc.frame(n)
		if most := 60*max(n, -n) + 120; len(out) > most {
			t.Errorf("scrolling by %d: %d bytes, more than %d: %q", n, len(out), most, out)
		}
		if !strings.Contains(out, "\x1b[r") {
			t.Errorf("scrolling by %d: no region in %q", n, out)
		}
		if strings.Contains(out, "status") {
			t.Errorf("scrolling by %d wrote the status line again", n)
		}
	}
}

// TestMoveBeside: beside a pane that scrolls there is another one, which a move of
// whole rows takes along. Without synchronized updates that would be seen, so it
// must not be; with them it must not cost more than no move.
func TestMoveBeside(t *testing.T) {
	beside := func(caps Caps) string {
		sc := newScrolling(t, caps, Rect{0, 0, 50, 28})
		for y := range 28 {
			sc.s.Text(52, y, 48, fmt.Sprintf("%d another pane, full of text %d", y, y*y), cells.Style{})
		}
		sc.frame(0)
		return sc.frame(1)
	}
	caps := allCaps
	caps.Sync = false
	if out := beside(caps); strings.Contains(out, "another") || strings.Contains(out, "M") {
		t.Errorf("without synchronized updates: %q", out)
	}
	moved := beside(allCaps)
	caps = allCaps
	caps.Scroll = false
	if still := beside(caps); len(moved) > len(still) {
		t.Errorf("%d bytes with a move, %d without", len(moved), len(still))
	}
}

// TestSmallChangeIsNoMove: nothing is looked for when little has changed.
func TestSmallChangeIsNoMove(t *testing.T) {
	sc := newScrolling(t, allCaps, Rect{0, 0, 100, 28})
	sc.lines[3] = "x"
	if out := sc.frame(0); strings.Contains(out, ";29r") || strings.Contains(out, "M") {
		t.Errorf("a region for one line: %q", out)
	}
}

// BenchmarkScroll is a frame of a full screen that scrolls by one line.
func BenchmarkScroll(b *testing.B) {
	caps := allCaps
	s, w := NewSurface(200, 60, caps), NewWriter(caps)
	n := 0
	frame := func() {
		n++
		for y := range 58 {
			s.Text(1, y+1, 198, fmt.Sprintf("%06d the quick brown fox jumps over the lazy dog", n+y), cells.Style{FG: cells.Indexed(uint8((n + y) % 8))})
		}
		w.Frame(s, Cursor{})
	}
	frame()
	b.ReportAllocs()
	before := w.Bytes
	for b.Loop() {
		frame()
	}
	b.ReportMetric(float64(w.Bytes-before)/float64(b.N), "bytes/frame")
}
