package tui

import (
	"testing"

	"ccdir/api"
	"ccdir/tui/grid/tiling"
)

// TestFocusIsKept: who comes back stands where they left, on that page, whoever waits
// meanwhile; where that pane is not shown any more, the one that needs a person has the
// focus, as at the first attach.
func TestFocusIsKept(t *testing.T) {
	m := testModel(160, 50)
	m.Loaded = false
	first := api.Grid{Layout: string(tiling.TwoByTwo)}
	m.take(news{snapshot: &api.Snapshot{Sessions: many(9), Grid: &first}})
	m.settle()
	press(m, "C-b", ">", "C-b", "l")
	if m.focus != "id000006" || m.arr.pending() {
		t.Fatalf("focus %s; a move of the focus alone is not sent at once: %v", m.focus, m.arr.pending())
	}
	left := m.lastGrid()
	if left == nil || left.Focus != "id000006" {
		t.Fatalf("left with %+v", left)
	}
	for name, c := range map[string]struct {
		change func(all []api.Session, g *api.Grid)
		want   string
	}{
		"as it was":  {want: "id000006"},
		"one waits":  {func(all []api.Session, _ *api.Grid) { all[1].State = api.StatePermission }, "id000006"},
		"it ended":   {func(all []api.Session, _ *api.Grid) { all[5].State = api.StateExited }, "id000006"},
		"it is gone": {func(all []api.Session, _ *api.Grid) { all[1].State, all[5].ID = api.StatePermission, "other" }, "id000002"},
		"ended ones are hidden": {func(all []api.Session, g *api.Grid) {
			all[5].State, g.HideEnded = api.StateExited, true
		}, "id000001"},
		"outside now": {func(all []api.Session, _ *api.Grid) { all[5].External = true }, "id000001"},
	} {
		t.Run(name, func(t *testing.T) {
			all, g := many(9), *left
			if c.change != nil {
				c.change(all, &g)
			}
			k := testModel(160, 50)
			k.Loaded = false
			k.take(news{snapshot: &api.Snapshot{Sessions: all, Grid: &g}})
			k.settle()
			if k.focus != c.want {
				t.Errorf("focus %s", k.focus)
			}
			if same := c.want == left.Focus; same != (k.lastGrid() == nil) || same != (k.layout.Page == 1) {
				t.Errorf("page %d, to be kept: %+v", k.layout.Page, k.lastGrid())
			}
		})
	}
}

// TestFocusOfOthers: where another terminal's focus is moves nothing here, and the one
// that is left last is kept.
func TestFocusOfOthers(t *testing.T) {
	m := testModel(160, 50)
	m.Loaded = false
	m.take(news{snapshot: &api.Snapshot{Sessions: many(3), Grid: &api.Grid{Focus: "id000003"}}})
	m.take(news{grid: &api.Grid{Focus: "id000002", Layout: "rows"}})
	m.settle()
	if m.focus != "id000003" || m.arr.kind != tiling.Rows {
		t.Errorf("focus %s, layout %s", m.focus, m.arr.kind)
	}
	if g := m.lastGrid(); g == nil || g.Focus != "id000003" {
		t.Errorf("left with %+v", g)
	}
}
