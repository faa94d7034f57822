package listbox

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ccdir/internal/keymap"
	"ccdir/tui/paint"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// items are rows of these names; a name that ends in a colon is a heading.
func items(names ...string) (all []Item) {
	for _, name := range names {
		it := Item{ID: name, Match: func() string { return name }, Line: func(int) string { return name }}
		if strings.HasSuffix(name, ":") {
			it.ID = ""
		}
		all = append(all, it)
	}
	return all
}

// TestFilterAndChoice: a heading stays where rows below it do, and the choice stays with
// a row's id, then with its place.
func TestFilterAndChoice(t *testing.T) {
	c := Content{Items: items("fruit:", "apple", "pear", "tree:", "oak", "pear tree")}
	shown := func(v View) string {
		var out []string
		rows, _ := v.Rows(c)
		for _, it := range rows {
			out = append(out, it.Line(10))
		}
		return strings.Join(out, " ") + " | " + v.ID
	}
	for _, tt := range []struct{ id, query, want string }{
		{"", "", "fruit: apple pear tree: oak pear tree | apple"},
		{"oak", "", "fruit: apple pear tree: oak pear tree | oak"},
		{"oak", "PEAR", "fruit: pear tree: pear tree | pear"},
		{"pear tree", "tree pear", "tree: pear tree | pear tree"},
		{"oak", "plum", " | "},
	} {
		v := View{ID: tt.id, Query: edit.NewLine(tt.query)}.Settled(c)
		if got := shown(v); got != tt.want {
			t.Errorf("%q, %q: %q, not %q", tt.id, tt.query, got, tt.want)
		}
	}
	v := View{ID: "pear"}.Settled(c)
	c.Items = slices.Delete(slices.Clone(c.Items), 2, 3)
	if v = v.Settled(c); v.ID != "oak" {
		t.Errorf("in the place of what is gone: %q", v.ID)
	}
	if v = v.Choose(c, 9); v.ID != "pear tree" {
		t.Errorf("the last: %q", v.ID)
	}
	if v = v.Choose(c, -9); v.ID != "apple" {
		t.Errorf("the first: %q", v.ID)
	}
}

// TestClicksFindWhatIsDrawn: whatever the size of screen and list, the chosen row is in
// view, a click in a row finds the one that is drawn there, and nothing is drawn outside
// the box.
func TestClicksFindWhatIsDrawn(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	keys, _ := keymap.Make(keymap.DefaultPrefix, nil)
	look := theme.New("", nil)
	for range 200 {
		on := modal.Screen{Cols: 1 + rnd.IntN(140), Rows: 1 + rnd.IntN(50), Theme: look, Keys: keys}
		var names []string
		for i := range 1 + rnd.IntN(60) {
			names = append(names, fmt.Sprintf("%d.", i))
		}
		c := Content{Title: "rows", Items: items(names...), Keys: []keymap.Named{keymap.ViewClose.As("close")}, Twice: rnd.IntN(2) == 0, Menu: rnd.IntN(2) == 0}
		if rnd.IntN(2) == 0 {
			c.At = paint.Rect{X: rnd.IntN(on.Cols), Y: 0, W: on.Cols, H: on.Rows}
			c.At.W -= c.At.X
		}
		v := View{ID: names[rnd.IntN(len(names))]}.Settled(c)
		s := paint.NewSurface(on.Cols, on.Rows, paint.Caps{})
		v.Draw(s, on, c)
		p := v.Plan(on, c)
		seen := false
		for y := range on.Rows {
			row := s.Row(y)
			text := string(s.Table().AppendText(nil, row))
			for x := range on.Cols {
				if !p.Box.Contains(x, y) && row[x].Glyph != 0 {
					t.Fatalf("%dx%d: %d,%d is drawn outside of %+v", on.Cols, on.Rows, x, y, p.Box)
				}
			}
			id := v.RowAt(c, p, p.Rows.X+rnd.IntN(max(1, p.Rows.W)), y)
			seen = seen || id == v.ID
			if id != "" && !strings.Contains(text, id) && p.Rows.W > 6 && p.lines == 1 {
				t.Fatalf("%dx%d: a click on %q finds %q", on.Cols, on.Rows, text, id)
			}
		}
		if !seen && p.Rows.H > 0 && p.Rows.W > 0 {
			t.Fatalf("%dx%d: %q is not in view", on.Cols, on.Rows, v.ID)
		}
	}
}
