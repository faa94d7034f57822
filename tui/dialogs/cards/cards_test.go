package cards

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/tui/lists/sessionlist"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
)

// day is a screen with sessions of every standing.
func day(cols, rows int) ui.Env {
	env := uitest.Env(cols, rows)
	since := func(minutes int) time.Time { return uitest.Epoch.Add(-time.Duration(minutes) * time.Minute) }
	code := 1
	env.Sessions = []api.Session{
		{ID: "a1", Name: "api", State: api.StateIdle, Prompt: "make the tests pass", Answer: "All 14 tests pass:⏎⏎```go⏎ok ccdir/tui⏎```", Unread: true, Since: since(2), Branch: "fix/x", Changed: 3, Model: "claude-opus-5-5", CWD: "/home/me/api"},
		{ID: "b2", Name: "docs", State: api.StatePermission, Prompt: "build the docs", Asks: "rm -rf build && make", Since: since(4), Branch: "main", CWD: "/home/me/docs"},
		{ID: "c3", Name: "crash", State: api.StateExited, ExitCode: &code, Unread: true, Error: "exit 1", Since: since(8), CWD: "/home/me/crash"},
		{ID: "d4", Name: "frontend", State: api.StateWorking, Prompt: "a long task whose text does not fit into one line of a card however wide that is, and which goes on and on until it is cut", Since: since(12), CWD: "/home/me/web"},
		{ID: "e5", Name: "top", State: api.StateIdle, Plain: "command", Since: since(60), CWD: "/home/me", Argv: []string{"/usr/bin/htop", "-d", "5"}},
	}
	env.List = sessionlist.Source{Sessions: env.Sessions, Now: env.Now}
	return env
}

func TestPictures(t *testing.T) {
	for _, size := range uitest.Sizes {
		env := day(size[0], size[1])
		uitest.Golden(t, env, New(env), fmt.Sprintf("cards-%dx%d", size[0], size[1]))
	}
	env := day(80, 24)
	env.Sessions, env.List.Sessions = nil, nil
	uitest.Golden(t, env, New(env), "none-80x24")
}

// chosen is the id of the chosen session.
func chosen(c ui.Component) string { return c.(page).chosen }

// TestKeys: the choice moves by cards and lines; keys act on the chosen session.
func TestKeys(t *testing.T) {
	env := day(80, 24) // two cards in a line: docs crash / api frontend / top
	env.Focus = "b2"
	c := New(env)
	for _, step := range []struct{ key, want string }{{"l", "c3"}, {"j", "d4"}, {"j", "e5"}, {"j", "e5"}, {"g", "b2"}, {"k", "b2"}, {"G", "e5"}, {"h", "d4"}} {
		if c, _ = uitest.Press(env, c, step.key); chosen(c) != step.want {
			t.Fatalf("%s chose %s, want %s", step.key, chosen(c), step.want)
		}
	}
	if _, effects := uitest.Press(env, c, "Enter"); !slices.Equal(effects, []ui.Effect{ui.Focus{Session: "d4"}}) {
		t.Errorf("Enter: %v", effects)
	}
	if _, effects := uitest.Press(env, c, "a"); !slices.Equal(effects, []ui.Effect{ui.Say{Text: "it asks nothing"}}) {
		t.Errorf("an answer to a session that asks nothing: %v", effects)
	}
	c, _ = uitest.Press(env, c, "g")
	if _, effects := uitest.Press(env, c, "a"); !slices.Equal(effects, []ui.Effect{ui.Focus{Session: "b2"}, ui.Do{Action: keymap.Attention}}) {
		t.Errorf("an answer: %v", effects)
	}
	for _, key := range []string{"Escape", "q", "o", "C-c"} {
		if _, effects := uitest.Press(env, c, key); !slices.Equal(effects, []ui.Effect{ui.Close{}}) {
			t.Errorf("%s: %v", key, effects)
		}
	}
}

// TestOrderStands: a session that begins to ask keeps its place while the page is open,
// and the choice stays with its session when another one goes.
func TestOrderStands(t *testing.T) {
	env := day(80, 24)
	c := New(env)
	c, _ = uitest.Press(env, c, "l", "j") // frontend
	sessions := slices.Clone(env.Sessions)
	sessions[4].State, sessions[4].Plain = api.StatePermission, ""
	sessions = slices.Delete(sessions, 2, 3) // crash
	env.Sessions, env.List.Sessions = sessions, sessions
	if c, _ = uitest.Press(env, c, "l"); chosen(c) != "e5" {
		t.Errorf("beside frontend is %s, want the session that was there", chosen(c))
	}
}

// TestSmallScreens: the chosen card is always in view, and nothing is drawn outside.
func TestSmallScreens(t *testing.T) {
	for cols := 1; cols < 90; cols += 7 {
		for rows := 1; rows < 30; rows += 3 {
			env := day(cols, rows)
			c, _ := uitest.Press(env, New(env), "G")
			dump := uitest.Picture(env, c).Dump()
			if cols >= 38 && rows > 8 && !strings.Contains(dump, "top") {
				t.Fatalf("%dx%d: the chosen card is out of view:\n%s", cols, rows, dump)
			}
		}
	}
}

func TestMouse(t *testing.T) {
	env := day(80, 24)
	c := New(env)
	shown, _ := layout(env, c.(page).rows(env)).showing(0)
	at := shown[3]
	_, effects := c.(ui.Mouser).Mouse(env, tea.MouseClickMsg{Button: tea.MouseLeft, X: at.X + 3, Y: at.Y + 1})
	if !slices.Equal(effects, []ui.Effect{ui.Focus{Session: "d4"}}) {
		t.Errorf("a click: %v", effects)
	}
	if c, _ = c.(ui.Mouser).Mouse(env, tea.MouseWheelMsg{Button: tea.MouseWheelDown}); chosen(c) != "a1" {
		t.Errorf("the wheel chose %s", chosen(c))
	}
}
