package sessions

import (
	"fmt"
	"testing"

	"ccdir/api"
	"ccdir/tui/lists/sessionlist"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
)

// world has an agent, a shell, one that has ended and one outside ccdir.
func world(cols, rows int) ui.Env {
	env := uitest.Env(cols, rows)
	at := func(id, name string, st api.State) api.Session {
		return api.Session{ID: id, Name: name, Agent: "claude", State: st, CWD: "/home/me/shop", Created: uitest.Epoch, Since: uitest.Epoch}
	}
	env.Sessions = []api.Session{at("aaaa1111", "api", api.StateWorking), at("bbbb2222", "sh", api.StateIdle), at("cccc3333", "old", api.StateExited), at("dddd4444", "elsewhere", api.StateIdle)}
	env.Sessions[1].Agent, env.Sessions[1].Plain = "command", api.PlainShell
	env.Sessions[3].External = true
	env.List = sessionlist.Source{Sessions: env.Sessions, Opt: api.GridList{Sort: sessionlist.ByGrid}, Now: env.Now}
	return env
}

// TestKeys: what each key asks for, about the chosen session or the marked ones.
func TestKeys(t *testing.T) {
	env := world(100, 16)
	uitest.Golden(t, env, New(env, ""), "sessions-100x16")
	for _, tt := range []struct {
		keys []string
		want string
	}{
		{[]string{"Enter"}, "[{aaaa1111}]"},
		{[]string{":"}, "[{aaaa1111} {[]}]"},
		{[]string{"Space", "Space", ":"}, "[{} {[aaaa1111 bbbb2222]}]"}, // the shell was marked by itself
		{[]string{"a", ":"}, "[{no agents, left out: sh; Space in the list marks one for a text, too} {} {[aaaa1111 cccc3333]}]"},
		{[]string{"h"}, "[{[aaaa1111] true}]"},
		{[]string{"R"}, "[{none of them has ended}]"},
		{[]string{"End", "Enter"}, "[{dddd4444}]"},      // the grid says that it has no pane
		{[]string{"Space", "Escape", "Escape"}, "[{}]"}, // the marks go first
	} {
		if _, effects := uitest.Press(env, New(env, ""), tt.keys...); fmt.Sprint(effects) != tt.want {
			t.Errorf("%q: %v, want %s", tt.keys, effects, tt.want)
		}
	}
}

// TestMarksGo: with their sessions, and when something is done with them.
func TestMarksGo(t *testing.T) {
	env := world(100, 16)
	d, _ := uitest.Press(env, New(env, ""), "a")
	uitest.Golden(t, env, d, "marked-100x16")
	env.Sessions = env.Sessions[1:]
	d, _ = uitest.Refresh(env, d, nil)
	env.List.Sessions = env.Sessions
	uitest.Golden(t, env, d, "marked-gone-100x16")
	d, _ = d.(ui.Receiver).Receive(env, cleared{}, nil)
	if d, effects := uitest.Press(env, d, "Escape"); len(effects) != 1 {
		t.Errorf("marks are left: %v %v", d, effects)
	}
}

// TestColumn: beside the panes each session has two lines, and a click finds it.
func TestColumn(t *testing.T) {
	env := world(30, 16)
	env.Column = paint.Rect{W: 30, H: 16}
	env.Focus = "bbbb2222"
	uitest.Golden(t, env, Column(env), "column-30x16")
	if got := At(env, 5, 6); got == "" {
		t.Error("a click in the column finds nothing")
	}
}
