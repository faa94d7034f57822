package opencode

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/test/fakeapi"
	"ccdir/test/realcli"
)

func TestMain(m *testing.M) { realcli.Main(m, 1) }

// run is a call of the shell tool, which opencode asks about.
func run(command string) fakeapi.Reply {
	return fakeapi.Tool("bash", map[string]any{"command": command, "description": "scripted"})
}

// TestApproveAndDeny: a prompt, a tool that asks, allowed in ccdir; one answered in the pane; one
// denied with words that reach the model, whose turn goes on.
func TestApproveAndDeny(t *testing.T) {
	ctx, p, fake := agent.Product(t, fakeapi.Turns(run("touch made"), fakeapi.Text("made it"), run("touch pane"), fakeapi.Text("there"), run("touch never"), fakeapi.Text("as you like")))
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "make it")
	q, seq := p.Request(ctx, id, 0)
	if q.Tool != "Bash" || !strings.Contains(string(q.Input), `"command":"touch made"`) {
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
	p.Screen(ctx, id, "Allow once")
	p.Run(ctx, "keys", id, "Enter")
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
	list := p.Turns(ctx, id, api.TurnDone, api.TurnDone, api.TurnDone)
	if last := list[2]; last.Answer != "as you like" || last.Tools[0].Outcome != api.ToolRefused || last.Tools[0].Reason != "not that one" || last.Tokens.Output == 0 || last.CostUSD == 0 {
		t.Errorf("the last turn: %+v", last)
	}
	p.Until(ctx, id, "its cost", func(s api.Session) bool { return s.CostUSD > 0 })
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
	p.Screen(ctx, id, "again to interrupt")
	p.Run(ctx, "keys", id, "Escape")
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "run")
	_, seq := p.Request(ctx, id, 0)
	p.Screen(ctx, id, "Allow once")
	p.Run(ctx, "keys", id, "Escape")
	p.Event(ctx, id, seq, "that the turn was interrupted", func(e api.Event) bool { return e.Kind == api.KindTurnInterrupted })
	p.State(ctx, id, api.StateIdle)
	if list, err := p.Client.Approvals(ctx); err != nil || len(list) != 0 || p.Has("never") {
		t.Errorf("after Escape: %v, %v\n%s", list, err, p.Dump())
	}
	p.Run(ctx, "send", id, "hello")
	p.Answered(ctx, id, "You said: hello")
	p.Turns(ctx, id, api.TurnInterrupted, api.TurnInterrupted, api.TurnDone)
}

// TestError: a request that the API refuses ends the turn; opencode asks an API again without end
// whose failure may pass, until Escape. Both times the failure is shown, and the next prompt works.
func TestError(t *testing.T) {
	failing := func(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
		switch {
		case strings.Contains(r.Prompt, "refuse"):
			return fakeapi.Error(400, "scripted refusal")
		case strings.Contains(r.Prompt, "break"):
			return fakeapi.Error(500, "scripted failure")
		}
		return fakeapi.Echo(ctx, r)
	}
	ctx, p, _ := agent.Product(t, failing)
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "refuse")
	p.Until(ctx, id, "the refusal", func(s api.Session) bool {
		return s.State == api.StateIdle && s.Failure != nil && s.Failure.Message == "scripted refusal"
	})
	p.Turns(ctx, id, api.TurnFailed)
	p.Run(ctx, "send", id, "break")
	p.Screen(ctx, id, "retrying")
	p.State(ctx, id, api.StateWorking)
	p.Run(ctx, "keys", id, "Escape")
	p.Screen(ctx, id, "again to interrupt")
	p.Run(ctx, "keys", id, "Escape")
	p.Until(ctx, id, "the failure", func(s api.Session) bool { return s.State == api.StateIdle && s.Failure != nil })
	p.Run(ctx, "send", id, "again")
	if s := p.Answered(ctx, id, "You said: again"); s.Failure != nil {
		t.Errorf("failure %v", s.Failure)
	}
	p.Turns(ctx, id, api.TurnFailed, api.TurnInterrupted, api.TurnDone)
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
	p.Screen(ctx, id, "QUEUED")
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

// TestFork: a fork goes on from the conversation in one of its own; ask answers from it.
func TestFork(t *testing.T) {
	ctx, p, fake := agent.Product(t, nil)
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "remember me")
	before := p.Answered(ctx, id, "You said: remember me")
	fork := p.Run(ctx, "fork", id)
	p.State(ctx, fork, api.StateIdle)
	if out := p.Run(ctx, "ask", fork, "who am I"); out != "You said: who am I" {
		t.Errorf("the answer: %q\n%s", out, p.Dump())
	}
	s := p.Until(ctx, fork, "a conversation of its own", func(s api.Session) bool { return s.Conversation != "" && s.Conversation != before.Conversation })
	last := fake.Requests()[len(fake.Requests())-1]
	if !strings.Contains(string(last.Body), "remember me") {
		t.Error("the conversation began anew")
	}
	p.Turns(ctx, id, api.TurnDone)
	if list, err := p.ReadTurns(ctx, fork); err != nil || len(list) == 0 || list[len(list)-1].Conversation != s.Conversation {
		t.Errorf("the fork's turns: %+v, %v", list, err)
	}
}

// TestPolicy: the policy answers the requests: it denies one and allows one.
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
	ctx, p, fake := agent.Product(t, fakeapi.Turns(fakeapi.Tool("ccdir_project_info", map[string]any{}), fakeapi.Text("seen")))
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "look")
	p.Answered(ctx, id, "seen")
	if !fake.Heard(p.Place.CWD) {
		t.Errorf("the tool's answer did not reach the model\n%s", p.Dump())
	}
}

// TestTasks: a one-shot task and an interactive one have the agent's answer, its tokens and its cost;
// those whose API fails fail with the reason.
func TestTasks(t *testing.T) {
	ctx, p, _ := agent.Product(t, failing)
	p.Tasks(ctx, func(prompt string, task api.Task) {
		for task.State == api.TaskDone && task.Result.Cost == 0 { // that of a session comes with its end
			time.Sleep(50 * time.Millisecond)
			found, err := p.Client.Task(ctx, task.ID)
			if err != nil {
				t.Fatalf("task %q has no cost: %v\n%s", prompt, err, p.Dump())
			}
			task = found
		}
		if task.State == api.TaskDone && (task.Result.Tokens != 1020 || task.Result.Cost == 0) {
			t.Errorf("task %q used %d tokens for %f", prompt, task.Result.Tokens, task.Result.Cost)
		}
	})
}

// failing is an API that fails where the prompt says so.
func failing(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
	if strings.Contains(r.Prompt, "fail") {
		return fakeapi.Error(400, "scripted failure")
	}
	return fakeapi.Echo(ctx, r)
}

// TestQuestion: the agent asks, and is answered in ccdir.
func TestQuestion(t *testing.T) {
	ask := map[string]any{"questions": []any{map[string]any{"question": "Which colour?", "header": "Colour",
		"options": []any{map[string]any{"label": "Red", "description": "r"}, map[string]any{"label": "Blue", "description": "b"}}}}}
	ctx, p, fake := agent.Product(t, fakeapi.Turns(fakeapi.Tool("question", ask), fakeapi.Text("as you like")))
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "ask me")
	q, _ := p.Request(ctx, id, 0)
	if s := p.State(ctx, id, api.StateInput); q.Kind != api.RequestQuestion || len(q.Choices) != 2 || s.Asks != "Which colour? (Red / Blue)" {
		t.Errorf("%+v\n%+v", q, s)
	}
	p.Run(ctx, "approve", q.ID, "--answer", "Blue")
	p.Answered(ctx, id, "as you like")
	if !fake.Heard("Blue") {
		t.Errorf("%s", p.Dump())
	}
}

// TestExit: the session ends by kill, with 0, and leaves nothing; nobody else can read the
// password of its server.
func TestExit(t *testing.T) {
	ctx, p, _ := agent.Product(t, nil)
	id := p.New(ctx)
	s := p.State(ctx, id, api.StateIdle)
	data, err := os.ReadFile(filepath.Join(p.Paths.SessionDir(id), "control.json"))
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(p.Paths.SessionDir(id), "control.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	var control agents.Control
	if err := json.Unmarshal(data, &control); err != nil || strings.Contains(strings.Join(s.Argv, " "), control.Secret) || control.Secret == "" {
		t.Errorf("%v, %q", err, s.Argv)
	}
	if resp, err := http.Get("http://" + control.Address + "/session"); err != nil || resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("without the password: %v, %v", resp, err)
	} else {
		_ = resp.Body.Close()
	}
	p.Run(ctx, "kill", id)
	if s := p.State(ctx, id, api.StateExited); s.ExitCode == nil || *s.ExitCode != 0 {
		t.Errorf("exit code %v after kill", s.ExitCode)
	}
}

// TestEndIsShown: the end of a turn is shown at once.
func TestEndIsShown(t *testing.T) {
	ctx, p, _ := agent.Product(t, nil)
	p.EndIsShown(ctx)
}
