package gemini

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/test/fakeapi"
	"ccdir/test/realcli"
)

func TestMain(m *testing.M) { realcli.Main(m, 1) }

// run is a call of the shell tool, which Gemini CLI asks about.
func run(command string) fakeapi.Reply {
	return fakeapi.Tool("run_shell_command", map[string]any{"command": command, "description": "scripted"})
}

// TestApproveAndDeny: a prompt, a tool that asks, allowed in ccdir; one answered in the pane; one
// denied with words, which follow as a prompt.
func TestApproveAndDeny(t *testing.T) {
	ctx, p, fake := agent.Product(t, fakeapi.Turns(run("touch made"), fakeapi.Text("made it"), run("touch pane"), fakeapi.Text("there"), run("touch never"), fakeapi.Text("as you like")))
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "make it")
	q, seq := p.Request(ctx, id, 0)
	if q.Tool != "Bash" || string(q.Input) != `{"command":"touch made"}` {
		t.Errorf("the request: %+v", q)
	}
	if s := p.State(ctx, id, api.StatePermission); s.Asks != "touch made" {
		t.Errorf("it asks %q", s.Asks)
	}
	p.Run(ctx, "approve", q.ID)
	p.Answered(ctx, id, "made it")
	if !p.Has("made") {
		t.Errorf("what was approved did not run\n%s", p.Dump())
	}
	p.Run(ctx, "send", id, "again")
	_, seq = p.Request(ctx, id, seq)
	p.Screen(ctx, id, "1. Allow once")
	p.Run(ctx, "keys", id, "1")
	p.Answered(ctx, id, "there")
	if list, err := p.Client.Approvals(ctx); err != nil || len(list) != 0 || !p.Has("pane") {
		t.Fatalf("answered in the pane: %v, %v\n%s", list, err, p.Dump())
	}
	p.Run(ctx, "send", id, "and that")
	q, _ = p.Request(ctx, id, seq)
	p.Run(ctx, "deny", q.ID, "--message", "not that one")
	p.Answered(ctx, id, "as you like")
	if p.Has("never") || !fake.Heard("not that one") {
		t.Errorf("what was denied ran, or its reason did not reach the model\n%s", p.Dump())
	}
	if text := p.Run(ctx, "transcript", id); !strings.Contains(text, "made it") || !strings.Contains(text, "touch made") {
		t.Errorf("the transcript:\n%s", text)
	}
}

// TestEscape: Escape ends a turn while the model speaks, and at a dialog, whose request is over
// then.
func TestEscape(t *testing.T) {
	never := make(chan struct{})
	t.Cleanup(func() { close(never) })
	ctx, p, _ := agent.Product(t, fakeapi.Turns(fakeapi.Reply{Blocks: []fakeapi.Block{{Text: "endless"}}, End: never}, run("touch never")))
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "speak")
	p.Screen(ctx, id, "endless")
	p.State(ctx, id, api.StateWorking)
	p.Run(ctx, "keys", id, "Escape")
	p.Event(ctx, id, 0, "that the turn was interrupted", func(e api.Event) bool { return e.Kind == api.KindTurnInterrupted })
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", "--wait", id, "run")
	p.Request(ctx, id, 0)
	p.Screen(ctx, id, "1. Allow once")
	p.Run(ctx, "keys", id, "Escape")
	p.State(ctx, id, api.StateIdle)
	if list, err := p.Client.Approvals(ctx); err != nil || len(list) != 0 || p.Has("never") {
		t.Errorf("after Escape: %v, %v\n%s", list, err, p.Dump())
	}
	p.Run(ctx, "send", "--wait", id, "hello")
	p.Answered(ctx, id, "You said: hello")
	p.Turns(ctx, id, api.TurnInterrupted, api.TurnInterrupted, api.TurnDone)
}

// TestError: an error of the API ends the turn, which is shown; the next prompt works.
func TestError(t *testing.T) {
	ctx, p, _ := agent.Product(t, fakeapi.Turns(fakeapi.Error(400, "scripted failure")))
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "go")
	p.Until(ctx, id, "the failure", func(s api.Session) bool { return s.State == api.StateIdle && s.FailureLine() == "scripted failure" })
	p.Run(ctx, "send", "--wait", id, "again")
	if s := p.Answered(ctx, id, "You said: again"); s.Failure != nil {
		t.Errorf("failure %+v", s.Failure)
	}
	p.Turns(ctx, id, api.TurnFailed, api.TurnDone)
}

// TestQueue: a prompt sent during a turn waits for its end and has a turn of its own.
func TestQueue(t *testing.T) {
	end := make(chan struct{})
	ctx, p, _ := agent.Product(t, fakeapi.Turns(fakeapi.Reply{Blocks: []fakeapi.Block{{Text: "first"}}, End: end}))
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "begin")
	p.Screen(ctx, id, "first")
	sent := make(chan string, 1)
	go func() { sent <- p.Run(ctx, "send", id, "then that") }()
	p.Screen(ctx, id, "Queued")
	close(end)
	p.Answered(ctx, id, "You said: then that")
	if out := <-sent; out != "queued" {
		t.Errorf("sent: %q", out)
	}
}

// TestResume: after a kill the conversation goes on.
func TestResume(t *testing.T) {
	ctx, p, fake := agent.Product(t, nil)
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "remember me")
	before := p.Answered(ctx, id, "You said: remember me")
	if err := syscall.Kill(-before.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	p.State(ctx, id, api.StateExited)
	p.Run(ctx, "restart", id)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "who am I")
	if s := p.Answered(ctx, id, "You said: who am I"); s.Conversation != before.Conversation {
		t.Errorf("conversation %s became %s", before.Conversation, s.Conversation)
	}
	last := fake.Requests()[len(fake.Requests())-1]
	if !strings.Contains(string(last.Body), "remember me") {
		t.Error("the conversation began anew")
	}
}

// TestPolicy: the policy denies a call before it runs, and answers a request by itself.
func TestPolicy(t *testing.T) {
	ctx, p, fake := agent.Product(t, fakeapi.Turns(run("touch denied"), fakeapi.Text("one"), run("touch allowed"), fakeapi.Text("two")))
	policy := "[roles.dev]\nallow = [\"Bash(touch allowed)\"]\ndeny = [\"Bash(touch denied)\"]\n"
	p.Policy(policy)
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "1")
	p.Answered(ctx, id, "one")
	if p.Has("denied") || !fake.Heard("policy") {
		t.Errorf("the policy did not deny\n%s", p.Dump())
	}
	p.Run(ctx, "send", id, "2")
	p.Answered(ctx, id, "two")
	if !p.Has("allowed") {
		t.Errorf("the policy did not allow\n%s", p.Dump())
	}
}

// TestTools: the agent has ccdir's tools, which know its session, without a dialog of its own.
func TestTools(t *testing.T) {
	ctx, p, fake := agent.Product(t, fakeapi.Turns(fakeapi.Tool("mcp_ccdir_project_info", map[string]any{}), fakeapi.Text("seen")))
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "look")
	p.Answered(ctx, id, "seen")
	if !fake.Heard(p.Place.CWD) {
		t.Errorf("the tool's answer did not reach the model\n%s", p.Dump())
	}
}

// TestTasks: a one-shot task and an interactive one have the agent's answer and its use of tokens;
// those whose API fails fail, with the reason.
func TestTasks(t *testing.T) {
	ctx, p, _ := agent.Product(t, func(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
		if strings.Contains(r.Prompt, "fail") {
			return fakeapi.Error(400, "scripted failure")
		}
		return fakeapi.Echo(ctx, r)
	})
	p.Tasks(ctx, func(prompt string, task api.Task) {
		if task.State == api.TaskDone && task.Result.Tokens != 1020 {
			t.Errorf("task %q used %d tokens", prompt, task.Result.Tokens)
		}
	})
}

// TestExit: the session ends by the agent's own command and by kill, and leaves nothing.
func TestExit(t *testing.T) {
	ctx, p, _ := agent.Product(t, nil)
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "/quit")
	if s := p.State(ctx, id, api.StateExited); s.ExitCode == nil || *s.ExitCode != 0 {
		t.Errorf("exit code %v", s.ExitCode)
	}
	id = p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "kill", id)
	if s := p.State(ctx, id, api.StateExited); s.ExitCode == nil || *s.ExitCode != 0 {
		t.Errorf("exit code %v after kill", s.ExitCode)
	}
}

// TestTrust: a folder that the person has not trusted shows the CLI's dialog, and the session
// waits for the answer.
func TestTrust(t *testing.T) {
	ctx, p, _ := agent.Product(t, nil)
	if err := os.Remove(filepath.Join(p.Place.Config, "trustedFolders.json")); err != nil {
		t.Fatal(err)
	}
	id := p.New(ctx)
	p.State(ctx, id, api.StateInput)
	p.Run(ctx, "keys", id, "1")
	p.State(ctx, id, api.StateIdle)
	for { // it is written a moment later
		data, err := os.ReadFile(filepath.Join(p.Place.Config, "trustedFolders.json"))
		if strings.Contains(string(data), p.Place.CWD) {
			return
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			t.Fatalf("the answer is not the person's own: %s, %v", data, err)
		}
	}
}

// TestEndIsShown: the end of a turn is shown at once.
func TestEndIsShown(t *testing.T) {
	ctx, p, _ := agent.Product(t, nil)
	p.EndIsShown(ctx)
}
