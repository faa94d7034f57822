package tui

import (
	"fmt"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/tui/known"
)

// day is a grid as a person has it in the middle of a day: eight sessions in all the
// standings, in the default view.
func day(cols, rows int) *model {
	m := testModel(cols, rows)
	m.sidebar = m.sidebar.Show(true, true)
	code := 1
	at := func(d time.Duration) time.Time { return m.now().Add(-d) }
	var list []api.Session
	add := func(name string, st api.State, since time.Duration, set func(*api.Session)) {
		v := named(fmt.Sprintf("day%05d", len(list)), name, st, time.Duration(len(list)))
		v.Since, v.Branch = at(since), "main"
		if set != nil {
			set(&v)
		}
		list = append(list, v)
		m.Upsert(v)
	}
	add("api", api.StateIdle, 2*time.Minute, func(v *api.Session) {
		v.Prompt, v.Answer, v.Unread, v.Branch, v.Changed, v.Added, v.Removed = "fix the tests", "All 14 tests pass.", true, "fix/x", 3, 40, 2
	})
	add("auth", api.StateInput, time.Minute, func(v *api.Session) { v.Prompt, v.Asks = "add login", "Which hash should I use?" })
	add("migrate", api.StateWorking, 3*time.Minute, func(v *api.Session) { v.Prompt, v.Branch = "move to v2", "wt/m" })
	add("docs", api.StatePermission, 4*time.Minute, func(v *api.Session) { v.Prompt, v.Asks, v.Ahead = "write the docs", "rm -rf build && make", 2 })
	add("frontend", api.StateWorking, 12*time.Minute, func(v *api.Session) { v.Prompt = "edit src/app.tsx" })
	add("crash", api.StateIdle, 8*time.Minute, func(v *api.Session) {
		v.Prompt, v.Unread, v.Failure = "try it", true, &api.TurnFailure{Kind: api.FailureAPI, Message: "API Error: overloaded (529)"}
	})
	add("top", api.StateIdle, time.Hour, func(v *api.Session) {
		v.Agent, v.Plain, v.Unread, v.Branch, v.Argv = "command", api.PlainCommand, true, "", []string{"/usr/bin/htop"}
	})
	add("build", api.StateExited, time.Hour, func(v *api.Session) {
		v.Agent, v.Plain, v.ExitCode, v.Branch, v.Argv, v.Unread = "command", api.PlainCommand, &code, "", []string{"make", "all"}, true
	})
	event := func(i int, ago time.Duration, kind api.EventKind, message string) api.Event {
		return api.Event{Seq: int64(i + 1), At: at(ago), Session: list[i%len(list)].ID, Type: "Hook", Kind: kind, Source: "hook", Message: message}
	}
	m.take(news{News: known.News{Events: []api.Event{
		event(0, 10*time.Minute, api.KindPrompt, "fix the tests"), event(0, 9*time.Minute, api.KindToolBegins, "Bash: go test ./..."), event(0, 8*time.Minute, api.KindToolEnds, "Bash: go test ./..."),
		event(5, 8*time.Minute, api.KindTurnFails, "API Error: overloaded (529)"), event(3, 4*time.Minute, api.KindDialog, "Bash: rm -rf build && make"),
		event(0, 2*time.Minute, api.KindTurnEnds, "All 14 tests pass."), event(1, time.Minute, api.KindDialog, "AskUserQuestion: Which hash should I use?"),
	}}})
	for i := range m.Events {
		m.Events[i].Seq = int64(i + 1)
	}
	m.setFocus("day00003")
	m.settle()
	return m
}

// TestGoldenDay: the default view answers at a glance who needs me, who is done and
// unseen, what it did, and on which branch, on terminals of all sizes.
func TestGoldenDay(t *testing.T) {
	for _, size := range [][2]int{{40, 10}, {80, 24}, {120, 36}, {200, 60}} {
		golden(t, fmt.Sprintf("day-%dx%d", size[0], size[1]), day(size[0], size[1]).picture().Dump())
	}
}

// busy is the day with two more agents, a shell and an editor: twelve sessions.
func busy(cols, rows int) *model {
	m := day(cols, rows)
	for i, name := range []string{"fix", "review", "shell", "edit"} {
		v := named(fmt.Sprintf("busy%04d", i), name, api.StateIdle, time.Duration(20+i))
		v.Since, v.Branch = m.now().Add(-time.Hour), "main"
		switch name {
		case "fix":
			v.State, v.Prompt, v.Asks, v.Branch, v.Changed = api.StatePermission, "fix the login", "edit login.go", "fix/login", 2
		case "review":
			v.Prompt, v.Answer = "review it", "Two remarks: the test is slow, and a name is wrong."
		case "shell":
			v.Agent, v.Plain = "shell", api.PlainShell
		default:
			v.Agent, v.Plain, v.Argv = "command", api.PlainCommand, []string{"vim", "main.go"}
		}
		m.Upsert(v)
	}
	m.settle()
	return m
}

// TestTwoLinesOfMany: with twelve sessions at 120x36 each that asks, failed, is done or works
// has two lines, with the keyboard in the list too; only the rest fall to one, from below.
func TestTwoLinesOfMany(t *testing.T) {
	m := busy(120, 36)
	second := []string{"edit login.go", "rm -rf build && make", "Which hash should I use?", "API Error: overloaded", "All 14 tests pass.", "move to v2", "edit src/app.tsx"}
	shows(t, m, append(second, "fix/login ±2", "─ since")...)
	golden(t, "busy-120x36", m.picture().Dump())
	press(m, "C-b", "s")
	shows(t, m, append(second, "Enter focus")...)
	golden(t, "busy-list-120x36", m.picture().Dump())
	press(m, "/")
	golden(t, "busy-filter-120x36", m.picture().Dump())
}
