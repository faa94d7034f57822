package realcli

import (
	"context"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/test/fakeapi"
)

// delegating is a script: a task hands its work to a subagent, which takes longer
// than hook and exit wait for one another; another one wants to run a command.
func delegating(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
	prompt := strings.TrimSpace(r.Prompt)
	switch {
	case !r.Main() || len(r.Results) > 0:
	case prompt == "delegate":
		return fakeapi.Tool("Agent", map[string]any{"description": "look", "prompt": "look for long", "subagent_type": "general-purpose"})
	case prompt == "look for long":
		ready := make(chan struct{})
		timer := time.AfterFunc(13*time.Second, func() { close(ready) })
		context.AfterFunc(ctx, func() { timer.Stop() })
		return fakeapi.Reply{Blocks: []fakeapi.Block{{Text: "seen", Wait: ready}}}
	case prompt == "touch it":
		return fakeapi.Tool("Bash", map[string]any{"command": "touch touched.txt", "description": "touch"})
	}
	return fakeapi.Echo(ctx, r)
}

// TestProductTaskResults: a one-shot run that waits for its subagent is not ended
// before, and the tokens of both count; a cancelled task has what it used, what it
// cost and what was refused to it in the pane.
func TestProductTaskResults(t *testing.T) {
	Claude(t)
	t.Parallel()
	fake := fakeapi.New(delegating)
	defer fake.Close()
	p := Install(t, Home(t, fake.URL()))
	ctx := limit(t)
	p.Run(ctx, "task", "mode", "auto")
	printed := p.Run(ctx, "task", "add", "-a", "claude", "--print", "delegate")
	pane := p.Run(ctx, "task", "add", "-a", "claude", "touch it")
	p.Run(ctx, "task", "wait", pane, "--state", "waiting", "--timeout", "60s")
	task, err := p.Client.Task(ctx, pane)
	if err != nil {
		t.Fatal(err)
	}
	p.Screen(ctx, task.Session, "Do you want to proceed?")
	p.Run(ctx, "keys", task.Session, "Escape")
	p.Screen(ctx, task.Session, "Interrupted")
	p.Run(ctx, "task", "cancel", pane)
	if task, err = p.Client.Task(ctx, pane); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); task.Result.ExitCode == nil && time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if task, err = p.Client.Task(ctx, pane); err != nil {
			t.Fatal(err)
		}
	}
	r := task.Result
	if task.State != api.TaskCancelled || r.Turns != 1 || r.Tokens == 0 || r.Cost == 0 || r.Duration == 0 {
		t.Errorf("%+v", task)
	}
	if d := r.Denials; len(d) != 1 || d[0].Tool != "Bash" || d[0].By != "person" || !strings.Contains(string(d[0].Input), "touched.txt") {
		t.Errorf("denials: %+v", d)
	}
	task = waitTasks(ctx, p, printed)[0]
	r = task.Result
	if task.State != api.TaskDone || r.Missing != "" || r.ExitCode == nil || *r.ExitCode != 0 || time.Duration(r.Duration) < 13*time.Second {
		t.Errorf("%+v", task)
	}
	// Two answers before the subagent's report and one after it; an answer is 30.
	if r.Turns != 3 || r.Tokens != 4*30 || !strings.Contains(r.Stdout, `"result"`) {
		t.Errorf("%d turns, %d tokens, printed %q", r.Turns, r.Tokens, r.Stdout)
	}
	if t.Failed() {
		t.Log(p.Dump())
	}
}
