package realcli

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/test/fakeapi"
)

// holdTime is how long TestPolicyHeld lets a request wait: two minutes show that no
// part of the path times out.
var holdTime = flag.Duration("hold", time.Second, "how long a permission request is held")

// rules is a policy for the real CLI: what a touched file is called decides.
const rules = `
[roles.dev]
allow = ["Bash(touch allowed)", "Bash(cat fifo)"]
ask = ["Bash(touch asked*)"]
deny = ["Bash(touch denied)"]
`

// policed installs ccdir with a policy, the CLI in a permission mode, and a
// script for the API.
func policed(t *testing.T, mode, policy string, script fakeapi.Script) (context.Context, *Product) {
	t.Helper()
	cli := Claude(t)
	fake := fakeapi.New(script)
	t.Cleanup(fake.Close)
	p := Install(t, Home(t, fake.URL()))
	config := "[agents.claude]\ncommand = " + strconv.Quote(cli) + "\nargs = [\"--permission-mode\", " + strconv.Quote(mode) + "]\n"
	for file, text := range map[string]string{p.Paths.ConfigFile(): config, p.Paths.PolicyFile(): policy} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute+*holdTime)
	t.Cleanup(cancel)
	return ctx, p
}

// ledger are the decisions as "decision by command", oldest first.
func (p *Product) ledger(ctx context.Context) []string {
	p.t.Helper()
	rows, err := p.Client.Decisions(ctx, api.LedgerFilter{})
	if err != nil {
		p.t.Fatal(err)
	}
	var out []string
	for _, r := range rows {
		var in struct{ Command string }
		_ = json.Unmarshal(r.Input, &in)
		out = append(out, r.Decision+" "+r.By+" "+in.Command)
	}
	return out
}

// TestPolicyInModes: in each permission mode the policy allows without a dialog,
// denies what the CLI alone would run or ask about, and forces the dialog; what
// no rule is about is the CLI's to decide.
func TestPolicyInModes(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"manual", "acceptEdits", "auto"} {
		t.Run(mode, func(t *testing.T) {
			ctx, p := policed(t, mode, rules, fakeapi.Turns(bash("touch allowed"), bash("touch denied"), bash("touch asked"), bash("touch other")))
			id := p.New(ctx)
			p.State(ctx, id, api.StateIdle)
			p.Run(ctx, "send", id, "go")
			r, seq := p.Request(ctx, id, 0)
			if !strings.Contains(string(r.Input), "touch asked") || !strings.Contains(r.Rule, "Bash(touch asked*) (") || !p.Has("allowed") || p.Has("denied") || p.Has("asked") {
				t.Fatalf("the first request is %+v\n%s", r, p.Dump())
			}
			p.Run(ctx, "approve", r.ID)
			if mode == "manual" {
				r, seq = p.Request(ctx, id, seq)
				if !strings.Contains(string(r.Input), "touch other") || r.Rule != "" {
					t.Fatalf("the second request is %+v\n%s", r, p.Dump())
				}
				p.Run(ctx, "approve", r.ID)
			}
			p.Event(ctx, id, seq, "Stop", hookEvent("Stop"))
			p.State(ctx, id, api.StateIdle)
			if !p.Has("asked") || !p.Has("other") || p.Has("denied") {
				t.Errorf("what ran is not what was allowed\n%s", p.Dump())
			}
			want := "allow policy touch allowed, deny policy touch denied, ask policy touch asked, allow person touch asked"
			if mode == "manual" {
				want += ", allow person touch other"
			}
			if got := strings.Join(p.ledger(ctx), ", "); got != want {
				t.Errorf("the ledger has %s\nwant %s", got, want)
			}
			if out := p.Run(ctx, "decisions", "--verify"); !strings.HasPrefix(out, "ok: ") {
				t.Errorf("verify: %s", out)
			}
		})
	}
}

// TestPolicyVerdicts: auto mode's own verdict decides only where the policy does
// not: an allowed command runs though it would be flagged, or have no verdict.
func TestPolicyVerdicts(t *testing.T) {
	t.Parallel()
	flagged, none := bash("touch allowed"), bash("touch allowed")
	flagged.Flag, none.NoVerdict = true, true
	denied := bash("touch other")
	denied.Flag = true
	ctx, p := policed(t, "auto", rules, fakeapi.Turns(flagged, none, bash("touch allowed"), denied))
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "go")
	stop := p.Event(ctx, id, 0, "Stop", hookEvent("Stop"))
	events := p.Run(ctx, "events", "--session", id)
	if n := strings.Count(events, "PostToolUse"); n != 3 || !p.Has("allowed") || p.Has("other") || stop.Seq == 0 {
		t.Errorf("%d tools ran\n%s", n, p.Dump())
	}
	if strings.Contains(events, api.EventPermissionOpen) {
		t.Errorf("somebody was asked\n%s", events)
	}
}

// TestPolicyHeld: a request waits as long as necessary, and the command that the user
// wrote instead is the one that runs.
func TestPolicyHeld(t *testing.T) {
	t.Parallel()
	ctx, p := policed(t, "auto", rules, askFor("touch asked"))
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "go")
	r, seq := p.Request(ctx, id, 0)
	p.Screen(ctx, id, "1. Yes")
	select { // the time is what is tested
	case <-time.After(*holdTime):
	case <-ctx.Done():
	}
	p.Run(ctx, "approve", r.ID, "--input", `{"command":"touch edited","description":"a test"}`)
	p.Event(ctx, id, seq, "Stop", hookEvent("Stop"))
	if !p.Has("edited") || p.Has("asked") {
		t.Errorf("the edited command did not run\n%s", p.Dump())
	}
}

// killDaemon kills it, and waits until it is gone.
func killDaemon(ctx context.Context, p *Product) {
	p.t.Helper()
	srv, err := p.Client.Health(ctx)
	if err != nil {
		p.t.Fatal(err)
	}
	if err := syscall.Kill(srv.PID, syscall.SIGKILL); err != nil {
		p.t.Fatal(err)
	}
	for syscall.Kill(srv.PID, 0) == nil && ctx.Err() == nil {
		time.Sleep(5 * time.Millisecond) // another process
	}
}

// TestPolicyDaemonKilledWhileAsked: the request is there again with the next
// daemon, and its answer reaches the dialog.
func TestPolicyDaemonKilledWhileAsked(t *testing.T) {
	t.Parallel()
	ctx, p := policed(t, "auto", rules, fakeapi.Turns(bash("touch asked"), bash("touch asked2")))
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "go")
	before, seq := p.Request(ctx, id, 0)
	killDaemon(ctx, p)
	p.Run(ctx, "daemon", "start")
	var list []api.Request
	for len(list) == 0 && ctx.Err() == nil {
		list, _ = p.Client.Approvals(ctx)
		time.Sleep(10 * time.Millisecond) // the hook process dials again
	}
	if len(list) != 1 || list[0].ID != before.ID || list[0].Rule != before.Rule {
		t.Fatalf("afterwards the requests are %+v\n%s", list, p.Dump())
	}
	p.Run(ctx, "approve", before.ID)
	// The second one is answered in the pane, right after another kill.
	_, seq = p.Request(ctx, id, seq)
	if !p.Has("asked") {
		t.Errorf("it did not run\n%s", p.Dump())
	}
	p.Screen(ctx, id, "1. Yes")
	killDaemon(ctx, p)
	p.Run(ctx, "daemon", "start")
	answer(ctx, p, id)
	p.Event(ctx, id, seq, "Stop", hookEvent("Stop"))
	if list, err := p.Client.Approvals(ctx); err != nil || len(list) != 0 || !p.Has("asked2") {
		t.Errorf("open: %+v, %v\n%s", list, err, p.Dump())
	}
}

// TestPolicyWithoutDaemon: on_daemon_loss holds for the real CLI, and what was
// answered then is in the ledger afterwards.
func TestPolicyWithoutDaemon(t *testing.T) {
	t.Parallel()
	ctx, p := policed(t, "auto", "on_daemon_loss = \"deny\"\n"+rules, fakeapi.Turns(bash("cat fifo"), bash("touch other")))
	fifo := filepath.Join(p.Place.CWD, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "go")
	p.Event(ctx, id, 0, "PreToolUse", hookEvent("PreToolUse"))
	f, err := os.OpenFile(fifo, os.O_WRONLY, 0) // waits for the tool
	if err != nil {
		t.Fatal(err)
	}
	killDaemon(ctx, p)
	if err := f.Close(); err != nil { // the tool ends, and the next one begins
		t.Fatal(err)
	}
	spool := filepath.Join(p.Paths.SessionDir(id), "spool")
	for ctx.Err() == nil { // until the turn is over: its hook is the last one
		files, _ := filepath.Glob(filepath.Join(spool, "*.json"))
		over := false
		for _, file := range files {
			data, _ := os.ReadFile(file)
			over = over || strings.Contains(string(data), `"hook":"Stop"`)
		}
		if over {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if p.Has("other") {
		t.Error("it ran without the daemon")
	}
	p.Run(ctx, "daemon", "start")
	p.Event(ctx, id, 0, "Stop", hookEvent("Stop"))
	for ctx.Err() == nil && !strings.Contains(strings.Join(p.ledger(ctx), ", "), "deny hook touch other") {
		time.Sleep(20 * time.Millisecond) // written beside the session's actor
	}
	if got := strings.Join(p.ledger(ctx), ", "); got != "allow policy cat fifo, deny hook touch other" {
		t.Errorf("the ledger has %s\n%s", got, p.Dump())
	}
}

// TestPolicyTwoSessions: two ask at once, each gets its own answer; a question
// of the agent's stays one, whatever the policy allows.
func TestPolicyTwoSessions(t *testing.T) {
	t.Parallel()
	ctx, p := policed(t, "auto", rules+"\n[roles.lead]\nallow = [\"*\"]\n", func(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
		switch r.Prompt {
		case "one", "two":
			return bash("touch asked-" + r.Prompt)
		case "three":
			return question
		}
		return fakeapi.Echo(ctx, r)
	})
	ids := map[string]string{}
	for _, name := range []string{"one", "two"} {
		ids[name] = p.New(ctx, "-n", name)
		p.State(ctx, ids[name], api.StateIdle)
	}
	for _, name := range []string{"one", "two"} {
		p.Run(ctx, "send", name, name)
	}
	for _, name := range []string{"one", "two"} {
		p.Event(ctx, ids[name], 0, "the request", func(e api.Event) bool { return e.Type == api.EventPermissionOpen })
	}
	list, err := p.Client.Approvals(ctx)
	if err != nil || len(list) != 2 {
		t.Fatalf("%+v %v", list, err)
	}
	for _, r := range list {
		if r.Session == ids["one"] {
			p.Run(ctx, "deny", r.ID, "--message", "not this one")
		} else {
			p.Run(ctx, "approve", r.ID)
		}
	}
	for _, name := range []string{"one", "two"} {
		p.Event(ctx, ids[name], 0, "Stop", hookEvent("Stop"))
	}
	if p.Has("asked-one") || !p.Has("asked-two") {
		t.Errorf("the answers went astray\n%s", p.Dump())
	}
	p.Run(ctx, "role", "one", "lead")
	p.Run(ctx, "send", "one", "three")
	s := p.State(ctx, ids["one"], api.StateInput)
	if r, _ := p.Client.Approvals(ctx); len(r) > 0 && r[0].Kind != api.RequestQuestion || s.State != api.StateInput {
		t.Errorf("the question is %+v, %+v", r, s)
	}
}
