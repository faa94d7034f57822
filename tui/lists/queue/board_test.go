package queue

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/tui/lists"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
)

// week is a queue with a task in every lane.
func week(cols, rows int) ui.Env {
	env := day(cols, rows)
	env.Sessions[1].Branch, env.Sessions[1].CostUSD = "parser", 0.41
	env.Sessions = append(env.Sessions,
		api.Session{ID: "s11", Name: "login", State: api.StateIdle, Task: "t11", Branch: "login", CostUSD: 2.5,
			PullRequest: &api.PullRequest{Number: 12, State: api.PullRequestOpen, Checks: api.ChecksPassing}},
		api.Session{ID: "s12", Name: "cache", State: api.StateIdle, Task: "t12", Branch: "cache",
			PullRequest: &api.PullRequest{Number: 13, State: api.PullRequestOpen, Checks: api.ChecksPending}})
	env.Work.Tasks = append(env.Work.Tasks,
		api.Task{ID: "t11", State: api.TaskWaiting, Since: uitest.Epoch, Attempt: 1, Session: "s11", Reason: "waits for your review (`ccdir review s11`)", Result: api.TaskResult{Message: "Passkeys work; all 14 tests pass.\nMore"},
			NewTask: api.NewTask{Prompt: "sign in with a passkey", Name: "login", Review: true, Worktree: "."}},
		api.Task{ID: "t12", State: api.TaskDone, Since: uitest.Epoch, Attempt: 1, Session: "s12", Result: api.TaskResult{Message: "The cache is 40 % smaller."},
			NewTask: api.NewTask{Prompt: "halve the cache \x1b[31mand more", Priority: 2}})
	return env
}

// TestBoard: where there is room the tasks are cards in lanes; where there is none the list stays.
func TestBoard(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 36}, {200, 60}} {
		env := week(size[0], size[1])
		c, effects := uitest.Press(env, New("/src", nil), "Tab")
		narrow := size[0] < boardRoom
		switch e := effects[0].(type) {
		case ui.Warn:
			if !narrow {
				t.Errorf("%d columns: %v", size[0], e)
			}
		case ui.Tell:
			if narrow || e.Value != (ui.Board{On: true}) || e.To != ui.Grid {
				t.Errorf("%d columns: %v", size[0], e)
			}
		}
		if again := At("/src", nil, "", true); !narrow && uitest.Picture(env, again).Dump() != uitest.Picture(env, c).Dump() {
			t.Errorf("%d columns: it does not begin as it was left", size[0])
		}
		c, _ = uitest.Press(env, c, "Down", "Right", "Right")
		uitest.Golden(t, env, c, fmt.Sprintf("board-%dx%d", size[0], size[1]))
	}
	env := week(120, 36)
	env.Work.Tasks = nil
	c, _ := uitest.Press(env, New("/src", nil), "Tab")
	if picture := uitest.Picture(env, c).Dump(); !strings.Contains(picture, "No tasks yet") {
		t.Errorf("without tasks:\n%s", picture)
	}
}

// TestBoardKeys: the choice goes along a lane and to the next lane that has cards; keys act on
// the chosen card, and it stays chosen in the list.
func TestBoardKeys(t *testing.T) {
	env := week(120, 36)
	c, _ := uitest.Press(env, New("/src", nil), "Tab")
	for _, step := range []struct{ key, want string }{
		{"j", "t2"}, {"j", "t2"}, {"l", "t3"}, {"h", "t1"}, {"l", "t3"}, {"l", "t4"}, {"G", "t7"}, {"k", "t6"}, {"l", "t11"}, {"l", "t12"}, {"l", "t9"}, {"l", "t9"}, {"NPage", "t10"}, {"g", "t9"},
	} {
		if c, _ = uitest.Press(env, c, step.key); chosenTask(c) != step.want {
			t.Fatalf("%s chose %s, want %s", step.key, chosenTask(c), step.want)
		}
	}
	c, _ = uitest.Press(env, c, "/", "k", "e", "y", "Enter")
	if chosenTask(c) != "t11" || strings.Contains(uitest.Picture(env, c).Dump(), "find the leak") {
		t.Fatalf("the filter chose %s:\n%s", chosenTask(c), uitest.Picture(env, c).Dump())
	}
	c, effects := uitest.Press(env, c, "S-Right")
	if call, ok := effects[0].(ui.QueueCall); !ok || call.What != "starting t11" {
		t.Errorf("the ok: %v", effects)
	}
	if picture := uitest.Picture(env, c).Dump(); !strings.Contains(picture, "s ok") {
		t.Errorf("the ok is not named:\n%s", picture)
	}
	if c, _ = uitest.Press(env, c, "Tab"); chosenTask(c) != "t11" || strings.Contains(uitest.Picture(env, c).Dump(), "in review") {
		t.Errorf("back in the list: %s", chosenTask(c))
	}
}

// TestBoardClicks: a click chooses the card that is drawn there, a second one opens it.
func TestBoardClicks(t *testing.T) {
	r := uitest.NewRig(t, week(120, 36), nil, New("/src", nil))
	r.Do("Tab")
	r.ClickOn("The cache is 40 %")
	if chosenTask(r.C) != "t12" {
		t.Errorf("%s is chosen", chosenTask(r.C))
	}
	if r.ClickOn("in checks"); chosenTask(r.C) != "t12" {
		t.Errorf("a heading chose %s", chosenTask(r.C))
	}
}

// TestBoardScrolls: of many tasks those around the chosen one are in view, with how many more there are.
func TestBoardScrolls(t *testing.T) {
	env := week(100, 24)
	for i := range 30 {
		env.Work.Tasks = append(env.Work.Tasks, api.Task{ID: fmt.Sprint("t", 100+i), State: api.TaskQueued, Since: uitest.Epoch.Add(-time.Hour), NewTask: api.NewTask{Prompt: "more"}})
	}
	c, _ := uitest.Press(env, New("/src", nil), "Tab", "l", "l")
	for range 33 {
		picture := uitest.Picture(env, c).Dump()
		if !slices.ContainsFunc(strings.Split(picture, "\n"), func(l string) bool { return strings.Contains(l, "❯ "+chosenTask(c)) }) {
			t.Fatalf("%s is out of view:\n%s", chosenTask(c), picture)
		}
		if id := chosenTask(c); (id == "t129") == strings.Contains(picture, "↓ ") {
			t.Fatalf("at %s:\n%s", id, picture)
		}
		c, _ = uitest.Press(env, c, "j")
	}
	uitest.Golden(t, env, c, "board-scrolled-100x24")
}

// chosenTask is the id of the task that is chosen.
func chosenTask(c ui.Component) string { return c.(lists.Dialog).View.ID }
