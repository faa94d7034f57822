package tui

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"ccdir/tui/paint"
	"ccdir/tui/tiling"
)

// TestArrange: whatever size, number of sessions, layout and what is beside the
// panes: nothing overlaps or reaches beyond the terminal, and every session is
// on exactly one page, the focused one on this.
func TestArrange(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	sizes := [][2]int{{0, 0}, {1, 1}, {3, 2}, {20, 5}, {40, 10}, {45, 12}, {59, 20}, {60, 20}, {80, 24}, {96, 8}, {120, 40}, {200, 60}, {500, 150}}
	for _, size := range sizes {
		for _, kind := range tiling.Kinds {
			for range 60 {
				in := layoutInput{
					cols: size[0], rows: size[1], sessions: rnd.IntN(40), kind: kind,
					zoom: rnd.IntN(6) == 0, sidebar: rnd.IntN(2) * rnd.IntN(300), list: rnd.IntN(2) * rnd.IntN(80),
				}
				if in.sessions > 0 {
					in.focus = rnd.IntN(in.sessions)
				}
				l := arrange(in)
				checkLayout(t, in, l)
				if l.plan == nil || t.Failed() {
					continue
				}
				// The same with a border somewhere else.
				if b, ok := l.plan.BorderOf(rnd.IntN(len(l.panes)), rnd.IntN(2) == 0); ok {
					in.sizes = map[string]tiling.Sizes{l.plan.Key(): l.plan.Move(b, rnd.IntN(500))}
					checkLayout(t, in, arrange(in))
				}
			}
		}
	}
}

func checkLayout(t *testing.T, in layoutInput, l layout) {
	t.Helper()
	fail := func(format string, args ...any) {
		t.Helper()
		t.Fatalf("%+v: %s", in, fmt.Sprintf(format, args...))
	}
	if in.sessions > 0 && in.cols > 0 && in.rows > 0 {
		if len(l.panes) == 0 || l.first > in.focus || in.focus >= l.first+len(l.panes) {
			fail("the focused pane is not on the page: %d panes from %d", len(l.panes), l.first)
		}
		if l.first != l.page*l.perPage || l.page >= l.pages || (l.pages-1)*l.perPage >= in.sessions || l.pages*l.perPage < in.sessions {
			fail("page %d of %d with %d panes each", l.page, l.pages, l.perPage)
		}
	}
	taken := make([]bool, in.cols*in.rows)
	for _, r := range append([]paint.Rect{l.strip, l.list, l.sidebar, l.prompt, l.status}, l.panes...) {
		if r.Empty() {
			continue
		}
		if r.X < 0 || r.Y < 0 || r.X+r.W > in.cols || r.Y+r.H > in.rows {
			fail("%+v is beyond the terminal", r)
		}
		for y := r.Y; y < r.Y+r.H; y++ {
			for x := r.X; x < r.X+r.W; x++ {
				if taken[y*in.cols+x] {
					fail("two things share the cell %d,%d", x, y)
				}
				taken[y*in.cols+x] = true
			}
		}
	}
	if len(l.panes) > 1 {
		for i, p := range l.panes {
			if p.W < minPaneCols || p.H < minPaneRows {
				fail("pane %d is %dx%d", i, p.W, p.H)
			}
		}
	}
}

func TestTilesAreSensible(t *testing.T) {
	for _, tt := range []struct {
		cols, rows, n int
		want          string // sizes of the first and the last
	}{
		{164, 58, 4, "82x29 82x29"}, {80, 22, 4, "40x11 40x11"}, {200, 58, 3, "100x29 200x29"},
		{200, 58, 6, "66x29 67x29"}, {80, 40, 2, "80x20 80x20"}, {200, 24, 2, "100x24 100x24"}, {164, 58, 1, "164x58 164x58"},
		{80, 38, 5, "40x12 80x13"}, {80, 38, 6, "40x12 40x13"}, {80, 38, 3, "80x12 80x13"}, {160, 57, 16, "40x14 40x15"}, {80, 22, 2, "80x11 80x11"},
	} {
		p := tiling.Arrange(tiling.Tiled, paint.Rect{W: tt.cols, H: tt.rows}, tt.n, nil, paneLimits).Panes
		size := func(r paint.Rect) string { return itoa(r.W) + "x" + itoa(r.H) }
		if got := size(p[0]) + " " + size(p[len(p)-1]); got != tt.want {
			t.Errorf("%d in %dx%d: %s, want %s", tt.n, tt.cols, tt.rows, got, tt.want)
		}
	}
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}

func TestPages(t *testing.T) {
	l := arrange(layoutInput{cols: 80, rows: 24, sessions: 20, focus: 13})
	if len(l.panes) == 0 || l.pages < 2 || l.first > 13 || l.first+len(l.panes) <= 13 {
		t.Errorf("%+v", l)
	}
	last := arrange(layoutInput{cols: 80, rows: 24, sessions: 20, focus: 19})
	if last.first+len(last.panes) != 20 || last.page != last.pages-1 {
		t.Errorf("%+v", last)
	}
	for _, r := range last.panes {
		if r.W < minPaneCols || r.H < minPaneRows {
			t.Errorf("pane %+v", r)
		}
	}
}

// TestTilesAreUseful: the automatic layout pages before its panes are too small to
// work in, and shows four at once where that is the choice.
func TestTilesAreUseful(t *testing.T) {
	for _, tt := range []struct {
		cols, rows, sidebar, n int
		perPage                int
		least                  string
	}{
		{80, 24, 0, 12, 4, "40x11"}, {80, 24, 0, 5, 4, "40x11"}, {80, 24, 0, 3, 3, "40x11"},
		{120, 40, 40, 40, 6, "40x12"}, {200, 60, 40, 40, 20, "40x11"}, {500, 150, 40, 40, 40, "76x21"},
		{60, 16, 0, 9, 4, "30x7"}, {100, 30, 40, 9, 4, "30x14"}, {62, 60, 0, 12, 10, "31x11"}, {80, 12, 0, 5, 2, "40x10"},
	} {
		l := arrange(layoutInput{cols: tt.cols, rows: tt.rows, sidebar: tt.sidebar, sessions: tt.n, kind: tiling.Tiled})
		w, h := tt.cols, tt.rows
		for _, r := range l.panes {
			w, h = min(w, r.W), min(h, r.H)
		}
		if got := itoa(w) + "x" + itoa(h); l.perPage != tt.perPage || got != tt.least {
			t.Errorf("%d in %dx%d: %d a page, the least %s; want %d and %s", tt.n, tt.cols, tt.rows, l.perPage, got, tt.perPage, tt.least)
		}
	}
}
