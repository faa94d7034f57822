package sessions

import (
	"fmt"
	"slices"
	"strings"
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
	uitest.Everywhere(t, env, New(env, ""), "sessions")
	for _, tt := range []struct {
		keys []string
		want string
	}{
		{[]string{"Enter"}, "[{aaaa1111 }]"},
		{[]string{":"}, "[{aaaa1111 } {[]}]"},
		{[]string{"Space", "Space", ":"}, "[{false} {[aaaa1111 bbbb2222]}]"}, // the shell was marked by itself
		{[]string{"a", ":"}, "[{no agents, left out: sh; Space in the list marks one for a text, too} {false} {[aaaa1111 cccc3333]}]"},
		{[]string{"h"}, "[{2 {[aaaa1111] true}}]"},
		{[]string{"R"}, "[{none of them has ended}]"},
		{[]string{"End", "Enter"}, "[{dddd4444 }]"},          // the grid says that it has no pane
		{[]string{"Space", "Escape", "Escape"}, "[{false}]"}, // the marks go first
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

// TestOrderHolds: while the list has the keyboard no row moves, whatever the sessions do;
// new ones come last, and another order is taken over.
func TestOrderHolds(t *testing.T) {
	env := world(100, 16)
	env.Sessions = slices.Clone(env.Sessions)
	env.List.Opt.Sort, env.List.Sessions = sessionlist.ByNeed, env.Sessions
	names := func(d ui.Component) string {
		var out []string
		for _, l := range strings.Split(uitest.Picture(env, d).Dump(), "\n") {
			for _, name := range []string{"api", "sh", "old", "elsewhere", "new"} {
				if strings.Contains(l, " "+name+" ") && !strings.Contains(l, "·") {
					out = append(out, name)
				}
			}
		}
		return strings.Join(out, " ")
	}
	d := ui.Component(New(env, ""))
	before := names(d)
	env.Sessions[1].State, env.Sessions[1].Plain, env.Sessions[1].Question = api.StatePermission, "", "may I?"
	env.Sessions = append(env.Sessions[:3:3], api.Session{ID: "eeee5555", Name: "new", State: api.StatePermission}, env.Sessions[3])
	env.List.Sessions = env.Sessions
	d, _ = uitest.Refresh(env, d, nil)
	if got := names(d); got != before+" new" {
		t.Errorf("%q, it was %q", got, before)
	}
	_, effects := uitest.Press(env, d, "Down", "Enter")
	if was := strings.Fields(before)[1]; fmt.Sprint(effects) != fmt.Sprintf("[{%s }]", map[string]string{"sh": "bbbb2222", "elsewhere": "dddd4444"}[was]) {
		t.Errorf("the second row, %s, goes to %v", was, effects)
	}
	env.List.Opt.Sort = sessionlist.ByName
	d, _ = uitest.Refresh(env, d, nil)
	if got := names(d); got != "api new old sh" {
		t.Errorf("by name: %q", got)
	}
	env.List.Opt.Sort = sessionlist.ByNeed
	if got := names(New(env, "")); got != "new sh api old" {
		t.Errorf("opened again: %q", got)
	}
}

func TestCutBranch(t *testing.T) {
	for _, test := range []struct {
		line string
		w    int
		want string
	}{
		{"main", 10, "main"}, {"fix-login ↑1 ±2", 20, "fix-login ↑1 ±2"}, {"fix-login ↑1 ±2", 12, "fix-l… ↑1 ±2"}, {"fix-login ↑1 ±2", 7, "↑1 ±2"}, {"fix-login ↑1 ±2", 4, "fix…"}, {"fix-login", 5, "fix-…"},
	} {
		if got := cutBranch(test.line, test.w); got != test.want {
			t.Errorf("%q in %d: %q, want %q", test.line, test.w, got, test.want)
		}
	}
}

// TestLinesInColour: the lines that a session has added are green, those that it has removed
// red, also where the branch is cut.
func TestLinesInColour(t *testing.T) {
	env := world(30, 16)
	env.Column = paint.Rect{W: 38, H: 16}
	env.Cols = 40
	env.Sessions[0].Branch, env.Sessions[0].Ahead, env.Sessions[0].Added, env.Sessions[0].Removed = "fix-the-login-page", 1, 40, 2
	env.List.Sessions = env.Sessions
	s := uitest.Picture(env, Column(env))
	line := []rune(strings.Split(s.Dump(), "\n")[2]) // all of one column
	at := len(line) - len([]rune("↑1 +40 −2"))
	if at < 0 || string(line[at:]) != "↑1 +40 −2" {
		t.Fatal(s.Dump())
	}
	row := s.Row(2)[at:]
	dim, green, red := row[0].Style, row[3].Style, row[7].Style
	if green == dim || red == dim || green == red || row[5].Style != green || row[8].Style != red {
		t.Errorf("styles %d %d %d", dim, green, red)
	}
}

// TestDirectoryOnce: a session of which nothing is known does not repeat its name as that of its
// directory; a command says what runs.
func TestDirectoryOnce(t *testing.T) {
	env := world(100, 16)
	for _, tt := range []struct {
		v    api.Session
		want string
	}{
		{api.Session{Name: "shop", CWD: "/home/me/shop"}, ""}, {api.Session{Name: "shop-2", CWD: "/home/me/shop"}, ""}, {api.Session{Name: "shopping", CWD: "/home/me/shop"}, "shop"},
		{api.Session{Name: "x", CWD: env.Home}, ""}, {api.Session{Name: "make", Plain: api.PlainCommand, Argv: []string{"/usr/bin/make", "all"}, CWD: "/home/me/shop"}, "make all"},
		{api.Session{Name: "htop", Plain: api.PlainCommand, Argv: []string{"htop"}, CWD: "/home/me/shop"}, "shop"},
		{api.Session{Name: "api", State: api.StateIdle, Prompt: "p", Answer: "Two:⏎⏎```go⏎x⏎```", CWD: "/home/me/shop"}, "Two: x"},
	} {
		if got := (rows{}).rowText(env, &sessionlist.Row{Session: tt.v, Standing: tt.v.Standing(env.Now)}); got != tt.want {
			t.Errorf("%s in %s: %q, want %q", tt.v.Name, tt.v.CWD, got, tt.want)
		}
	}
}

// TestLittleContext: the context left is said once that is little.
func TestLittleContext(t *testing.T) {
	for left, want := range map[int]string{69: "$0.41", 40: "$0.41", 39: "39% ctx left · $0.41"} {
		if got := (api.Session{ContextLeft: &left, CostUSD: 0.41}).UsageNews(); got != want {
			t.Errorf("%d%%: %q", left, got)
		}
	}
}

// TestNewsOfTheQueue: what has ended in the queue stands behind what asks; a task that failed has a
// row of its own unless its session says so.
func TestNewsOfTheQueue(t *testing.T) {
	env := world(34, 20)
	env.Column = paint.Rect{W: 34, H: 20}
	env.Sessions = slices.Clone(env.Sessions)
	env.Sessions[1].State, env.Sessions[1].Plain, env.Sessions[1].Question = api.StatePermission, "", "may I?"
	env.List.Opt.Sort, env.List.Sessions = sessionlist.ByNeed, env.Sessions
	env.Work.Tasks = []api.Task{
		{ID: "t1", State: api.TaskDone, Unseen: true, Since: uitest.Epoch, Result: api.TaskResult{Message: "All tests pass."}},
		{ID: "t2", State: api.TaskFailed, Unseen: true, Since: uitest.Epoch, Reason: "API error 400"},
		{ID: "t3", State: api.TaskFailed, Since: uitest.Epoch, Reason: "of yesterday"},
	}
	uitest.Golden(t, env, Column(env), "column-news-34x20")
	for id, want := range map[string]string{"queue/": "[{queue }]", "queue/t2": "[{queue t2}]", "bbbb2222": "[{bbbb2222 }]"} {
		if got := fmt.Sprint(Visit(env, id)); got != want {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
	}
	env.Work.Tasks[1].Session = "aaaa1111"
	if got := fmt.Sprint(Visit(env, "queue/t2")); got != "[{aaaa1111 }]" {
		t.Errorf("its session is there: %s", got)
	}
}

// TestLastTurn: the second line of a session says what its last turn changed where there is room.
func TestLastTurn(t *testing.T) {
	env := world(120, 16)
	env.Column = paint.Rect{W: 100, H: 16}
	env.Sessions[0].State, env.Sessions[0].Branch, env.Sessions[0].LastTurn = api.StateIdle, "main", &api.TurnDiff{Turn: 2, Files: 3, Added: 40, Removed: 2}
	env.List.Sessions = env.Sessions
	if got := uitest.Picture(env, Column(env)).Dump(); !strings.Contains(got, "last turn 3 files +40 −2\n") || !strings.Contains(got, "main   3m") {
		t.Error(got)
	}
}

// TestWordsInAColumn: what is said of sessions begins in one column, behind a long word, too.
func TestWordsInAColumn(t *testing.T) {
	env := world(100, 16)
	env.Sessions = env.Sessions[:2]
	env.Sessions[1].Plain, env.Sessions[1].Agent, env.Sessions[1].Interrupted = "", "claude", true
	env.Sessions[0].Prompt, env.Sessions[1].Prompt = "say A", "say B"
	env.List.Sessions = env.Sessions
	var at []int
	for _, line := range strings.Split(uitest.Picture(env, New(env, "")).Dump(), "\n") {
		if i := strings.Index(line, "say "); i >= 0 && len(at) < 2 {
			at = append(at, paint.Width(line[:i]))
		}
	}
	if len(at) != 2 || at[0] != at[1] {
		t.Errorf("columns %v:\n%s", at, uitest.Picture(env, New(env, "")).Dump())
	}
}

// TestThirdLine: what a session asks is whole in the column where there is room, on a third line.
func TestThirdLine(t *testing.T) {
	env := world(120, 36)
	env.Column = paint.Rect{W: 36, H: 20}
	v := &env.Sessions[0]
	v.State, v.Asks = api.StateInput, "Which hash shall I use for the passwords of our users?"
	env.List.Sessions = env.Sessions
	if got := uitest.Picture(env, Column(env)).Dump(); !strings.Contains(got, "Which hash shall I use for the\n") || !strings.Contains(got, "      passwords of our users?\n") {
		t.Error(got)
	}
	env.Column.H = 8
	if got := uitest.Picture(env, Column(env)).Dump(); strings.Contains(got, "passwords of our users?") {
		t.Error(got)
	}
}
