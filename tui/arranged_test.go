package tui

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/tui/grid/tiling"
	"ccdir/tui/pane"
	"ccdir/tui/terminal"
	"ccdir/tui/terminal/input"
)

// names are the names of the panes in order.
func (m *model) paneNames() string {
	var out []string
	for i := range m.layout.Panes {
		out = append(out, m.shown()[m.layout.First+i].Name)
	}
	return strings.Join(out, " ")
}

func (m *model) paneSizes() string {
	var out []string
	for _, r := range m.layout.Panes {
		out = append(out, fmt.Sprintf("%dx%d", r.W, r.H))
	}
	return strings.Join(out, " ")
}

func TestLayoutsByKeys(t *testing.T) {
	m := testModel(160, 50, many(5)...)
	m.noSidebar = true
	m.settle()
	var seen []string
	for range tiling.Kinds {
		press(m, "C-b", "Space")
		seen = append(seen, fmt.Sprintf("%s: %s page %d/%d", m.arr.kind, m.paneSizes(), m.layout.Page+1, m.layout.Pages))
	}
	want := []string{
		"1x1: 160x47 page 1/5", "2x1: 80x47 80x47 page 1/3", "2x2: 80x23 80x23 80x24 80x24 page 1/2",
		"3x2: 53x24 53x24 54x24 80x24 80x24 page 1/1", "columns: 32x48 32x48 32x48 32x48 32x48 page 1/1",
		"rows: 160x9 160x10 160x9 160x10 160x10 page 1/1", "main + stack: 93x48 67x12 67x12 67x12 67x12 page 1/1",
		"focus + stack: 99x48 61x12 61x12 61x12 61x12 page 1/1",
		"tiled: 80x16 80x16 80x16 80x16 160x16 page 1/1",
	}
	if !slices.Equal(seen, want) {
		t.Errorf("cycling:\n%s\nwant\n%s", strings.Join(seen, "\n"), strings.Join(want, "\n"))
	}
	press(m, "C-b", "M-3")
	if m.arr.kind != tiling.TwoByTwo || !strings.Contains(m.notice.text, "layout 2x2, page 1 of 2 (C-b < C-b >)") {
		t.Errorf("M-3: %s, %q", m.arr.kind, m.notice.text)
	}
	press(m, "C-b", ">")
	if m.paneNames() != "s5" || m.focus != "id000005" {
		t.Errorf("page 2: %s, focus %s", m.paneNames(), m.focus)
	}
	press(m, "C-b", "Left")
	if m.focus != "id000004" {
		t.Errorf("left over the edge of the page: %s", m.focus)
	}
	press(m, "C-b", "Right")
	if m.focus != "id000005" {
		t.Errorf("right over the edge of the page: %s", m.focus)
	}
	press(m, "C-b", "<", "C-b", "z")
	if m.paneSizes() != "160x48" || m.arr.zoom != m.focus {
		t.Errorf("zoomed: %s", m.paneSizes())
	}
	press(m, "C-b", "Space")
	if m.zoom || m.arr.kind != tiling.ThreeByTwo {
		t.Error("the next layout does not end the zoom")
	}
}

func TestSwapHideAndOrder(t *testing.T) {
	m := testModel(160, 50, many(4)...)
	press(m, "C-b", "}")
	if m.paneNames() != "s2 s1 s3 s4" || m.focus != "id000001" {
		t.Errorf("swapped with the next: %s", m.paneNames())
	}
	press(m, "C-b", "S-Down")
	if m.paneNames() != "s2 s4 s3 s1" {
		t.Errorf("swapped down: %s", m.paneNames())
	}
	press(m, "S-Left") // goes on without prefix
	if m.paneNames() != "s2 s4 s1 s3" {
		t.Errorf("repeated: %s", m.paneNames())
	}
	if m.route(m.now()).Pane != nil {
		t.Error("keys go past the program while some of them repeat")
	}
	press(m, "x") // any other key ends it
	if !m.arr.repeat.IsZero() {
		t.Error("another key does not end the repetition")
	}
	press(m, "C-b", "{")
	if m.paneNames() != "s2 s1 s4 s3" {
		t.Errorf("swapped with the previous: %s", m.paneNames())
	}
	m.take(news{sessions: map[string]api.Session{"new": named("new00000", "new", api.StateIdle, 50)}})
	press(m, "C-b", "-")
	if m.paneNames() != "s2 s4 s3 new" || m.focus != "id000004" {
		t.Errorf("hidden: %s, focus %s", m.paneNames(), m.focus)
	}
	if f := m.facts(); f.Hidden != 1 || f.Panes != 4 || f.Sessions != 5 {
		t.Errorf("facts: %+v", f)
	}
	m.setFocus("id000001") // from a list, or `ccdir focus`
	m.settle()
	if m.paneNames() != "s2 s1 s4 s3 new" || m.hiddenCount() != 0 {
		t.Errorf("shown again by its focus: %s", m.paneNames())
	}
	for range 5 {
		press(m, "C-b", "-")
	}
	if got := m.paneNames(); got != "" || m.focus != "" {
		t.Errorf("all hidden: %q, focus %q", got, m.focus)
	}
	if s := m.picture().Dump(); !strings.Contains(s, "5 sessions are hidden") {
		t.Errorf("no word of hidden sessions:\n%s", s)
	}
	press(m, "+")
	if m.paneNames() != "s2 s1 s4 s3 new" {
		t.Errorf("shown again: %s", m.paneNames())
	}
}

// TestArrangementIsKept: what is changed is sent once it has come to rest, the
// latest last; what others change is taken over, unless there is something newer
// here.
func TestArrangementIsKept(t *testing.T) {
	c := newFakeClient()
	m := testModel(200, 50, many(3)...)
	now := m.now()
	m.now = func() time.Time { return now }
	m.opts.Client, m.arr.kept = c, true
	for _, v := range m.Sessions {
		m.panes[v.ID] = pane.New(pane.Config{ID: v.ID})
	}
	// send runs the call that settle wants, if any.
	send := func() int {
		call := m.keepGrid(now)
		if call == nil {
			return 0
		}
		m.Update(call())
		return 1
	}
	press := func(keys ...string) {
		for _, n := range keys {
			m.handle(terminal.Typed{Key: &input.Key{Name: n, Press: keyOf(n), At: now}})
		}
	}
	press("C-b", "M-7", "C-b", "}")
	if send() != 1 || send() != 0 || len(c.grids) != 1 || c.grids[0].Layout != "main" || !slices.Equal(c.grids[0].Order, []string{"id000002", "id000001", "id000003"}) {
		t.Fatalf("kept: %+v", c.grids)
	}
	press("C-b", "C-Left")
	m.layout = m.arrange(3)
	if send() != 0 {
		t.Error("kept while the border moves")
	}
	now = now.Add(time.Second)
	if send() != 1 || len(c.grids[1].Sizes) != 1 {
		t.Fatalf("kept: %+v", c.grids)
	}
	// Another terminal.
	other := api.Grid{Layout: "rows", Order: []string{"gone", "id000003"}, Hidden: []string{"id000002"}, Zoom: "id000001", HideEnded: true}
	m.take(news{grid: &other})
	m.settle()
	if got := m.paneNames(); got != "s3 s1" || m.arr.kind != tiling.Rows || m.zoom || !m.hideEnded {
		t.Errorf("taken over: %s %s", got, m.arr.kind)
	}
	press("C-b", "M-3")
	m.take(news{grid: &other})
	if m.arr.kind != tiling.TwoByTwo {
		t.Error("an older arrangement replaces a newer one")
	}
	// It fails: said once, tried again with the next snapshot.
	c.fails("grid", api.Errorf(api.CodeInternal, "the disk is full"))
	if send() != 1 || !strings.Contains(m.notice.text, "the disk is full") || send() != 0 {
		t.Errorf("a failure: %q", m.notice.text)
	}
	c.fails("grid", nil)
	m.take(news{snapshot: &api.Snapshot{Sessions: m.Sessions, Grid: &other}})
	if send() != 1 || c.grids[len(c.grids)-1].Layout != "2x2" {
		t.Errorf("not kept after a new snapshot: %+v", c.grids[len(c.grids)-1])
	}
	// The next attach shows the same.
	last := c.grids[len(c.grids)-1]
	last.Zoom, last.Focus = "id000003", "id000003"
	k := testModel(100, 40)
	k.Loaded = false
	k.take(news{snapshot: &api.Snapshot{Sessions: m.Sessions, Grid: &last}})
	k.settle()
	if k.arr.kind != tiling.TwoByTwo || !k.zoom || k.paneNames() != "s3" || !reflect.DeepEqual(k.grid(), last) {
		t.Errorf("attached again: %+v\nwant %+v", k.grid(), last)
	}
	if k.lastGrid() != nil {
		t.Error("there is something to keep at once")
	}
	press2 := func(keys ...string) {
		for _, n := range keys {
			k.handle(terminal.Typed{Key: &input.Key{Name: n, Press: keyOf(n), At: now}})
		}
	}
	press2("C-b", "z", "C-b", "d")
	if g := k.lastGrid(); g == nil || g.Zoom != "" {
		t.Errorf("left with something unsaved: %+v", g)
	}
}

func TestOldDaemonKeepsNoArrangement(t *testing.T) {
	m := testModel(200, 50, many(3)...)
	m.opts.Client = newFakeClient()
	m.rearranged()
	if m.keepGrid(m.now()) != nil || m.lastGrid() != nil {
		t.Error("the arrangement is sent to a daemon that keeps none")
	}
}
