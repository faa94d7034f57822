package grid

import (
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
	"ccdir/tui/pane"
	"ccdir/tui/ui"
	"ccdir/wire"
)

func TestMouse(t *testing.T) {
	r := newRig(t, 120, 40, many(2)...)
	one, two := r.env.Tiles[0].Inner(), r.env.Tiles[1].Inner()
	// A click focuses; the program gets it only if it wants the mouse.
	if hit := r.press(two.X+3, two.Y+2); hit != onText || r.Focus != "id000002" || len(r.got("id000002")) > 0 {
		t.Fatalf("hit %v, focus %s", hit, r.Focus)
	}
	r.release(two.X+3, two.Y+2)
	r.wants("id000002", 80)
	r.mouse(tea.MouseClickMsg{X: two.X + 3, Y: two.Y + 2, Button: tea.MouseLeft, Mod: tea.ModCtrl})
	r.move(two.X-9, two.Y+500) // out of the pane
	r.release(two.X+4, two.Y+2)
	want := []wire.MouseEvent{
		{X: 3, Y: 2, Button: 1, Action: wire.MousePress, Ctrl: true},
		{X: 0, Y: 23, Button: 1, Action: wire.MouseMotion},
		{X: 4, Y: 2, Button: 1, Action: wire.MouseRelease},
	}
	if got := r.got("id000002"); !slices.Equal(got, want) {
		t.Errorf("got %+v", got)
	}
	// The wheel goes to what is below it, without the focus.
	if hit := r.wheel(one.X, one.Y); hit != onHistory || r.Focus != "id000002" {
		t.Errorf("the wheel: hit %v, focus %s", hit, r.Focus)
	}
	r.states["id000001"] = pane.State{ID: "id000001", Connected: true, Cols: 80, Rows: 24, Flags: wire.FlagAlt | wire.FlagAltScroll}
	r.settle()
	if hit := r.wheel(one.X, one.Y); hit != handled || len(r.got("id000001")) != 1 {
		t.Error("the wheel did not arrive")
	}
	// The frame belongs to ccdir, and so does all in copy mode and with Shift.
	r.press(two.X-1, two.Y-1)
	r.release(two.X-1, two.Y-1)
	if hit := r.mouse(tea.MouseClickMsg{X: two.X, Y: two.Y, Button: tea.MouseLeft, Mod: tea.ModShift}); hit != onText || len(r.got("id000002")) > 0 {
		t.Errorf("with Shift: hit %v", hit)
	}
	r.env.Tiles[1].Still = true
	if h, _ := r.pointed(r.env, tea.MouseWheelMsg{X: two.X, Y: two.Y, Button: tea.MouseWheelUp}); h != onHistory {
		t.Errorf("in copy mode: hit %v", h)
	}
	if hit := r.press(5, 39); hit != elsewhere {
		t.Errorf("below the panes: hit %v", hit)
	}
}

// TestRowsByMouse: a click on the row of a session gives it the focus and the large pane;
// its release goes to nobody. Names and double clicks do what they do elsewhere.
func TestRowsByMouse(t *testing.T) {
	r := newRig(t, 180, 50, many(6)...)
	r.wants("id000001", 200)
	r.wants("id000003", 200)
	at := r.Layout.Rows
	if r.names() != "s1 s2" || at.H != 5 {
		t.Fatalf("panes %s, rows %+v", r.names(), at)
	}
	r.press(at.X+5, at.Y+1)
	r.release(at.X+5, at.Y+1)
	if r.Focus != "id000003" || r.names() != "s3 s2" || len(r.got("id000003")) > 0 {
		t.Errorf("focus %s, panes %s", r.Focus, r.names())
	}
	second := r.rect(1)
	r.press(second.X+4, second.Y)
	r.release(second.X+4, second.Y)
	if r.names() != "s3 s2" || r.Focus != "id000002" {
		t.Errorf("a click on a name: %s, focus %s", r.names(), r.Focus)
	}
	r.press(second.X+4, second.Y)
	r.release(second.X+4, second.Y)
	if !r.Zoomed || r.Focus != "id000002" {
		t.Errorf("a double click: zoomed %v, focus %s", r.Zoomed, r.Focus)
	}
}

// TestLostRelease: where the release of a click is lost, the next click begins anew.
func TestLostRelease(t *testing.T) {
	r := newRig(t, 160, 50, many(4)...)
	r.wants("id000004", 200)
	in := r.env.Tiles[3].Inner()
	r.press(in.X, in.Y)
	in = r.env.Tiles[2].Inner()
	if hit := r.press(in.X, in.Y); hit != onText || r.Grid.mouse.tile.Pane != nil {
		t.Errorf("the next press: hit %v", hit)
	}
	r.release(in.X, in.Y)
	if r.Focus != "id000003" {
		t.Errorf("focus %s, sizes %s", r.Focus, r.sizes())
	}
}

func TestBordersByMouse(t *testing.T) {
	r := newRig(t, 200, 50, many(4)...)
	p := r.rect(0)
	r.press(p.X+p.W, 10)
	for x := p.X + p.W + 1; x <= p.X+p.W+12; x++ {
		r.move(x, 10)
	}
	if r.rect(0).W != p.W+12 {
		t.Errorf("the border is at %d, want %d", r.rect(0).W, p.W+12)
	}
	if !r.Held(r.env.Now) {
		t.Error("hosts are told while the border moves")
	}
	if r.release(p.X+p.W+12, 10); r.Held(r.env.Now) {
		t.Error("hosts are not told after it was let go")
	}
	// Those of the sidebar belong to that.
	r.room.List, r.room.Events = 38, 38
	r.settle()
	r.press(r.Layout.List.W, 5)
	r.move(r.Layout.List.W+7, 5)
	r.release(0, 0)
	r.press(5, r.Layout.Sidebar.Y)
	r.move(5, r.Layout.Sidebar.Y-6)
	r.release(0, 0)
	if want := []ui.Border{{X: 38 + 7}, {Y: r.Layout.Sidebar.Y - 6}}; !slices.Equal(r.moved, want) {
		t.Errorf("moved %+v, want %+v", r.moved, want)
	}
	// Two clicks on a frame zoom; slow ones don't.
	click := func() { x := r.rect(0).X; r.press(x+3, 0); r.release(x+3, 0) }
	click()
	r.env.Now = r.env.Now.Add(time.Second)
	if click(); r.Zoomed {
		t.Error("slow clicks zoom")
	}
	if click(); !r.Zoomed || r.Focus != "id000001" {
		t.Error("a double click does not zoom")
	}
}

// TestClickInBorders: in the mode for borders a click ends it, and does what it does.
func TestClickInBorders(t *testing.T) {
	r := newRig(t, 160, 50, many(4)...)
	r.key("b")
	in := r.env.Tiles[1].Inner()
	if r.press(in.X, in.Y); r.open != nil || r.Focus != "id000002" {
		t.Errorf("open %v, focus %s", r.open, r.Focus)
	}
}

// TestDragPane: a pane that is dragged by its name changes places with the one on which it
// is let go; the rest of the frame is a border.
func TestDragPane(t *testing.T) {
	r := newRig(t, 160, 40, many(4)...)
	from, to := r.rect(0), r.rect(3)
	r.press(from.X+4, from.Y)
	r.move(to.X+5, to.Y+3)
	if !r.said("let go to change places with s4") || r.Target() != "id000004" {
		t.Errorf("over s4: %q", r.lines)
	}
	r.release(to.X+5, to.Y+3)
	if r.names() != "s4 s2 s3 s1" || r.Focus != "id000001" || r.lines[len(r.lines)-1] != "" {
		t.Errorf("order %s, focus %s, %q", r.names(), r.Focus, r.lines)
	}
	// Let go where it was, and beside the panes: nothing happens.
	for _, at := range [][2]int{{from.X + 8, from.Y + 2}, {159, 39}} {
		r.press(from.X+4, from.Y)
		r.move(at[0], at[1])
		r.release(at[0], at[1])
	}
	if r.names() != "s4 s2 s3 s1" {
		t.Errorf("order %s", r.names())
	}
	if r.press(from.X+from.W-2, from.Y); r.Grid.mouse.dragged.id != "" {
		t.Error("the frame beside the name drags the pane")
	}
}

// TestOutside: sessions outside ccdir have no pane; those that wait come first.
func TestOutside(t *testing.T) {
	all := many(4)
	for i := range all[1:] {
		all[i+1].External = true
	}
	all[3].State = api.StateInput
	r := newRig(t, 160, 40, all...)
	if out := r.Outside(r.env.World, r.env.Now); r.names() != "s1" || len(out) != 3 || out[0].Name != "s4" {
		t.Errorf("panes %s, outside %v", r.names(), out)
	}
	r.carryOut(r.Give(r.env.World, "id000002"))
	if r.Focus != "id000001" || !r.said("s2 runs outside ccdir") {
		t.Errorf("focus %s, %q", r.Focus, r.lines)
	}
}

// TestWheelGoesOnInTheConversation: an agent on the alternate screen gets the wheel as long
// as its picture moves; then it turns into the conversation.
func TestWheelGoesOnInTheConversation(t *testing.T) {
	v := many(1)
	v[0].Conversation = "c-1"
	r := newRig(t, 82, 28, v...)
	r.wants("id000001", 80)
	s := r.states["id000001"]
	s.Flags |= wire.FlagAlt
	r.states["id000001"] = s
	show := func(text string) {
		r.panes["id000001"].Show(pane.ParseStill(text, 80, 24))
		r.settle()
	}
	in := r.env.Tiles[0].Inner()
	turn := func(after time.Duration) hit {
		r.env.Now = r.env.Now.Add(after)
		return r.mouse(tea.MouseWheelMsg{X: in.X, Y: in.Y, Button: tea.MouseWheelUp})
	}
	show("line 9")
	if turn(0) != handled || turn(time.Millisecond) != handled {
		t.Error("the agent has no time to move")
	}
	show("line 6")
	if turn(spunAfter) != handled || len(r.got("id000001")) != 3 {
		t.Error("the agent moves and does not get the wheel")
	}
	if turn(spunAfter) != onHistory {
		t.Error("the agent does not move and keeps the wheel")
	}
	show("line 6\n\n\n\n\n\n\n\n\n\n\n\n\n\n\nworking for 3 s")
	if turn(spunAfter) != onHistory {
		t.Error("what changes at the bottom counts as moving")
	}
	r.mouse(tea.MouseWheelMsg{X: in.X, Y: in.Y, Button: tea.MouseWheelDown})
	if turn(0) != handled {
		t.Error("after a turn downwards it begins anew")
	}
}
