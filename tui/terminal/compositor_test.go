package terminal

import (
	"strings"
	"testing"

	"ccdir/internal/cells"
	"ccdir/tui/paint"
	"ccdir/wire"
)

// TestOffsetFollowsTheCursor: of a screen that is larger than its room the part
// with the cursor is shown.
func TestOffsetFollowsTheCursor(t *testing.T) {
	m := wire.NewMirror()
	lines := make([]string, 50)
	apply := func(x, y int) {
		if err := m.Apply(fullFrame(120, lines, 1, wire.Cursor{X: x, Y: y, Visible: true}, 0)); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ x, y, wantX, wantY int }{
		{0, 0, 0, 0}, {39, 9, 0, 0}, {39, 10, 0, 1}, {0, 49, 0, 40}, {40, 0, 20, 0}, {119, 49, 80, 40},
	} {
		apply(tt.x, tt.y)
		if x, y := offsetOf(m, 40, 10); x != tt.wantX || y != tt.wantY {
			t.Errorf("cursor %d,%d: offset %d,%d", tt.x, tt.y, x, y)
		}
	}
}

// TestAddressesFollowTheText: an address in a pane is a link, also over the end of a row, and is
// another one as soon as one of its rows has changed.
func TestAddressesFollowTheText(t *testing.T) {
	m, gen := wire.NewMirror(), uint64(0)
	apply := func(rows map[int]string) {
		var enc wire.RowEncoder
		enc.Reset(cells.NewTable())
		for y, l := range rows { // the others stay as they are
			row := cells.Row{Cells: make([]cells.Cell, 12), Wrapped: len(l) == 12}
			for x, r := range l {
				row.Cells[x].Glyph = cells.Glyph(r)
			}
			enc.Add(y, row)
		}
		gen++
		f := &wire.Frame{Full: gen == 1, Gen: gen, Cols: 12, Rows: 3, Data: enc.AppendTo(nil)}
		if err := m.Apply(f); err != nil {
			t.Fatal(err)
		}
	}
	c := NewCompositor(paint.Caps{Links: true})
	c.surface.Resize(30, 3)
	cache := &paneCache{}
	links := func() string {
		c.rows(cache, m, paint.Rect{X: 5, W: 20, H: 3}, gen == 1)
		var out []string
		for y := range 3 {
			for _, cell := range c.surface.Row(y) {
				if uri := c.surface.Table().LinkURI(c.surface.Table().Style(cell.Style).Link); uri != "" && (out == nil || out[len(out)-1] != uri) {
					out = append(out, uri)
				}
			}
		}
		return strings.Join(out, " ")
	}
	apply(map[int]string{0: "see https://", 1: "a.example/bc", 2: "d"})
	if got := links(); got != "https://a.example/bcd" {
		t.Errorf("links %q", got)
	}
	apply(map[int]string{2: "xyz now"})
	if got := links(); got != "https://a.example/bcxyz" {
		t.Errorf("a row later: %q", got)
	}
	apply(map[int]string{0: "see https:/ "})
	if got := links(); got != "" {
		t.Errorf("no address any more: %q", got)
	}
}
