package tui

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/internal/api"
)

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
	from, to := m.layout.panes[0], m.layout.panes[3]
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
	if m.Update(tea.MouseClickMsg(at(from.X+from.W-2, from.Y))); m.arr.carried.id != "" {
		t.Error("the frame beside the name drags the pane")
	}
}

// TestWheelOverEvents: the wheel goes back in the events without taking the keys
// from the pane, and at the end follows the newest again.
func TestWheelOverEvents(t *testing.T) {
	m := testModel(120, 20, fourSessions...)
	var all []api.Event
	for i := range 100 {
		all = append(all, api.Event{Seq: int64(i + 1), At: epoch.Add(time.Duration(i) * time.Second), Session: "aaaa1111", Type: "E" + strings.Repeat("x", i%3)})
	}
	m.take(news{events: all})
	m.settle()
	over := tea.Mouse{X: m.layout.sidebar.X + 3, Y: 5, Button: tea.MouseWheelUp}
	for range 10 {
		m.Update(tea.MouseWheelMsg(over))
	}
	if m.mode != modePane || m.eventView.sel != 70 {
		t.Errorf("mode %d, at %d", m.mode, m.eventView.sel)
	}
	shows(t, m, "↑ older")
	over.Button = tea.MouseWheelDown
	for range 11 {
		m.Update(tea.MouseWheelMsg(over))
	}
	if m.eventView.sel != 0 {
		t.Errorf("it stays at %d", m.eventView.sel)
	}
}

func TestPickEventSession(t *testing.T) {
	m := fourPanes(140, 30)
	press(m, "C-b", "E", "S")
	shows(t, m, "events of", "all sessions", "web", "gone0000 (gone)")
	press(m, "w", "e", "b", "Enter")
	if m.eventView.session != "bbbb2222" || m.mode != modeEvents || m.overlay != nil {
		t.Errorf("%+v, mode %d", m.eventView, m.mode)
	}
	shows(t, m, "events of web")
	press(m, "S", "a", "l", "l", "Enter")
	if m.eventView.session != "" {
		t.Error("not all again")
	}
}

// TestClickMenu: a click takes a choice of a menu, one beside it closes it.
func TestClickMenu(t *testing.T) {
	m := fourPanes(140, 30)
	press(m, "C-b", "E", "S")
	d := m.overlay.(chooser)
	sc := m.nowScene()
	box := d.view.plan(sc, d.content(sc)).box
	m.Update(tea.MouseClickMsg{X: box.X + 4, Y: box.Y + 3, Button: tea.MouseLeft})
	if m.eventView.session == "" || m.overlay != nil {
		t.Errorf("%+v %T", m.eventView, m.overlay)
	}
	press(m, "S")
	m.Update(tea.MouseClickMsg{X: 0, Y: 0, Button: tea.MouseLeft})
	if m.overlay != nil {
		t.Errorf("it stays: %T", m.overlay)
	}
}

// TestEventsOnNarrowTerminals: where there is no room for the sidebar a list shows
// the same events with the same keys.
func TestEventsOnNarrowTerminals(t *testing.T) {
	m := fourPanes(80, 24)
	press(m, "C-b", "E")
	shows(t, m, "events", "UserPromptSubmit", "❯", "PermissionRequest", "[!!]")
	press(m, "k", "s")
	shows(t, m, "events of web")
	if strings.Contains(m.picture().Dump(), "UserPromptSubmit") {
		t.Error("events of another session are listed")
	}
	press(m, "i")
	shows(t, m, `"type": "P`)
	press(m, "q", "q", "S", "a", "p", "i", "Enter")
	shows(t, m, "events of api", "SessionStart")
	press(m, "o", "Escape")
	press(m, "Enter")
	if m.overlay != nil || m.focus != "aaaa1111" {
		t.Errorf("%T, focus %s", m.overlay, m.focus)
	}
}
