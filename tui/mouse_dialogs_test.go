package tui

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ccdir/api"
	"ccdir/tui/lists"
	"ccdir/tui/paint"
	"ccdir/tui/terminal"
)

// clickOn clicks on a text of the screen, the last one if it is there twice, and
// does what follows.
func clickOn(t *testing.T, m *model, text string) {
	t.Helper()
	lines := strings.Split(m.picture().Dump(), "\n")
	for y := len(lines) - 1; y >= 0; y-- {
		if i := strings.LastIndex(lines[y], text); i >= 0 {
			click(m, paint.Width(lines[y][:i]), y)
			return
		}
	}
	t.Fatalf("%q is not on the screen:\n%s", text, strings.Join(lines, "\n"))
}

func click(m *model, x, y int) {
	_, c := m.Update(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	perform(m, c)
}

// TestDialogsByMouse: in each dialog a click does what its key does, and one beside
// it closes it.
func TestDialogsByMouse(t *testing.T) {
	m, c := clientModel(t, fourSessions...)
	m.setFocus("aaaa1111")
	press(m, "C-b", "x")
	clickOn(t, m, "The agent is asked") // neither answer
	if m.overlay == nil {
		t.Error("a click on the question closes it")
	}
	clickOn(t, m, "any other key")
	press(m, "C-b", "x")
	click(m, 1, 1)
	if calls := calledFor(c, "kill"); m.overlay != nil || len(calls) > 0 {
		t.Errorf("%T, %v", m.overlay, calls)
	}
	press(m, "C-b", "x")
	clickOn(t, m, "y yes")
	if calls := calledFor(c, "kill"); len(calls) != 1 {
		t.Errorf("yes by a click: %v", calls)
	}
	press(m, "C-b", ",", "x")
	clickOn(t, m, "Enter rename")
	if calls := calledFor(c, "rename"); m.overlay != nil || len(calls) != 1 {
		t.Errorf("rename: %T, %v", m.overlay, calls)
	}
	press(m, "C-b", ",")
	click(m, 1, 1)
	if m.overlay != nil {
		t.Errorf("rename stays: %T", m.overlay)
	}
	press(m, "C-b", "Z")
	clickOn(t, m, "1 hour")
	if calls := calledFor(c, "snooze"); m.overlay != nil || len(calls) != 1 {
		t.Errorf("snooze: %T, %v", m.overlay, calls)
	}
	press(m, "C-b", "?", "?")
	before := m.picture().Dump()
	m.Update(tea.MouseWheelMsg{X: 60, Y: 20, Button: tea.MouseWheelDown})
	if m.picture().Dump() == before {
		t.Error("the wheel does not scroll the help")
	}
	click(m, 119, 20)
	if m.overlay != nil {
		t.Errorf("help stays: %T", m.overlay)
	}
}

func TestNewSessionByMouse(t *testing.T) {
	m, _ := clientModel(t)
	m.Dirs = []api.Directory{{Path: "/srv/site"}, {Path: "/repo/project"}}
	press(m, "n")
	clickOn(t, m, "Directory")
	clickOn(t, m, "/repo/project")
	clickOn(t, m, "Agent")
	clickOn(t, m, "demo  ")
	clickOn(t, m, "Prompt")
	press(m, "h", "i")
	shows(t, m, "‹demo›", "Directory /repo/project", "Prompt    hi")
	click(m, 0, 0)
	if m.overlay == nil {
		t.Error("a click beside the dialog throws away what was written")
	}
	clickOn(t, m, "Esc cancel")
	if m.overlay != nil {
		t.Errorf("%T", m.overlay)
	}
}

// TestAnswerByMouse: answers, choices and what closes the bar.
func TestAnswerByMouse(t *testing.T) {
	m, c := asking(t)
	do(m, "C-b", "a")
	click(m, 3, 1)
	if m.bar() != nil {
		t.Error("a click beside the bar leaves it open")
	}
	do(m, "C-b", "a")
	clickOn(t, m, "[n]o")
	click(m, 3, 1)
	if !m.barHas("Enter refuses") {
		t.Fatalf("[n]o opens no message, or a click beside throws it away: %+v", m.bar())
	}
	clickOn(t, m, "Esc back")
	clickOn(t, m, "[y]es")
	if got := c.answers(); len(got) != 1 || !strings.Contains(got[0], "allow") {
		t.Errorf("%v", got)
	}
}

// TestClickInFlight: a click that came before the bar was on the screen answers
// nothing, however late it is handled.
func TestClickInFlight(t *testing.T) {
	m, c := asking(t)
	do(m, "C-b", "a")
	shown := m.now()
	m.popupShown = func(uint64) (time.Time, bool) { return shown, true }
	lines := strings.Split(m.picture().Dump(), "\n")
	y := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "[y]es") })
	x := paint.Width(lines[y][:strings.LastIndex(lines[y], "[y]es")])
	for _, tt := range []struct {
		at      time.Time
		answers int
	}{{shown.Add(-time.Millisecond), 0}, {shown.Add(time.Millisecond), 1}} {
		_, next := m.Update(terminal.Typed{Event: uv.MouseClickEvent{X: x, Y: y, Button: uv.MouseLeft}, At: tt.at})
		perform(m, next)
		if got := c.answers(); len(got) != tt.answers {
			t.Errorf("%v after it was shown: %v", tt.at.Sub(shown), got)
		}
	}
}

// TestAnswerTextIsNoKey: what a session has written into its request names no key that
// a click would press.
func TestAnswerTextIsNoKey(t *testing.T) {
	r := testRequest("r0", "aaaa1111", "Bash", `{"command":"x"}`, 0)
	r.AlwaysRule = "Bash(x   [y]   Enter)"
	m, c := asking(t, r)
	m.setFocus("aaaa1111")
	do(m, "C-b", "a")
	if !m.barHas("api asks for permission") {
		t.Fatalf("the other request is open: %+v", m.bar())
	}
	clickOn(t, m, "[y]   Enter)")
	if got := c.answers(); len(got) > 0 || m.bar() == nil {
		t.Errorf("a click on the rule answers: %v", got)
	}
	clickOn(t, m, "[y]es")
	if got := c.answers(); len(got) != 1 {
		t.Errorf("%v", got)
	}
}

func TestRestoreByMouse(t *testing.T) {
	m, c := restorable(t)
	clickOn(t, m, "☑ web")
	clickOn(t, m, "Enter restore")
	if got := calledFor(c, "restore"); len(got) != 1 || got[0] != "restore api00000" {
		t.Errorf("called: %v", got)
	}
}

// TestClickMenu: a click takes a choice of a menu, one beside it closes it.
func TestClickMenu(t *testing.T) {
	m := fourPanes(140, 30)
	press(m, "C-b", "E", "S")
	d := m.front().(lists.Dialog)
	env := m.env()
	box := d.View.Plan(env.Screen(), d.Rows.Content(env, d.View)).Box
	m.Update(tea.MouseClickMsg{X: box.X + 4, Y: box.Y + 3, Button: tea.MouseLeft})
	if !strings.Contains(m.picture().Dump(), " of ") || m.overlay != nil {
		t.Errorf("%T:\n%s", m.overlay, m.picture().Dump())
	}
	press(m, "S")
	m.Update(tea.MouseClickMsg{X: 0, Y: 0, Button: tea.MouseLeft})
	if m.overlay != nil {
		t.Errorf("it stays: %T", m.overlay)
	}
}
