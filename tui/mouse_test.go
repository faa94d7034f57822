package tui

import (
	"slices"
	"testing"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
	"ccdir/tui/pane"
	"ccdir/tui/terminal/input"
	"ccdir/wire"
)

func TestMouse(t *testing.T) {
	m, _ := clientModel(t, two()...)
	m.noSidebar = true
	m.settle()
	tiles := m.tiles(m.shown())
	web := tiles[1].inner()
	// A click focuses; the application gets it only if it wants the mouse.
	m.Update(tea.MouseClickMsg{X: web.X + 3, Y: web.Y + 2, Button: tea.MouseLeft})
	if m.focus != "bbbb2222" || m.queued("bbbb2222") != "" {
		t.Fatalf("focus %s", m.focus)
	}
	m.states["bbbb2222"] = pane.State{ID: "bbbb2222", Connected: true, Cols: 80, Rows: 24, Flags: wire.FlagMouse | wire.FlagMouseMotion}
	m.drain()
	m.Update(tea.MouseClickMsg{X: web.X + 3, Y: web.Y + 2, Button: tea.MouseLeft, Mod: tea.ModCtrl})
	m.Update(tea.MouseMotionMsg{X: web.X - 9, Y: web.Y + 500, Button: tea.MouseLeft}) // out of the pane
	m.Update(tea.MouseReleaseMsg{X: web.X + 4, Y: web.Y + 2, Button: tea.MouseLeft})
	var got []wire.MouseEvent
	for _, in := range m.panes["bbbb2222"].DiscardInput() {
		got = append(got, in.Mouse)
	}
	want := []wire.MouseEvent{
		{X: 3, Y: 2, Button: 1, Action: wire.MousePress, Ctrl: true},
		{X: 0, Y: 23, Button: 1, Action: wire.MouseMotion},
		{X: 4, Y: 2, Button: 1, Action: wire.MouseRelease},
	}
	if len(got) != 3 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("got %+v", got)
	}
	// The wheel goes to what is below it, without the focus.
	api := tiles[0].inner()
	m.Update(tea.MouseWheelMsg{X: api.X, Y: api.Y, Button: tea.MouseWheelDown})
	if m.queued("aaaa1111") != "" || m.focus != "bbbb2222" {
		t.Error("the wheel went to an application that does not want it")
	}
	m.states["aaaa1111"] = pane.State{ID: "aaaa1111", Connected: true, Cols: 80, Rows: 24, Flags: wire.FlagAlt | wire.FlagAltScroll}
	m.Update(tea.MouseWheelMsg{X: api.X, Y: api.Y, Button: tea.MouseWheelDown})
	if m.queued("aaaa1111") != "mouse" || m.focus != "bbbb2222" {
		t.Error("the wheel did not arrive")
	}
	// The frame belongs to ccdir.
	m.Update(tea.MouseClickMsg{X: tiles[1].rect.X, Y: tiles[1].rect.Y, Button: tea.MouseLeft})
	if m.queued("bbbb2222") != "" {
		t.Error("a click on the frame went to the application")
	}
}

func TestMouseOnChrome(t *testing.T) {
	m, _ := clientModel(t, two()...)
	m.take(news{events: []api.Event{{Seq: 1, Session: "bbbb2222", Type: "Stop"}}})
	m.settle()
	m.Update(tea.MouseClickMsg{X: m.layout.Sidebar.X + 3, Y: 1, Button: tea.MouseLeft})
	if m.focus != "bbbb2222" {
		t.Errorf("the event did not choose its session: %s", m.focus)
	}
	m.Update(tea.MouseClickMsg{X: 3, Y: m.layout.Prompt.Y, Button: tea.MouseLeft})
	if m.mode != modePrompt {
		t.Error("the prompt bar did not take the keyboard")
	}
	m.mode = modePane
	m.Update(tea.WindowSizeMsg{Width: 40, Height: 12})
	m.Update(tea.MouseClickMsg{X: m.nowScene().stripCells()[1].x, Y: 0, Button: tea.MouseLeft})
	if m.focus != "aaaa1111" {
		t.Errorf("the strip did not choose a session: %s", m.focus)
	}
}

// shownIDs are the sessions of the panes in their order.
func shownIDs(m *model) (out []string) {
	for _, v := range m.shown() {
		out = append(out, v.ID)
	}
	return out
}

// TestDragPane: a pane that is dragged by its name changes places with the one on
// which it is let go; the rest of the frame is a border.
func TestDragPane(t *testing.T) {
	m := testModel(160, 40, fourSessions...)
	from, to := m.layout.Panes[0], m.layout.Panes[3]
	at := func(x, y int) tea.Mouse { return tea.Mouse{X: x, Y: y, Button: tea.MouseLeft} }
	m.Update(tea.MouseClickMsg(at(from.X+6, from.Y)))
	m.Update(tea.MouseMotionMsg(at(to.X+5, to.Y+3)))
	shows(t, m, "let go to change places with old")
	m.Update(tea.MouseReleaseMsg(at(to.X+5, to.Y+3)))
	if got := shownIDs(m); !slices.Equal(got, []string{"dddd4444", "bbbb2222", "cccc3333", "aaaa1111"}) {
		t.Errorf("order %v", got)
	}
	if m.focus != "aaaa1111" || m.notice.text != "" {
		t.Errorf("focus %s, notice %q", m.focus, m.notice.text)
	}
	// Let go where it was, and beside the panes: nothing happens.
	before := shownIDs(m)
	for _, r := range [][2]int{{from.X + 8, from.Y + 2}, {159, 39}} {
		m.Update(tea.MouseClickMsg(at(from.X+6, from.Y)))
		m.Update(tea.MouseMotionMsg(at(r[0], r[1])))
		m.Update(tea.MouseReleaseMsg(at(r[0], r[1])))
	}
	if got := shownIDs(m); !slices.Equal(got, before) {
		t.Errorf("order %v", got)
	}
	if m.Update(tea.MouseClickMsg(at(from.X+from.W-2, from.Y))); m.arr.draggedPane.id != "" {
		t.Error("the frame beside the name drags the pane")
	}
}

// TestMouseAtTheEdges: places outside of the picture, and those that X10's encoding cannot tell.
func TestMouseAtTheEdges(t *testing.T) {
	m := fourPanes(80, 24)
	for _, in := range []string{"\x1b[M !!", "\x1b[M  \x20", "\x1b[M \xff\xff", "\x1b[<0;0;0M", "\x1b[<0;19000;10000M", "\x1b[<64;0;0M", "\x1b[<32;0;0M"} {
		var d input.Decoder
		d.Feed([]byte(in), func(e input.Event) { m.event(e.Event) }) // which must not panic
	}
}
