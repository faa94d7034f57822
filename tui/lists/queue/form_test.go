package queue

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/tui/lists"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
)

// client is a daemon with a queue.
type client struct {
	ui.Client
	keeper
}

// made are the calls that effects ask for.
func made(env ui.Env, effects []ui.Effect) (calls []string) {
	k := keeper{calls: &calls}
	for _, e := range effects {
		switch call := e.(type) {
		case ui.QueueCall:
			if run := call.Plan(env.Work); run != nil {
				_, _, _ = run(context.Background(), k)
			}
		case ui.Call:
			_, _ = call.Run(context.Background(), client{keeper: k})
		}
	}
	return calls
}

func formWorld(cols, rows int) ui.Env {
	env := world(cols, rows)
	env.Agents = []api.AgentInfo{{Name: "claude", Path: "/bin/claude", Default: true}, {Name: "codex"}, {Name: "demo", Path: "/bin/demo"}, {Name: "shell", Kind: "shell", Path: "/bin/sh"}}
	return env
}

// TestAdd: a task has a directory, agent, branch, base, priority, retries and what it comes after;
// what cannot be is told, and the form stays.
func TestAdd(t *testing.T) {
	env := formWorld(90, 20)
	d, _ := uitest.Press(env, New("/src", nil), "a", "f", "i", "x", "Tab", "/", "a", "Down", "Right", "Tab", "b", "Tab", "c", "Tab", "m", "1", "Tab", "d", "e", "v", "Tab", "w", "Tab", "Right", "Tab", "5", "Tab", "x", "Tab", "t", "1", ",", "t", "2")
	uitest.Golden(t, env, d, "form-90x20")
	uitest.Golden(t, formWorld(40, 10), d, "form-40x10")
	d, effects := uitest.Press(env, d, "Enter")
	if dump := uitest.Picture(env, d).Dump(); len(effects) > 0 || !strings.Contains(dump, "retries: a whole number from 0 to 100") {
		t.Errorf("retries x: %v\n%s", effects, dump)
	}
	_, effects = uitest.Press(env, d, "BSpace", "2", "Enter")
	if calls := made(env, effects); !slices.Equal(calls, []string{"add fix in /src/a on b of c as dev in w, review true demo m1 5 2 [{t1 false} {t2 false}]"}) {
		t.Errorf("%q", calls)
	}
	if effects[0] != (ui.Tell{To: ui.Prompt, Value: ui.Remember{Text: "fix"}}) {
		t.Errorf("the text is not kept: %v", effects)
	}
	_, effects = uitest.Press(env, New("", nil), "a", "x", "Enter")
	if len(effects) > 0 {
		t.Errorf("without a directory: %v", effects)
	}
}

// TestRefused: a form that the daemon does not take stays, with the reason at the field that it
// is about; corrected and taken, it goes, and what was typed meanwhile is for the list.
func TestRefused(t *testing.T) {
	env := formWorld(120, 24)
	for _, c := range []struct{ reason, at string }{
		{"the directory /src/nowhere does not exist: create it or name another", "▸ Directory"},
		{`git allows no branch called "a..b": take letters, digits, - and /`, "▸ Branch"},
		{`"v9" is no commit or branch: ` + "`git branch -a` lists them", "▸ Base"},
	} {
		var calls []string
		r := uitest.NewRig(t, env, client{keeper: keeper{calls: &calls, err: errors.New(c.reason)}}, New("/src", nil))
		r.Do("a", "f", "i", "x", "Tab", "/", "n", "o", "w", "h", "e", "r", "e", "Down", "Down", "a", ".", ".", "b", "Tab", "v", "9", "Enter")
		r.Shows(c.reason, c.at, "/src/nowhere", "fix", "a..b")
		r.Client = client{keeper: keeper{calls: &calls}}
		r.Do("Enter")
		if dump := r.Dump(); strings.Contains(dump, "new task") || len(calls) != 2 {
			t.Errorf("calls %q\n%s", calls, dump)
		}
	}
	d, effects := uitest.Press(env, New("/src", nil), "a", "x", "Enter", "a", "y", "Enter")
	if dump := uitest.Picture(env, d).Dump(); !strings.Contains(dump, "adding…") {
		t.Errorf("while it is added:\n%s", dump)
	}
	var calls []string
	d, effects = uitest.Answer(env, d, client{keeper: keeper{calls: &calls}}, effects)
	if uitest.Answer(env, d, client{keeper: keeper{calls: &calls}}, effects); len(calls) != 2 || !strings.HasPrefix(calls[1], "add y in /src") {
		t.Errorf("typed ahead: %q", calls)
	}
}

// TestLeftWhileItIsSent: who leaves is told of a failure, and the form comes back by its key; the
// same asked for again is the same call.
func TestLeftWhileItIsSent(t *testing.T) {
	env := formWorld(120, 24)
	var calls []string
	d, effects := uitest.Press(env, New("/src", nil), "a", "x", "Enter", "Escape")
	d, effects = uitest.Answer(env, d, client{keeper: keeper{calls: &calls, err: errors.New("the disk is full")}}, effects)
	if len(effects) == 0 || effects[len(effects)-1] != (ui.Warn{Text: "not added, the text is in the history of the prompt bar (Up): the disk is full"}) {
		t.Errorf("%v", effects)
	}
	d, _ = uitest.Press(env, d, "a")
	if dump := uitest.Picture(env, d).Dump(); !strings.Contains(dump, "Prompt    x") {
		t.Errorf("what comes back:\n%s", dump)
	}
}

// TestCompletes: Tab completes a directory that was typed, as in the dialog of a new session.
func TestCompletes(t *testing.T) {
	env, dir := formWorld(90, 20), t.TempDir()
	for _, name := range []string{"apples", "apricots", "pears"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	r := uitest.NewRig(t, env, client{}, New(dir, nil))
	r.Do("a", "Tab", "/", "a", "Tab")
	r.Shows("apples/   apricots/", "/ap")
	r.Do("r", "Tab")
	r.Shows("/apricots/", "▸ Directory")
	r.Do("Tab")
	r.Shows("▸ Agent")
	r.Do("BTab", "x", "Tab")
	r.Shows("no directory there begins with x")
}

// TestEdit: a queued task is asked for whole, and only what was edited is changed.
func TestEdit(t *testing.T) {
	env := formWorld(90, 20)
	var calls []string
	c := client{keeper: keeper{calls: &calls}}
	open := func(keys ...string) (ui.Component, []ui.Effect) {
		d, effects := uitest.Press(env, New("/src", nil), "End", "e")
		d, _ = uitest.Answer(env, d, c, effects)
		return uitest.Press(env, d, keys...)
	}
	d, _ := open()
	if dump := uitest.Picture(env, d).Dump(); !strings.Contains(dump, "task t3") || !strings.Contains(dump, "/of/t3") {
		t.Errorf("the form:\n%s", dump)
	}
	_, effects := open("!", "BTab", "t", "1", "Enter")
	if calls := made(env, effects); !slices.Equal(calls, []string{`edit t3 {"prompt":"prompt of t3!","after":[{"task":"t1"}]}`}) {
		t.Errorf("%q", calls)
	}
	if _, effects = open("Enter"); len(effects) > 0 {
		t.Errorf("nothing was edited: %v", effects)
	}
	_, effects = uitest.Press(env, New("/src", nil), "e") // it has failed
	if _, ok := effects[0].(ui.Warn); !ok {
		t.Errorf("an ended task is edited: %v", effects)
	}
}

// TestAgentIsInstalled: a new task begins with an agent that can run it.
func TestAgentIsInstalled(t *testing.T) {
	env := formWorld(90, 20)
	env.Agents = []api.AgentInfo{{Name: "claude", Default: true}, {Name: "demo", Path: "/bin/demo"}}
	if f := newForm(env, "/src"); f.agent != "demo" {
		t.Errorf("it begins with %q", f.agent)
	}
	env.Agents[0].Path = "/bin/claude"
	if f := newForm(env, "/src"); f.agent != "claude" {
		t.Errorf("with the default one installed it begins with %q", f.agent)
	}
}

// TestAddedIsChosen: the cursor stands on a task that was added, as soon as it is listed.
func TestAddedIsChosen(t *testing.T) {
	env := uitest.Env(100, 24)
	env.Work.Tasks = []api.Task{{ID: "t1", State: api.TaskFailed}}
	chosen := func(d ui.Component) string { return d.(lists.Dialog).View.ID }
	d := At("/", nil, "t2", false)
	if d, _ = uitest.Refresh(env, d, nil); chosen(d) == "t1" {
		t.Error("another one is chosen before it is listed")
	}
	env.Work.Tasks = append(env.Work.Tasks, api.Task{ID: "t2", State: api.TaskQueued})
	if d, _ = uitest.Refresh(env, d, nil); chosen(d) != "t2" {
		t.Errorf("%s is chosen", chosen(d))
	}
	d, _ = uitest.Press(env, d, "Up")
	if d, _ = uitest.Refresh(env, d, nil); chosen(d) != "t1" {
		t.Errorf("the cursor went back to %s", chosen(d))
	}
	d, _ = d.(ui.Receiver).Receive(env, taken{made: "t2"}, nil)
	if d, _ = uitest.Refresh(env, d, nil); chosen(d) != "t2" {
		t.Errorf("added in the form: %s is chosen", chosen(d))
	}
}

// TestAddNothing: without a prompt the form stays, with what was filled in.
func TestAddNothing(t *testing.T) {
	env := formWorld(90, 20)
	d, effects := uitest.Press(env, New("/src", nil), "a", "Tab", "Tab", "Tab", "b", "Enter")
	if dump := uitest.Picture(env, d).Dump(); len(effects) > 0 || !strings.Contains(dump, "▸ Prompt") || !strings.Contains(dump, "Branch    b ") || !strings.Contains(dump, "the prompt is missing") {
		t.Errorf("%v\n%s", effects, dump)
	}
}
