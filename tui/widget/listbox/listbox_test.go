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
		all := items(names...)
		if rnd.IntN(2) == 0 {
			for i := range all {
				all[i].Twice = rnd.IntN(4)
			}
		}
		c := Content{Title: "rows", Items: all, Keys: []keymap.Named{keymap.ViewClose.As("close")}, Menu: rnd.IntN(2) == 0}
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
			if id != "" && !strings.Contains(text, id) && p.Rows.W > 6 && p.extra == nil {
				t.Fatalf("%dx%d: a click on %q finds %q", on.Cols, on.Rows, text, id)
			}
		}
		if !seen && p.Rows.H > 0 && p.Rows.W > 0 {
			t.Fatalf("%dx%d: %q is not in view", on.Cols, on.Rows, v.ID)
		}
	}
}

// TestTwoLines: where there is no room for all that want two lines, the least important go
// without, one by one, and those that want one never take two.
func TestTwoLines(t *testing.T) {
	var rows []Item
	for _, want := range []int{4, 1, 0, 2, 1, 3} {
		rows = append(rows, Item{ID: "x", Twice: want})
	}
	for more, want := range []string{"", "2", "25", "254", "2546", "12546", "12546"} {
		got := ""
		for i, lines := range extra(rows, more) {
			if lines > 0 {
				got += fmt.Sprint(i + 1)
			}
		}
		sorted := strings.Split(want, "")
		slices.Sort(sorted)
		if got != strings.Join(sorted, "") {
			t.Errorf("%d lines more: rows %s, want %s", more, got, want)
		}
	}
}

// TestThirdLine: where all have their second line and more is left than the note needs, a third
// one goes to those that have not said all, the most important first.
func TestThirdLine(t *testing.T) {
	rows := []Item{{ID: "a", Twice: 2, Thrice: true}, {ID: "b"}, {ID: "c", Twice: 3}, {ID: "d", Twice: 1, Thrice: true}}
	for more, want := range map[int]string{3: "[1 0 1 1]", 4: "[1 0 1 1]", 5: "[1 0 1 2]", 6: "[2 0 1 2]", 9: "[2 0 1 2]"} {
		if got := fmt.Sprint(extra(rows, more)); got != want {
			t.Errorf("%d lines more: %s, want %s", more, got, want)
		}
	}
}

// TestKeyboardTakesNoRow: in a place of its own a list shows the same rows with the keyboard
// as without; only a filter takes one.
func TestKeyboardTakesNoRow(t *testing.T) {
	keys, _ := keymap.Make(keymap.DefaultPrefix, nil)
	on := modal.Screen{Cols: 100, Rows: 30, Theme: theme.New("", nil), Keys: keys}
	c := Content{Items: items("a", "b", "c"), Note: "more", Keys: []keymap.Named{keymap.ViewClose.As("close")}, At: paint.Rect{W: 30, H: 8}, Idle: true}
	for i := range c.Items {
		c.Items[i].Twice = 1
	}
	lines := func(v View) (out []int) {
		p := v.Plan(on, c)
		rows, _ := v.Rows(c)
		p.each(rows, func(_ int, r paint.Rect) { out = append(out, r.Y, r.H) })
		return out
	}
	v := View{ID: "a"}
	idle := fmt.Sprint(lines(v))
	c.Idle = false
	if got := fmt.Sprint(lines(v)); got != idle || idle != "[1 2 3 2 5 2]" {
		t.Errorf("with the keyboard %s, without %s", got, idle)
	}
	p := v.Plan(on, c)
	if a, ok := v.FootAt(on, c, p, p.foot.X, p.Box.Y+p.Box.H-1); !ok || a != keymap.ViewClose {
		t.Errorf("a click on the key in the frame is %q", a)
	}
	v.Typing = true
	if got := fmt.Sprint(lines(v)); got != "[2 2 4 2 6 1]" {
		t.Errorf("while the filter is typed: %s", got)
	}
}
