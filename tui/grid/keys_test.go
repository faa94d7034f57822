package grid

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/tui/grid/tiling"
	"ccdir/tui/ui/uitest"
)

func TestLayoutsByKeys(t *testing.T) {
	r := newRig(t, 160, 50, many(5)...)
	var seen []string
	for range tiling.Kinds {
		r.key("Space")
		seen = append(seen, fmt.Sprintf("%s: %s page %d/%d", r.kind, r.sizes(), r.Layout.Page+1, r.Layout.Pages))
	}
	want := []string{
		"1x1: 160x47 page 1/5", "2x1: 79x47 80x47 page 1/3", "2x2: 79x23 80x23 79x24 80x24 page 1/2",
		"3x2: 52x24 52x24 54x24 79x24 80x24 page 1/1", "columns: 31x48 31x48 31x48 31x48 32x48 page 1/1",
		"rows: 160x9 160x10 160x9 160x10 160x10 page 1/1", "main + stack: 92x48 67x12 67x12 67x12 67x12 page 1/1",
		"focus + list: 160x43 page 1/1",
		"tiled: 160x43 page 1/1",
	}
	if !slices.Equal(seen, want) {
		t.Errorf("cycling:\n%s\nwant\n%s", strings.Join(seen, "\n"), strings.Join(want, "\n"))
	}
	r.key("M-3")
	if r.kind != tiling.TwoByTwo || !r.said("layout 2x2, page 1 of 2 (C-b < C-b >)") {
		t.Errorf("M-3: %s, %q", r.kind, r.lines)
	}
	r.key(">")
	if r.names() != "s5" || r.Focus != "id000005" {
		t.Errorf("page 2: %s, focus %s", r.names(), r.Focus)
	}
	if r.key("Left"); r.Focus != "id000004" {
		t.Errorf("left over the edge of the page: %s", r.Focus)
	}
	if r.key("Right"); r.Focus != "id000005" {
		t.Errorf("right over the edge of the page: %s", r.Focus)
	}
	r.key("<", "z")
	if r.sizes() != "160x48" || r.zoom != r.Focus {
		t.Errorf("zoomed: %s", r.sizes())
	}
	if r.key("Space"); r.Zoomed || r.kind != tiling.ThreeByTwo {
		t.Error("the next layout does not end the zoom")
	}
	if r.key("9"); !r.said("there are only 5 panes") {
		t.Errorf("pane 9: %q", r.lines)
	}
}

func TestSwapHideAndOrder(t *testing.T) {
	r := newRig(t, 160, 60, many(4)...)
	r.kind = tiling.ThreeByTwo
	r.settle()
	r.key("}")
	if r.names() != "s2 s1 s3 s4" || r.Focus != "id000001" {
		t.Errorf("swapped with the next: %s", r.names())
	}
	if r.key("S-Down"); r.names() != "s2 s4 s3 s1" {
		t.Errorf("swapped down: %s", r.names())
	}
	if !r.plain("S-Left") || r.names() != "s2 s4 s1 s3" {
		t.Errorf("repeated without the prefix: %s", r.names())
	}
	if !r.Takes(r.env.Now) {
		t.Error("keys go past the program while some of them repeat")
	}
	if r.plain("x") || r.Takes(r.env.Now) {
		t.Error("another key does not end the repetition")
	}
	r.key("S-Left")
	r.env.Now = r.env.Now.Add(repeatFor)
	if r.plain("S-Left") {
		t.Error("repeats for ever")
	}
	r.key("{")
	if r.names() != "s2 s1 s4 s3" {
		t.Errorf("swapped with the previous: %s", r.names())
	}
	r.env.Sessions = append(slices.Clone(r.env.Sessions), api.Session{ID: "new00000", Name: "new", State: api.StateIdle, Created: uitest.Epoch})
	r.settle()
	r.key("-")
	if r.names() != "s2 s4 s3 new" || r.Focus != "id000004" {
		t.Errorf("hidden: %s, focus %s", r.names(), r.Focus)
	}
	if n := r.HiddenCount(r.env.World); n != 1 {
		t.Errorf("%d are hidden", n)
	}
	r.carryOut(r.Give(r.env.World, "id000001")) // from a list, or `ccdir focus`
	r.settle()
	if r.names() != "s2 s1 s4 s3 new" || r.HiddenCount(r.env.World) != 0 {
		t.Errorf("shown again by its focus: %s", r.names())
	}
	for range 5 {
		r.key("-")
	}
	if got := r.names(); got != "" || r.Focus != "" {
		t.Errorf("all hidden: %q, focus %q", got, r.Focus)
	}
	if r.key("+"); r.names() != "s2 s1 s4 s3 new" {
		t.Errorf("shown again: %s", r.names())
	}
}

func TestBordersByKeys(t *testing.T) {
	r := newRig(t, 160, 50, many(4)...)
	r.key("C-Right")
	r.plain("C-Right")
	r.key("C-Up")
	if got := r.sizes(); got != "87x22 72x22 79x26 80x26" {
		t.Errorf("sizes: %s", got)
	}
	r.key("b", "Tab", "Down", "h", "Left")
	if got := r.sizes(); got != "79x24 80x24 79x24 80x24" {
		t.Errorf("sizes in the mode: %s", got)
	}
	if r.Takes(r.env.Now.Add(time.Millisecond)) && r.open == nil {
		t.Error("the mode is left")
	}
	r.key("Right", "Enter")
	if r.open != nil {
		t.Error("Enter does not end the mode")
	}
	r.key("=")
	if len(r.Grid.sizes) != 0 {
		t.Error("= leaves sizes")
	}
	// Another terminal, other shapes: each has its own sizes.
	r.key("M-5", "C-Right", "M-3", "C-Right")
	if len(r.Grid.sizes) != 2 {
		t.Errorf("sizes: %v", r.Grid.sizes)
	}
	r.env.Cols, r.env.Rows = 80, 24
	r.settle()
	if got := r.sizes(); got != "41x11 38x11 39x11 40x11" {
		t.Errorf("in a smaller terminal: %s", got)
	}
	r.key("z", "b")
	if r.open != nil || !r.said("there is no border to move") {
		t.Errorf("one pane alone: %q", r.lines)
	}
}

// TestSeats: where there is room for two large panes, the focus goes to the one that has
// the session; another session takes the pane that has the focus, and the other pane stays.
func TestSeats(t *testing.T) {
	r := newRig(t, 180, 50, many(6)...)
	for _, step := range []struct{ key, panes, focus string }{
		{"1", "s1 s2", "id000001"}, {"2", "s1 s2", "id000002"}, {"5", "s1 s5", "id000005"}, {"Left", "s1 s5", "id000001"},
		{"4", "s4 s5", "id000004"}, {"Down", "s4 s5", "id000005"}, {"Down", "s4 s6", "id000006"}, {"{", "s5 s6", "id000006"},
	} {
		if step.key == "{" {
			r.key("Left", "S-Right")
			if r.names() != "s6 s4" || r.Focus != "id000004" {
				t.Errorf("swapped: %s, focus %s", r.names(), r.Focus)
			}
			break
		}
		if r.key(step.key); r.names() != step.panes || r.Focus != step.focus {
			t.Errorf("%s: %s, focus %s", step.key, r.names(), r.Focus)
		}
		if a, b := r.env.Tiles[0].Inner(), r.env.Tiles[1].Inner(); a.W != b.W || a.H != b.H {
			t.Errorf("sizes: %s", r.sizes())
		}
	}
	// The session of a pane goes: the first that runs takes its place.
	r.env.Sessions = slices.DeleteFunc(slices.Clone(r.env.Sessions), func(v api.Session) bool { return v.ID == "id000006" })
	if r.settle(); r.names() != "s1 s4" {
		t.Errorf("after the end of s6: %s", r.names())
	}
}

// TestNextSize: one more session gets the room that it will have.
func TestNextSize(t *testing.T) {
	r := newRig(t, 160, 50, many(3)...)
	cols, rows := r.NextSize()
	more := newRig(t, 160, 50, many(4)...)
	if in := more.env.Tiles[3].Inner(); in.W != cols || in.H != rows {
		t.Errorf("%dx%d, it has %dx%d", cols, rows, in.W, in.H)
	}
}

// TestLastPane: a key goes to the pane that had the focus before, and back.
func TestLastPane(t *testing.T) {
	r := newRig(t, 160, 50, many(6)...)
	if r.key(";"); !r.said("no other pane has had the focus") {
		t.Errorf("at first: %q", r.lines)
	}
	r.key("4", "2", ";")
	if r.Focus != "id000004" {
		t.Errorf("focus %s", r.Focus)
	}
	if r.key(";"); r.Focus != "id000002" {
		t.Errorf("back: focus %s", r.Focus)
	}
	r.key("4", "-", ";")
	if r.Focus == "id000004" {
		t.Error("a hidden pane gets the focus")
	}
}
