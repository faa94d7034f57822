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
