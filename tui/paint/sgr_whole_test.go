package paint

import (
	"regexp"
	"strings"
	"testing"

	"ccdir/internal/grid"
	"ccdir/sessions/screen"
	"ccdir/sessions/screen/vt"
)

// TestSGRWhole: from any set of attributes to any other what is written is nothing
// or a whole sequence, also for attributes that terminals aren't told.
func TestSGRWhole(t *testing.T) {
	whole := regexp.MustCompile("^(\x1b\\[[0-9;:]*m)?$")
	for from := range 1 << 12 {
		for _, to := range []int{0, 1, from ^ 1<<3, from ^ 1<<9, from ^ 1<<10, from ^ 1<<11, 1 << 10, 1 << 11} {
			if got := appendSGR(nil, grid.Style{Attrs: grid.Attr(from)}, grid.Style{Attrs: grid.Attr(to)}); !whole.Match(got) {
				t.Fatalf("from %b to %b: %q", from, to, got)
			}
		}
	}
}

// TestSGRHasRoom: no sequence has more parameters than every terminal takes (iTerm2
// takes 16), whatever changes at once, and nothing is lost by that.
func TestSGRHasRoom(t *testing.T) {
	full := func(attrs grid.Attr, underline grid.Underline, c uint8) grid.Style {
		return grid.Style{Attrs: attrs, Underline: underline, FG: grid.RGB(c, 2, 3), BG: grid.RGB(4, c, 6), UnderlineColor: grid.RGB(7, 8, c)}
	}
	for attrs := range grid.Attr(1 << 8) {
		from, to := full(attrs, grid.UnderlineCurly, 1), full(^attrs&0xff, grid.UnderlineDotted, 200)
		out := string(appendSGR(appendSGR(nil, grid.Style{}, from), from, to))
		for _, one := range strings.Split(strings.TrimSuffix(out, "m"), "m") {
			if n := strings.Count(one, ";") + 1; n > grid.MaxParams {
				t.Fatalf("%d parameters in %q", n, one)
			}
		}
		e := vt.New(screen.Options{Cols: 10, Rows: 1})
		e.Feed([]byte(out + "x"))
		if got := e.Table().Style(e.Row(0).Cells[0].Style); got != to {
			t.Fatalf("%q is %+v, want %+v", out, got, to)
		}
	}
}
