package paint

import (
	"regexp"
	"strings"
	"testing"

	"ccdir/internal/cells"
	"ccdir/sessions/screen"
	"ccdir/sessions/screen/vt"
)

// TestSGRWhole: from any set of attributes to any other what is written is nothing
// or a whole sequence, also for attributes that terminals aren't told.
func TestSGRWhole(t *testing.T) {
	whole := regexp.MustCompile("^(\x1b\\[[0-9;:]*m)?$")
	for from := range 1 << 12 {
		for _, to := range []int{0, 1, from ^ 1<<3, from ^ 1<<9, from ^ 1<<10, from ^ 1<<11, 1 << 10, 1 << 11} {
			if got := appendSGR(nil, cells.Style{Attrs: cells.Attr(from)}, cells.Style{Attrs: cells.Attr(to)}); !whole.Match(got) {
				t.Fatalf("from %b to %b: %q", from, to, got)
			}
		}
	}
}

// TestSGRHasRoom: no sequence has more parameters than every terminal takes (iTerm2
// takes 16), whatever changes at once, and nothing is lost by that.
func TestSGRHasRoom(t *testing.T) {
	full := func(attrs cells.Attr, underline cells.Underline, c uint8) cells.Style {
		return cells.Style{Attrs: attrs, Underline: underline, FG: cells.RGB(c, 2, 3), BG: cells.RGB(4, c, 6), UnderlineColor: cells.RGB(7, 8, c)}
	}
	for attrs := range cells.Attr(1 << 8) {
		from, to := full(attrs, cells.UnderlineCurly, 1), full(^attrs&0xff, cells.UnderlineDotted, 200)
		out := string(appendSGR(appendSGR(nil, cells.Style{}, from), from, to))
		for _, one := range strings.Split(strings.TrimSuffix(out, "m"), "m") {
			if n := strings.Count(one, ";") + 1; n > cells.MaxParams {
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
