package queue

import (
	"context"
	"slices"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
)

// client is a daemon with a queue.
type client struct {
	ui.Client
	keeper
}

func formWorld(cols, rows int) ui.Env {
	env := world(cols, rows)
	env.Agents = []api.AgentInfo{{Name: "claude", Path: "/bin/claude", Default: true}, {Name: "codex"}, {Name: "demo", Path: "/bin/demo"}, {Name: "shell", Kind: "shell", Path: "/bin/sh"}}
	return env
}

// made are the calls of the queue that effects ask for.
func made(env ui.Env, effects []ui.Effect) (calls []string) {
	for _, e := range effects {
		if call, ok := e.(ui.QueueCall); ok {
			if run := call.Plan(env.Work); run != nil {
				_, _, _ = run(context.Background(), keeper{calls: &calls})
			}
		}
	}
	return calls
}

// TestAdd: a task has a directory, agent, priority, retries and what it comes after; what
// cannot be is told, and the form stays.
func TestAdd(t *testing.T) {
	env := formWorld(90, 20)
	d, _ := uitest.Press(env, New("/src", nil), "a", "f", "i", "x", "Tab", "/", "a", "Tab", "Right", "Tab", "m", "1", "Tab", "5", "Tab", "x", "Tab", "t", "1", ",", "t", "2")
	uitest.Golden(t, env, d, "form-90x20")
	uitest.Golden(t, formWorld(40, 10), d, "form-40x10")
	d, effects := uitest.Press(env, d, "Enter")
	if dump := uitest.Picture(env, d).Dump(); len(effects) > 0 || !strings.Contains(dump, "retries: a whole number from 0 to 100") {
		t.Errorf("retries x: %v\n%s", effects, dump)
	}
	_, effects = uitest.Press(env, d, "BSpace", "2", "Enter")
	if calls := made(env, effects); !slices.Equal(calls, []string{"add fix in /src/a demo m1 5 2 [{t1 false} {t2 false}]"}) {
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
