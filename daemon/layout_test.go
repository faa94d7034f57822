package daemon

import (
	"os"
	"reflect"
	"testing"
	"time"

	"ccdir/api"
)

func TestGridIsKept(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	w := p.stream("/v1/watch")
	var m api.WatchMessage
	w.next(&m)
	if m.Snapshot.Grid == nil || !reflect.DeepEqual(*m.Snapshot.Grid, api.Grid{}) {
		t.Fatalf("a new daemon's arrangement: %+v", m.Snapshot.Grid)
	}
	want := api.Grid{
		Layout: "main", Order: []string{"b", "a"}, Hidden: []string{"c"}, HideEnded: true, Zoom: "b", Focus: "a",
		Sizes:   map[string]api.GridSizes{"c1.2": {Lines: []int{7000}, Cells: [][]int{nil, {2500}}}},
		Sidebar: &api.GridSidebar{Width: 2500}, List: api.GridList{Share: 4000, Width: 3000, Sort: "name"},
	}
	p.call("PUT", "/v1/grid", want, nil)
	for m = (api.WatchMessage{}); m.Grid == nil; {
		m = api.WatchMessage{}
		w.next(&m)
	}
	if !reflect.DeepEqual(*m.Grid, want) {
		t.Errorf("published: %+v", *m.Grid)
	}
	p.stopDaemon()
	p.run()
	var got api.Grid
	p.call("GET", "/v1/grid", nil, &got)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("after a restart: %+v", got)
	}
	want.Left = time.Now().UTC().Truncate(time.Second)
	p.call("PUT", "/v1/grid", want, nil)
	if p.call("GET", "/v1/grid", nil, &got); got.Spent == nil || *got.Spent != 0 || !got.Left.Equal(want.Left) {
		t.Errorf("what was spent when the person left: %v, at %s", got.Spent, got.Left)
	}
	for what, g := range map[string]api.Grid{
		"a border outside": {Sizes: map[string]api.GridSizes{"r2": {Lines: []int{api.GridWhole}}}},
		"borders crossed":  {Sizes: map[string]api.GridSizes{"r2": {Cells: [][]int{{500, 400}}}}},
		"many sessions":    {Order: make([]string, 10_001)},
		"a wide list":      {List: api.GridList{Width: -1}},
		"a wide sidebar":   {Sidebar: &api.GridSidebar{Width: api.GridWhole + 1}},
	} {
		t.Run(what, func(t *testing.T) { p.wantCode(api.CodeInvalid, "PUT", "/v1/grid", g) })
	}
	// A damaged file costs the arrangement only.
	p.stopDaemon()
	if err := os.WriteFile(p.paths.GridFile(), []byte(`{"order":`), 0o600); err != nil {
		t.Fatal(err)
	}
	p.run()
	got = api.Grid{}
	if p.call("GET", "/v1/grid", nil, &got); !reflect.DeepEqual(got, api.Grid{}) {
		t.Errorf("of a damaged file: %+v", got)
	}
}
