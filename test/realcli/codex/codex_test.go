package codex

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/test/fakeapi"
	"ccdir/test/programs"
	"ccdir/test/realcli"
)

func TestMain(m *testing.M) {
	_ = os.Setenv("GORACE", "atexit_sleep_ms=0")
	programs.Parallel(2 * runtime.GOMAXPROCS(0)) // the scenarios mostly wait
	os.Exit(programs.Main(realcli.UsePrograms, m.Run))
}

// product installs ccdir with Codex, whose API follows the script (nil: Echo).
func product(t *testing.T, script fakeapi.Script) (context.Context, *realcli.Product, *fakeapi.Server) {
	t.Helper()
	t.Parallel()
	cli := CLI(t)
	fake := fakeapi.New(script)
	t.Cleanup(fake.Close)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	t.Cleanup(cancel)
	return ctx, realcli.InstallAgent(t, Home(t, fake.URL()), "codex", "[agents.codex]\ncommand = \""+cli+"\"\n"), fake
}

// run is a call of the shell tool that wants out of the sandbox, which Codex asks about.
func run(command string) fakeapi.Reply {
	return fakeapi.Tool("exec_command", map[string]any{"cmd": command, "sandbox_permissions": "require_escalated", "justification": "scripted reason"})
}

// request waits for the session's open request.
func request(ctx context.Context, t *testing.T, p *realcli.Product, id string, since int64) (api.Request, int64) {
	t.Helper()
	e := p.Event(ctx, id, since, "a request", func(e api.Event) bool { return e.Type == api.EventPermissionOpen })
	list, err := p.Client.Approvals(ctx)
	if err != nil || len(list) != 1 {
		t.Fatalf("open requests: %v, %v\n%s", list, err, p.Dump())
	}
	return list[0], e.Seq
}

// exists reports whether the project has a file.
func exists(p *realcli.Product, name string) bool {
	_, err := os.Stat(filepath.Join(p.Place.CWD, name))
	return err == nil
}

// answered waits until the session is idle with that answer.
func answered(ctx context.Context, p *realcli.Product, id, answer string) api.Session {
	return p.Until(ctx, id, "idle with the answer "+answer, func(s api.Session) bool { return s.State == api.StateIdle && s.Answer == answer })
}

// heard reports whether a request to the API had the text.
func heard(fake *fakeapi.Server, text string) bool {
	for _, r := range fake.Requests() {
		if strings.Contains(string(r.Body), text) {
			return true
		}
	}
	return false
}

// TestApproveAndDeny: a prompt, a tool that asks, allowed in ccdir; another one, denied with
// words that reach the model, whose turn goes on.
func TestApproveAndDeny(t *testing.T) {
	ctx, p, fake := product(t, fakeapi.Turns(run("touch made"), fakeapi.Text("made it"), run("touch never"), fakeapi.Text("as you like")))
	id := p.New(ctx)
	if s := p.State(ctx, id, api.StateIdle); s.Conversation != "" {
		t.Errorf("the conversation %s is known before the first prompt", s.Conversation)
	}
	p.Run(ctx, "send", id, "make it")
	q, seq := request(ctx, t, p, id, 0)
	if q.Tool != "Bash" || string(q.Input) != `{"command":"touch made"}` || !strings.HasPrefix(q.ToolUseID, "toolu_") || !strings.Contains(q.Question, "scripted reason") {
		t.Errorf("the request: %+v", q)
	}
	if s := p.State(ctx, id, api.StatePermission); s.Asks != "touch made" || s.AnswerInPane {
		t.Errorf("it asks %q, in the pane: %v", s.Asks, s.AnswerInPane)
	}
	p.Run(ctx, "approve", q.ID)
	if s := answered(ctx, p, id, "made it"); len(s.Conversation) != 36 || s.Model != "gpt-5.2-codex" {
		t.Errorf("conversation %q, model %q", s.Conversation, s.Model)
	}
	if !exists(p, "made") {
		t.Errorf("what was approved did not run\n%s", p.Dump())
	}
	p.Run(ctx, "send", id, "and that")
	q, _ = request(ctx, t, p, id, seq)
	p.Run(ctx, "deny", q.ID, "--message", "not that one")
	answered(ctx, p, id, "as you like")
	if exists(p, "never") || !heard(fake, "not that one") {
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
	ctx, p, fake := product(t, fakeapi.Turns(run("touch pane"), fakeapi.Text("one"), run("touch keys"), fakeapi.Text("two"), run("touch never"), fakeapi.Text("three"), run("touch nothing")))
	id := p.New(ctx)
	p.Run(ctx, "send", id, "first")
	_, seq := request(ctx, t, p, id, 0)
	p.Screen(ctx, id, "Press enter to confirm")
	p.State(ctx, id, api.StatePermission)
	for !exists(p, "pane") { // it ignores keys that come with the dialog
		p.Run(ctx, "keys", id, "y")
		time.Sleep(500 * time.Millisecond)
	}
	answered(ctx, p, id, "one")
	if list, err := p.Client.Approvals(ctx); err != nil || len(list) != 0 || !exists(p, "pane") {
		t.Fatalf("answered in the pane: %v, %v\n%s", list, err, p.Dump())
	}
	p.Run(ctx, "send", id, "second")
	q, seq := request(ctx, t, p, id, seq)
	p.Screen(ctx, id, "$ touch keys")
	p.Run(ctx, "approve", q.ID)
	answered(ctx, p, id, "two")
	p.Run(ctx, "send", id, "third")
	q, seq = request(ctx, t, p, id, seq)
	p.Screen(ctx, id, "$ touch never")
	p.Run(ctx, "deny", q.ID, "--message", "do something else")
	answered(ctx, p, id, "three")
	if !exists(p, "keys") || exists(p, "never") || !heard(fake, "do something else") {
		t.Errorf("%s", p.Dump())
	}
	p.Run(ctx, "send", id, "fourth")
	request(ctx, t, p, id, seq)
	p.Screen(ctx, id, "$ touch nothing")
	p.Run(ctx, "keys", id, "Escape")
	p.State(ctx, id, api.StateIdle)
	if list, err := p.Client.Approvals(ctx); err != nil || len(list) != 0 || exists(p, "nothing") {
		t.Errorf("after Escape: %v, %v\n%s", list, err, p.Dump())
	}
}

// TestEscape: Escape ends a turn while the model speaks, and while the hook of a request waits,
// whose request is over then.
func TestEscape(t *testing.T) {
	never := make(chan struct{})
	t.Cleanup(func() { close(never) })
	ctx, p, _ := product(t, fakeapi.Turns(fakeapi.Reply{Blocks: []fakeapi.Block{{Text: "endless"}}, End: never}, run("touch never")))
	id := p.New(ctx)
	p.Run(ctx, "send", id, "speak")
	p.State(ctx, id, api.StateWorking)
	p.Screen(ctx, id, "endless")
	p.Run(ctx, "keys", id, "Escape")
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "run")
	request(ctx, t, p, id, 0)
	p.Run(ctx, "keys", id, "Escape")
	s := p.State(ctx, id, api.StateIdle)
	if list, err := p.Client.Approvals(ctx); err != nil || len(list) != 0 || exists(p, "never") {
		t.Errorf("after Escape: %v, %v\n%s", list, err, p.Dump())
	}
	if s.State != api.StateIdle {
		t.Errorf("state %s", s.State)
	}
	p.Run(ctx, "send", id, "hello")
	answered(ctx, p, id, "You said: hello")
	p.Turns(ctx, id, api.TurnInterrupted, api.TurnInterrupted, api.TurnDone)
}

// TestError: an error of the API ends the turn, which is shown; the next prompt works.
func TestError(t *testing.T) {
	ctx, p, _ := product(t, fakeapi.Turns(fakeapi.Error(400, "scripted failure")))
	id := p.New(ctx)
	p.Run(ctx, "send", id, "go")
	p.Until(ctx, id, "the failure", func(s api.Session) bool { return s.State == api.StateIdle && s.FailureLine() == "scripted failure" })
	p.Run(ctx, "send", id, "again")
	if s := answered(ctx, p, id, "You said: again"); s.Failure != nil {
		t.Errorf("failure %+v", s.Failure)
	}
	p.Turns(ctx, id, api.TurnFailed, api.TurnDone)
}

// TestQueue: a prompt sent during a turn waits for its end, is shown as waiting, and has a turn
// of its own.
func TestQueue(t *testing.T) {
	end := make(chan struct{})
	ctx, p, fake := product(t, fakeapi.Turns(fakeapi.Reply{Blocks: []fakeapi.Block{{Text: "first"}}, End: end}))
	id := p.New(ctx)
	p.Run(ctx, "send", id, "begin")
	p.Screen(ctx, id, "first")
	if out := p.Run(ctx, "send", id, "and\nthen that"); out != "queued" {
		t.Errorf("sent: %q", out)
	}
	if s := p.Show(ctx, id); s.Queued != 1 || len(s.QueuedPrompts) != 1 || s.QueuedPrompts[0] != "and⏎then that" {
		t.Errorf("%d queued: %q", s.Queued, s.QueuedPrompts)
	}
	if heard(fake, "then that") {
		t.Error("the queued prompt became part of the turn")
	}
	close(end)
	answered(ctx, p, id, "You said: and⏎then that")
	p.Until(ctx, id, "nothing queued", func(s api.Session) bool { return s.Queued == 0 })
}

// TestResume: after a kill the conversation goes on, also as a second one beside it.
func TestResume(t *testing.T) {
	ctx, p, fake := product(t, nil)
	id := p.New(ctx)
	p.Run(ctx, "send", id, "remember me")
	before := answered(ctx, p, id, "You said: remember me")
	if err := syscall.Kill(before.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	p.State(ctx, id, api.StateExited)
	p.Run(ctx, "restart", id)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "who am I")
	if s := answered(ctx, p, id, "You said: who am I"); s.Conversation != before.Conversation {
		t.Errorf("conversation %s became %s", before.Conversation, s.Conversation)
	}
	last := fake.Requests()[len(fake.Requests())-1]
	if !strings.Contains(string(last.Body), "remember me") {
		t.Error("the conversation began anew")
	}
	fork := p.Run(ctx, "fork", id)
	p.Run(ctx, "send", fork, "and who")
	if s := answered(ctx, p, fork, "You said: and who"); s.Conversation == before.Conversation {
		t.Error("the fork has the conversation itself")
	}
}

// TestPolicy: the policy denies a call before it runs, allows one that Codex asks about, and has
// a person asked about one that Codex would not ask about.
func TestPolicy(t *testing.T) {
	box := func(command string) fakeapi.Reply {
		return fakeapi.Tool("exec_command", map[string]any{"cmd": command})
	}
	ctx, p, fake := product(t, fakeapi.Turns(box("touch denied"), fakeapi.Text("one"), run("touch allowed"), fakeapi.Text("two"), box("touch asked"), fakeapi.Text("three"),
		box("touch refused"), fakeapi.Text("four")))
	policy := "[roles.dev]\nallow = [\"Bash(touch allowed)\"]\ndeny = [\"Bash(touch denied)\"]\nask = [\"Bash(touch asked)\", \"Bash(touch refused)\"]\n"
	if err := os.WriteFile(filepath.Join(p.Paths.Config, "policy.toml"), []byte(policy), 0o600); err != nil {
		t.Fatal(err)
	}
	id := p.New(ctx)
	p.Run(ctx, "send", id, "1")
	answered(ctx, p, id, "one")
	if exists(p, "denied") || !heard(fake, "policy") {
		t.Errorf("the policy did not deny\n%s", p.Dump())
	}
	p.Run(ctx, "send", id, "2")
	answered(ctx, p, id, "two")
	if !exists(p, "allowed") {
		t.Errorf("the policy did not allow\n%s", p.Dump())
	}
	p.Run(ctx, "send", id, "3")
	q, seq := request(ctx, t, p, id, 0)
	p.State(ctx, id, api.StatePermission)
	p.Run(ctx, "approve", q.ID)
	answered(ctx, p, id, "three")
	if !exists(p, "asked") {
		t.Errorf("what was allowed did not run\n%s", p.Dump())
	}
	p.Run(ctx, "send", id, "4")
	q, _ = request(ctx, t, p, id, seq)
	p.Run(ctx, "deny", q.ID, "--message", "leave it")
	answered(ctx, p, id, "four")
	if exists(p, "refused") || !heard(fake, "leave it") {
		t.Errorf("what was denied ran\n%s", p.Dump())
	}
}

// TestTools: the agent has ccdir's tools, which know its session.
func TestTools(t *testing.T) {
	ctx, p, fake := product(t, fakeapi.Turns(fakeapi.Tool("mcp__ccdir/project_info", map[string]any{}), fakeapi.Text("seen")))
	id := p.New(ctx)
	p.Run(ctx, "send", id, "look")
	answered(ctx, p, id, "seen")
	if !heard(fake, p.Place.CWD) {
		t.Errorf("the tool's answer did not reach the model\n%s", p.Dump())
	}
}

// TestExit: the session ends by the agent's own command and by kill, and leaves nothing.
func TestExit(t *testing.T) {
	ctx, p, _ := product(t, nil)
	id := p.New(ctx)
	p.Run(ctx, "send", id, "hello")
	answered(ctx, p, id, "You said: hello")
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

// TestTasks: a one-shot task and an interactive one have the agent's answer and its use of tokens;
// one whose API fails fails with the reason.
func TestTasks(t *testing.T) {
	ctx, p, _ := product(t, func(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
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
	ctx, p, _ := product(t, nil)
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
	answered(ctx, p, id, "You said: hello")
}

// TestEndIsShown: the end of a turn is shown at once; a gross delay fails.
func TestEndIsShown(t *testing.T) {
	ctx, p, _ := product(t, nil)
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	if lags := p.EndLag(ctx, id, 8); lags[len(lags)/2] > 5*time.Second {
		t.Errorf("it took %v", lags)
	}
}
