package tiling

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"ccdir/api"
	"ccdir/tui/paint"
)

var limits = Limits{MinW: 24, MinH: 6, GoodW: 82, GoodH: 26}

// check fails unless the panes cover the area without overlap, each at least
// of the least size if a page of them fits.
func check(t *testing.T, p Plan, area paint.Rect, n int, fits bool) {
	t.Helper()
	if len(p.Panes) != n {
		t.Fatalf("%d panes instead of %d", len(p.Panes), n)
	}
	covered := make([]bool, area.W*area.H)
	for i, r := range p.Panes {
		if fits && (r.W < limits.MinW || r.H < limits.MinH) {
			t.Fatalf("pane %d is %dx%d", i, r.W, r.H)
		}
		for y := r.Y; y < r.Y+r.H; y++ {
			for x := r.X; x < r.X+r.W; x++ {
				if !area.Contains(x, y) {
					t.Fatalf("pane %d reaches beyond the area: %+v", i, r)
				}
				at := (y-area.Y)*area.W + x - area.X
				if covered[at] {
					t.Fatalf("two panes share the cell %d,%d", x, y)
				}
				covered[at] = true
			}
		}
	}
	for at, c := range covered {
		if !c && area.W > 0 && area.H > 0 {
			t.Fatalf("nothing covers the cell %d,%d", at%area.W, at/area.W)
		}
	}
}

// TestPanesCoverTheArea: for every layout, area and number of panes, with equal
// sizes and with any that a person or another terminal may have left.
func TestPanesCoverTheArea(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for _, k := range Kinds {
		for _, size := range [][2]int{{0, 0}, {1, 1}, {24, 6}, {40, 8}, {47, 11}, {80, 22}, {121, 38}, {200, 58}, {460, 148}} {
			area := paint.Rect{X: rnd.IntN(40), Y: rnd.IntN(3), W: size[0], H: size[1]}
			if k == Spotlight {
				continue // it has no plan (TestSpotlight)
			}
			perPage := k.PerPage(area, limits)
			for n := 1; n <= min(perPage, 14); n++ {
				t.Run(fmt.Sprintf("%s/%dx%d/%d", k, size[0], size[1], n), func(t *testing.T) {
					fits := size[0] >= limits.MinW && size[1] >= limits.MinH
					p := Arrange(k, area, n, nil, limits)
					check(t, p, area, n, fits)
					for range 4 {
						q := Arrange(k, area, n, map[string]Sizes{p.Key(): random(rnd, p.Shape)}, limits)
						check(t, q, area, n, fits)
					}
				})
			}
		}
	}
}

// random are sizes that fit a shape more or less.
func random(rnd *rand.Rand, s Shape) (out Sizes) {
	cuts := func(n int) (c []int) {
		if rnd.IntN(5) == 0 {
			n += rnd.IntN(3) - 1
		}
		for at, i := 0, 1; i < n; i++ {
			at += 1 + rnd.IntN(2*whole/(n+1))
			c = append(c, min(at, whole-1))
		}
		return c
	}
	out.Lines = cuts(len(s.Cells))
	for _, n := range s.Cells {
		out.Cells = append(out.Cells, cuts(n))
	}
	return out
}

// TestMovedBorders: a border goes where it is put, as far as the panes beside it
// stay large enough; nothing else moves; and what is kept is valid for the API.
func TestMovedBorders(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	for range 1000 {
		k := Kinds[rnd.IntN(len(Kinds))]
		area := paint.Rect{X: rnd.IntN(30), Y: rnd.IntN(3), W: 24 + rnd.IntN(480), H: 6 + rnd.IntN(140)}
		n := 1 + rnd.IntN(min(k.PerPage(area, limits), 12))
		sizes := map[string]Sizes{}
		p := Arrange(k, area, n, sizes, limits)
		for range 4 {
			b, ok := p.BorderOf(rnd.IntN(n), rnd.IntN(2) == 0)
			if !ok {
				continue
			}
			to := b.At + rnd.IntN(81) - 40
			sizes[p.Key()] = p.Move(b, to)
			if err := (api.Grid{Sizes: sizes}).Check(); err != nil {
				t.Fatal(err)
			}
			q := Arrange(k, area, n, sizes, limits)
			check(t, q, area, n, true)
			now := q.border(b.Line, b.Cell)
			if d := now.At - to; d != 0 && (to < b.At && now.At > b.At || to > b.At && now.At < b.At) {
				t.Fatalf("%s %+v: put to %d from %d, it is at %d", p.Key(), area, to, b.At, now.At)
			}
			if again := Arrange(k, area, n, sizes, limits); fmt.Sprint(again.Panes) != fmt.Sprint(q.Panes) {
				t.Fatal("the same sizes give other panes")
			}
			same(t, p, q, b)
			p = q
		}
	}
}

// same fails if another border than b is elsewhere in q than in p.
func same(t *testing.T, p, q Plan, b Border) {
	t.Helper()
	for i := range p.lines {
		if !(b.Cell < 0 && i == b.Line+1) && p.lines[i] != q.lines[i] {
			t.Fatalf("line %d moved from %d to %d", i, p.lines[i], q.lines[i])
		}
	}
	for l := range p.cells {
		for i := range p.cells[l] {
			if !(b.Cell >= 0 && l == b.Line && i == b.Cell+1) && p.cells[l][i] != q.cells[l][i] {
				t.Fatalf("cell %d of line %d moved from %d to %d", i, l, p.cells[l][i], q.cells[l][i])
			}
		}
	}
}

func TestBorderAt(t *testing.T) {
	// Two rows: 3 panes above, 2 below.
	p := Arrange(ThreeByTwo, paint.Rect{W: 120, H: 40}, 5, nil, limits)
	for _, c := range []struct {
		x, y int
		want string
	}{
		{39, 5, "{0 0 true 40}"}, {40, 5, ""}, {79, 19, "{0 1 true 80}"},
		{10, 19, ""}, {10, 20, "{0 -1 false 20}"}, {59, 30, "{1 0 true 60}"},
		{0, 5, ""}, {10, 0, ""}, {119, 5, ""}, {20, 10, ""}, {10, 39, ""}, {200, 5, ""}, {-1, 5, ""},
	} {
		b, ok := p.BorderAt(c.x, c.y)
		if got := fmt.Sprint(b); ok != (c.want != "") || ok && got != c.want {
			t.Errorf("at %d,%d: %s %v, want %q", c.x, c.y, got, ok, c.want)
		}
	}
	p = Arrange(Main, paint.Rect{W: 120, H: 40}, 3, nil, limits)
	if b, ok := p.BorderAt(p.Panes[0].W-1, 3); !ok || !b.Upright || b.Cell != -1 {
		t.Errorf("beside the main pane: %+v %v", b, ok)
	}
	if b, ok := p.BorderAt(100, 20); !ok || b.Upright || b.Line != 1 || b.Cell != 0 {
		t.Errorf("in the stack: %+v %v", b, ok)
	}
}

func TestShapes(t *testing.T) {
	wide, tall := paint.Rect{W: 160, H: 50}, paint.Rect{W: 40, H: 50}
	for _, c := range []struct {
		k    Kind
		area paint.Rect
		n    int
		want string
	}{
		{OneByOne, wide, 1, "r1"}, {TwoByOne, wide, 2, "r2"}, {TwoByTwo, wide, 3, "r2.1"}, {TwoByTwo, wide, 4, "r2.2"},
		{ThreeByTwo, wide, 4, "r2.2"}, {ThreeByTwo, wide, 5, "r3.2"}, {Columns, wide, 5, "r5"}, {Rows, wide, 4, "r1.1.1.1"},
		{Main, wide, 1, "r1"}, {Main, wide, 4, "c1.3"}, {Main, tall, 3, "r1.1.1"}, {TwoByTwo, tall, 2, "r1.1"},
	} {
		if got := c.k.shape(c.n, c.area, limits).Key(); got != c.want {
			t.Errorf("%s of %d: %s, want %s", c.k, c.n, got, c.want)
		}
	}
	for k, want := range map[Kind]int{OneByOne: 1, TwoByOne: 2, TwoByTwo: 4, ThreeByTwo: 6, Columns: 6, Rows: 8, Main: 9, Tiled: 48} {
		if got := k.PerPage(wide, limits); got != want {
			t.Errorf("%s has %d panes a page, want %d", k, got, want)
		}
	}
	seen := map[Kind]bool{}
	for k := Tiled; !seen[k]; k = k.Next() {
		seen[k] = true
	}
	if len(seen) != len(Kinds) || Known("hexagons") != Tiled || Known("main") != Main {
		t.Error("cycling misses layouts")
	}
}
