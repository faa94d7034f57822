package tiling

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"ccdir/tui/paint"
)

// TestArrange: whatever size, number of sessions, layout and what is beside the
// panes: nothing overlaps or reaches beyond the terminal, and every session is
// on exactly one page, the focused one on this.
func TestArrange(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	sizes := [][2]int{{0, 0}, {1, 1}, {3, 2}, {20, 5}, {40, 10}, {45, 12}, {59, 20}, {60, 20}, {80, 24}, {96, 8}, {120, 40}, {200, 60}, {500, 150}}
	for _, size := range sizes {
		for _, kind := range Kinds {
			for range 60 {
				in := Wish{
					Cols: size[0], Rows: size[1], Sessions: rnd.IntN(40), Kind: kind,
					Zoom: rnd.IntN(6) == 0, Sidebar: rnd.IntN(2) * rnd.IntN(300), List: rnd.IntN(2) * rnd.IntN(80), Gaps: rnd.IntN(2) == 0,
				}
				if in.Sessions > 0 {
					in.Focus = rnd.IntN(in.Sessions)
				}
				l := Lay(in)
				checkLayout(t, in, l)
				if l.Plan == nil || t.Failed() {
					continue
				}
				// The same with a border somewhere else.
				if b, ok := l.Plan.BorderOf(rnd.IntN(len(l.Panes)), rnd.IntN(2) == 0); ok {
					in.Sizes = map[string]Sizes{l.Plan.Key(): l.Plan.Move(b, rnd.IntN(500))}
					checkLayout(t, in, Lay(in))
				}
			}
		}
	}
}

func checkLayout(t *testing.T, in Wish, l Screen) {
	t.Helper()
	fail := func(format string, args ...any) {
		t.Helper()
		t.Fatalf("%+v: %s", in, fmt.Sprintf(format, args...))
	}
	if in.Sessions > 0 && in.Cols > 0 && in.Rows > 0 {
		if len(l.Panes) == 0 || len(l.Panes) != len(l.Sessions) || l.Pane(in.Focus) < 0 {
			fail("the focused pane is not on the page: %v", l.Sessions)
		}
		if !l.Same && (l.Sessions[0] != l.Page*l.PerPage || l.Page >= l.Pages || (l.Pages-1)*l.PerPage >= in.Sessions || l.Pages*l.PerPage < in.Sessions) {
			fail("page %d of %d with %d panes each", l.Page, l.Pages, l.PerPage)
		}
	}
	taken := make([]bool, in.Cols*in.Rows)
	for _, r := range append([]paint.Rect{l.Strip, l.Rows, l.List, l.Sidebar, l.Prompt, l.Status}, l.Panes...) {
		if r.Empty() {
			continue
		}
		if r.X < 0 || r.Y < 0 || r.X+r.W > in.Cols || r.Y+r.H > in.Rows {
			fail("%+v is beyond the terminal", r)
		}
		for y := r.Y; y < r.Y+r.H; y++ {
			for x := r.X; x < r.X+r.W; x++ {
				if taken[y*in.Cols+x] {
					fail("two things share the cell %d,%d", x, y)
				}
				taken[y*in.Cols+x] = true
			}
		}
	}
	if len(l.Panes) > 1 {
		for i, p := range l.Panes {
			if p.W < minPaneCols-1-l.Gap || p.H < minPaneRows-l.Gap {
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
		p := Arrange(Tiled, paint.Rect{W: tt.cols, H: tt.rows}, tt.n, nil, paneLimits).Panes
		size := func(r paint.Rect) string { return strconv.Itoa(r.W) + "x" + strconv.Itoa(r.H) }
		if got := size(p[0]) + " " + size(p[len(p)-1]); got != tt.want {
			t.Errorf("%d in %dx%d: %s, want %s", tt.n, tt.cols, tt.rows, got, tt.want)
		}
	}
}

func TestPages(t *testing.T) {
	l := Lay(Wish{Cols: 80, Rows: 24, Sessions: 20, Focus: 13, Kind: TwoByTwo})
	if len(l.Panes) == 0 || l.Pages < 2 || l.Pane(13) < 0 {
		t.Errorf("%+v", l)
	}
	last := Lay(Wish{Cols: 80, Rows: 24, Sessions: 20, Focus: 19, Kind: TwoByTwo})
	if last.Pane(19) != len(last.Panes)-1 || last.Page != last.Pages-1 {
		t.Errorf("%+v", last)
	}
	for _, r := range last.Panes {
		if r.W < minPaneCols || r.H < minPaneRows {
			t.Errorf("pane %+v", r)
		}
	}
}

// TestTilesAreUseful: the automatic layout has panes to work in.
func TestTilesAreUseful(t *testing.T) {
	for _, tt := range []struct {
		cols, rows, sidebar, n int
		perPage                int
		least                  string
	}{
		{80, 24, 0, 4, 4, "39x11"}, {80, 24, 0, 3, 3, "39x11"}, {500, 150, 40, 9, 9, "91x74"}, {200, 60, 40, 4, 4, "79x29"},
		// Many: the session in focus has a large pane, the others a row each.
		{120, 40, 40, 40, 1, "80x29"}, {200, 60, 40, 40, 1, "160x44"}, {204, 60, 40, 40, 2, "81x44"}, {100, 30, 40, 9, 1, "60x21"}, {62, 60, 0, 12, 1, "62x46"},
		{80, 24, 0, 12, 1, "80x18"}, {80, 24, 0, 5, 1, "80x18"},
		// No room for rows: one pane, and a line of all sessions.
		{60, 16, 0, 9, 1, "60x13"}, {80, 12, 0, 5, 1, "80x9"},
	} {
		l := Lay(Wish{Cols: tt.cols, Rows: tt.rows, Sidebar: tt.sidebar, Sessions: tt.n, Kind: Tiled})
		w, h := tt.cols, tt.rows
		for _, r := range l.Panes {
			w, h = min(w, r.W), min(h, r.H)
		}
		if got := strconv.Itoa(w) + "x" + strconv.Itoa(h); l.PerPage != tt.perPage || got != tt.least {
			t.Errorf("%d in %dx%d: %d a page, the least %s; want %d and %s", tt.n, tt.cols, tt.rows, l.PerPage, got, tt.perPage, tt.least)
		}
	}
}

// TestSpotlight: the large pane is that of the session in focus, whatever its place; where
// there is room for two they have one size, whoever has the focus; the list or rows have
// the others.
func TestSpotlight(t *testing.T) {
	for focus := range 8 {
		l := Lay(Wish{Cols: 120, Rows: 36, List: 38, Sidebar: 38, Sessions: 8, Focus: focus, Kind: Tiled})
		if want := (paint.Rect{X: 38, W: 82, H: 34}); len(l.Panes) != 1 || l.Panes[0] != want || l.Sessions[0] != focus || !l.Rows.Empty() || l.Pages != 1 {
			t.Errorf("focus %d: %+v", focus, l)
		}
		l = Lay(Wish{Cols: 200, Rows: 60, List: 38, Sessions: 8, Focus: focus, Seats: []int{focus, 7 - focus}, Kind: Tiled})
		if len(l.Panes) != 2 || l.Panes[0].W != 80 || l.Panes[1].W != 80 || l.Panes[0].H != l.Panes[1].H || l.Sessions[0] != focus || l.Sessions[1] != 7-focus {
			t.Errorf("focus %d: %+v", focus, l)
		}
	}
	for _, tt := range []struct{ cols, rows, sessions, panes, rowsHigh int }{
		{120, 36, 8, 1, 8}, {120, 36, 5, 1, 5}, {120, 36, 30, 1, 8}, {161, 36, 8, 2, 7}, {80, 24, 8, 1, 4}, {80, 22, 8, 1, 0},
	} {
		if l := Lay(Wish{Cols: tt.cols, Rows: tt.rows, Sessions: tt.sessions, Kind: Tiled}); len(l.Panes) != tt.panes || l.Rows.H != tt.rowsHigh || l.Strip.Empty() != (tt.rowsHigh > 0) {
			t.Errorf("%+v: %+v", tt, l)
		}
	}
}

// TestColumn: list and events share a column at the left; each can be alone, and neither
// is there when one pane has the whole screen.
func TestColumn(t *testing.T) {
	both := Lay(Wish{Cols: 120, Rows: 36, List: 38, Sidebar: 40, Sessions: 2})
	if both.List.W != 37 || both.Sidebar.W != 37 || both.Column().W != 38 || both.Sidebar.Y != both.List.H || both.List.H+both.Sidebar.H != 34 || both.Panes[0].X != 38 {
		t.Errorf("%+v", both)
	}
	if l := Lay(Wish{Cols: 120, Rows: 36, Sidebar: 40, Sessions: 2}); l.Sidebar.H != 34 || l.Sidebar.W != 39 || !l.List.Empty() {
		t.Errorf("events alone: %+v", l)
	}
	if l := Lay(Wish{Cols: 120, Rows: 36, List: 38, Sessions: 2}); l.List.H != 34 || !l.Sidebar.Empty() {
		t.Errorf("list alone: %+v", l)
	}
	if l := Lay(Wish{Cols: 120, Rows: 36, List: 38, Sidebar: 40, Sessions: 2, Zoom: true}); !l.List.Empty() || !l.Sidebar.Empty() || l.Panes[0].W != 120 {
		t.Errorf("zoomed: %+v", l)
	}
	if l := Lay(Wish{Cols: 120, Rows: 36, List: 38, Sidebar: 40, Sessions: 2, Share: 9_999}); l.Sidebar.H != PartLeast {
		t.Errorf("a border at the end: %+v", l)
	}
}

// TestApart: between panes side by side there is a column for the rule, which is where the
// border can be moved; with gaps there is a blank one, too, and a blank row above titles.
func TestApart(t *testing.T) {
	for _, gaps := range []bool{false, true} {
		l := Lay(Wish{Cols: 200, Rows: 60, Sessions: 4, Kind: TwoByTwo, Gaps: gaps})
		a, b, c := l.Panes[0], l.Panes[1], l.Panes[2]
		if b.X != a.X+a.W+1+l.Gap || c.Y != a.Y+a.H+l.Gap || gaps != (l.Gap > 0) {
			t.Errorf("gaps %v: %+v", gaps, l.Panes)
		}
		if _, ok := l.Plan.BorderAt(b.X-1, a.Y+1); !ok {
			t.Errorf("gaps %v: the rule is no border", gaps)
		}
		if border, ok := l.Plan.BorderAt(c.X+4, c.Y); !ok || border.Upright {
			t.Errorf("gaps %v: the title is no border", gaps)
		}
		if _, ok := l.Plan.BorderAt(b.X, a.Y+1); ok {
			t.Errorf("gaps %v: a cell of the screen is a border", gaps)
		}
		if last := l.Panes[3]; last.X+last.W != 200 || last.Y+last.H != 58 {
			t.Errorf("the last pane ends at %d,%d", last.X+last.W, last.Y+last.H)
		}
	}
}
