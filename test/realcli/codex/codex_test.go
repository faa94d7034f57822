package codex

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

func TestMain(m *testing.M) { realcli.Main(m, 2) } // the scenarios mostly wait

// run is a call of the shell tool that wants out of the sandbox, which Codex asks about.
func run(command string) fakeapi.Reply {
	return fakeapi.Tool("exec_command", map[string]any{"cmd": command, "sandbox_permissions": "require_escalated", "justification": "scripted reason"})
}

// TestApproveAndDeny: a prompt, a tool that asks, allowed in ccdir; another one, denied with
// words that reach the model, whose turn goes on.
func TestApproveAndDeny(t *testing.T) {
	ctx, p, fake := agent.Product(t, fakeapi.Turns(run("touch made"), fakeapi.Text("made it"), run("touch never"), fakeapi.Text("as you like")))
	id := p.New(ctx)
	if s := p.State(ctx, id, api.StateIdle); s.Conversation != "" {
		t.Errorf("the conversation %s is known before the first prompt", s.Conversation)
	}
	p.Run(ctx, "send", id, "make it")
	q, seq := p.Request(ctx, id, 0)
	if q.Tool != "Bash" || string(q.Input) != `{"command":"touch made"}` || !strings.HasPrefix(q.ToolUseID, "toolu_") || !strings.Contains(q.Question, "scripted reason") {
		t.Errorf("the request: %+v", q)
	}
	if s := p.State(ctx, id, api.StatePermission); s.Asks != "touch made" || s.AnswerInPane {
		t.Errorf("it asks %q, in the pane: %v", s.Asks, s.AnswerInPane)
	}
	p.Run(ctx, "approve", q.ID)
	if s := p.Answered(ctx, id, "made it"); len(s.Conversation) != 36 || s.Model != "gpt-5.2-codex" {
		t.Errorf("conversation %q, model %q", s.Conversation, s.Model)
	}
	if !p.Has("made") {
		t.Errorf("what was approved did not run\n%s", p.Dump())
	}
	p.Run(ctx, "send", id, "and that")
	q, _ = p.Request(ctx, id, seq)
	p.Run(ctx, "deny", q.ID, "--message", "not that one")
	p.Answered(ctx, id, "as you like")
	if p.Has("never") || !fake.Heard("not that one") {
		t.Errorf("what was denied ran, or its reason did not reach the model\n%s", p.Dump())
	}
}

// TestLateAnswers: nobody answers in time, so the dialog opens; the request stays open and its
// answers are keys in the dialog. One is answered in the pane, one allowed in ccdir, one denied
// in ccdir with words, which follow as a prompt, and one ended by Escape.
func TestLateAnswers(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for four dialogs, 10 s each")
	}
	ctx, p, fake := agent.Product(t, fakeapi.Turns(run("touch pane"), fakeapi.Text("one"), run("touch keys"), fakeapi.Text("two"), run("touch never"), fakeapi.Text("three"), run("touch nothing")))
	id := p.New(ctx)
	p.Run(ctx, "send", id, "first")
	_, seq := p.Request(ctx, id, 0)
	p.Screen(ctx, id, "Press enter to confirm")
	p.State(ctx, id, api.StatePermission)
	for !p.Has("pane") { // it ignores keys that come with the dialog
		p.Run(ctx, "keys", id, "y")
		time.Sleep(500 * time.Millisecond)
	}
	p.Answered(ctx, id, "one")
	if list, err := p.Client.Approvals(ctx); err != nil || len(list) != 0 || !p.Has("pane") {
		t.Fatalf("answered in the pane: %v, %v\n%s", list, err, p.Dump())
	}
	p.Run(ctx, "send", id, "second")
	q, seq := p.Request(ctx, id, seq)
	p.Screen(ctx, id, "$ touch keys")
	p.Run(ctx, "approve", q.ID)
	p.Answered(ctx, id, "two")
	p.Run(ctx, "send", id, "third")
	q, seq = p.Request(ctx, id, seq)
	p.Screen(ctx, id, "$ touch never")
	p.Run(ctx, "deny", q.ID, "--message", "do something else")
	p.Answered(ctx, id, "three")
	if !p.Has("keys") || p.Has("never") || !fake.Heard("do something else") {
		t.Errorf("%s", p.Dump())
	}
	p.Run(ctx, "send", id, "fourth")
	p.Request(ctx, id, seq)
	p.Screen(ctx, id, "$ touch nothing")
	p.Run(ctx, "keys", id, "Escape")
	p.State(ctx, id, api.StateIdle)
	if list, err := p.Client.Approvals(ctx); err != nil || len(list) != 0 || p.Has("nothing") {
		t.Errorf("after Escape: %v, %v\n%s", list, err, p.Dump())
	}
}

// TestEscape: Escape ends a turn while the model speaks, and while the hook of a request waits,
// whose request is over then.
func TestEscape(t *testing.T) {
	never := make(chan struct{})
	t.Cleanup(func() { close(never) })
	ctx, p, _ := agent.Product(t, fakeapi.Turns(fakeapi.Reply{Blocks: []fakeapi.Block{{Text: "endless"}}, End: never}, run("touch never")))
	id := p.New(ctx)
	p.Run(ctx, "send", id, "speak")
	p.State(ctx, id, api.StateWorking)
	p.Screen(ctx, id, "endless")
	p.Run(ctx, "keys", id, "Escape")
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "run")
	p.Request(ctx, id, 0)
	p.Run(ctx, "keys", id, "Escape")
	s := p.State(ctx, id, api.StateIdle)
	if list, err := p.Client.Approvals(ctx); err != nil || len(list) != 0 || p.Has("never") {
		t.Errorf("after Escape: %v, %v\n%s", list, err, p.Dump())
	}
	if s.State != api.StateIdle {
		t.Errorf("state %s", s.State)
	}
	p.Run(ctx, "send", id, "hello")
	p.Answered(ctx, id, "You said: hello")
	p.Turns(ctx, id, api.TurnInterrupted, api.TurnInterrupted, api.TurnDone)
}

// TestError: an error of the API ends the turn, which is shown; the next prompt works.
func TestError(t *testing.T) {
	ctx, p, _ := agent.Product(t, fakeapi.Turns(fakeapi.Error(400, "scripted failure")))
	id := p.New(ctx)
	p.Run(ctx, "send", id, "go")
	p.Until(ctx, id, "the failure", func(s api.Session) bool { return s.State == api.StateIdle && s.FailureLine() == "scripted failure" })
	p.Run(ctx, "send", id, "again")
	if s := p.Answered(ctx, id, "You said: again"); s.Failure != nil {
		t.Errorf("failure %+v", s.Failure)
	}
	p.Turns(ctx, id, api.TurnFailed, api.TurnDone)
}

// TestQueue: a prompt sent during a turn waits for its end, is shown as waiting, and has a turn
// of its own.
func TestQueue(t *testing.T) {
	end := make(chan struct{})
	ctx, p, fake := agent.Product(t, fakeapi.Turns(fakeapi.Reply{Blocks: []fakeapi.Block{{Text: "first"}}, End: end}))
	id := p.New(ctx)
	p.Run(ctx, "send", id, "begin")
	p.Screen(ctx, id, "first")
	if out := p.Run(ctx, "send", id, "and\nthen that"); out != "queued" {
		t.Errorf("sent: %q", out)
	}
	if s := p.Show(ctx, id); s.Queued != 1 || len(s.QueuedPrompts) != 1 || s.QueuedPrompts[0] != "and⏎then that" {
		t.Errorf("%d queued: %q", s.Queued, s.QueuedPrompts)
	}
	if fake.Heard("then that") {
		t.Error("the queued prompt became part of the turn")
	}
	close(end)
	p.Answered(ctx, id, "You said: and⏎then that")
	p.Until(ctx, id, "nothing queued", func(s api.Session) bool { return s.Queued == 0 })
}

// TestResume: after a kill the conversation goes on, also as a second one beside it.
func TestResume(t *testing.T) {
	ctx, p, fake := agent.Product(t, nil)
	id := p.New(ctx)
	p.Run(ctx, "send", id, "remember me")
	before := p.Answered(ctx, id, "You said: remember me")
	if err := syscall.Kill(before.PID, syscall.SIGKILL); err != nil {
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
	fork := p.Run(ctx, "fork", id)
	p.Run(ctx, "send", fork, "and who")
	if s := p.Answered(ctx, fork, "You said: and who"); s.Conversation == before.Conversation {
		t.Error("the fork has the conversation itself")
	}
}

// TestPolicy: the policy denies a call before it runs, allows one that Codex asks about, and has
// a person asked about one that Codex would not ask about.
func TestPolicy(t *testing.T) {
	box := func(command string) fakeapi.Reply {
		return fakeapi.Tool("exec_command", map[string]any{"cmd": command})
	}
	ctx, p, fake := agent.Product(t, fakeapi.Turns(box("touch denied"), fakeapi.Text("one"), run("touch allowed"), fakeapi.Text("two"), box("touch asked"), fakeapi.Text("three"),
		box("touch refused"), fakeapi.Text("four")))
	policy := "[roles.dev]\nallow = [\"Bash(touch allowed)\"]\ndeny = [\"Bash(touch denied)\"]\nask = [\"Bash(touch asked)\", \"Bash(touch refused)\"]\n"
	p.Policy(policy)
	id := p.New(ctx)
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
	p.Run(ctx, "send", id, "3")
	q, seq := p.Request(ctx, id, 0)
	p.State(ctx, id, api.StatePermission)
	p.Run(ctx, "approve", q.ID)
	p.Answered(ctx, id, "three")
	if !p.Has("asked") {
		t.Errorf("what was allowed did not run\n%s", p.Dump())
	}
	p.Run(ctx, "send", id, "4")
	q, _ = p.Request(ctx, id, seq)
	p.Run(ctx, "deny", q.ID, "--message", "leave it")
	p.Answered(ctx, id, "four")
	if p.Has("refused") || !fake.Heard("leave it") {
		t.Errorf("what was denied ran\n%s", p.Dump())
	}
}

// TestTools: the agent has ccdir's tools, which know its session.
func TestTools(t *testing.T) {
	ctx, p, fake := agent.Product(t, fakeapi.Turns(fakeapi.Tool("mcp__ccdir/project_info", map[string]any{}), fakeapi.Text("seen")))
	id := p.New(ctx)
	p.Run(ctx, "send", id, "look")
	p.Answered(ctx, id, "seen")
	if !fake.Heard(p.Place.CWD) {
		t.Errorf("the tool's answer did not reach the model\n%s", p.Dump())
	}
}

// TestExit: the session ends by the agent's own command and by kill, and leaves nothing.
func TestExit(t *testing.T) {
	ctx, p, _ := agent.Product(t, nil)
	id := p.New(ctx)
	p.Run(ctx, "send", id, "hello")
	p.Answered(ctx, id, "You said: hello")
	p.Run(ctx, "send", id, "/quit")
	if s := p.State(ctx, id, api.StateExited); s.ExitCode == nil || *s.ExitCode != 0 {
		t.Errorf("exit code %v", s.ExitCode)
	}
	id = p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "kill", id)
	// It ends by itself (0), or, on a slow machine before it minds the signal, by that (128+SIGTERM).
	if s := p.State(ctx, id, api.StateExited); s.ExitCode == nil || *s.ExitCode != 0 && *s.ExitCode != 143 {
		t.Errorf("after kill\n%s", p.Dump())
	}
}

// TestTasks: a one-shot task and an interactive one have the agent's answer and its use of tokens;
// one whose API fails fails with the reason.
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

// TestTrustDialog: a project with settings of its own is for the person to trust; the prompt waits
// for the answer.
func TestTrustDialog(t *testing.T) {
	ctx, p, _ := agent.Product(t, nil)
	dir := filepath.Join(p.Place.CWD, ".codex")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "config.toml"), []byte("model = \"other\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	id := p.New(ctx, "--prompt", "hello")
	if s := p.State(ctx, id, api.StateInput); s.Asks != "Trust this folder?" {
		t.Errorf("it asks %q", s.Asks)
	}
	p.Run(ctx, "keys", id, "Enter")
	p.Answered(ctx, id, "You said: hello")
}

// TestEndIsShown: the end of a turn is shown at once.
func TestEndIsShown(t *testing.T) {
	ctx, p, _ := agent.Product(t, nil)
	p.EndIsShown(ctx)
}
