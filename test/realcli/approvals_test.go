package realcli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/test/fakeapi"
)

// TestProductApprove: requests are answered from outside the pane, and a rule
// for always saves the second question, for commands, for files, and for these
// alone.
func TestProductApprove(t *testing.T) {
	t.Parallel()
	Claude(t)
	place := Home(t, "")
	file := filepath.Join(place.CWD, "notes.txt")
	write := func(text string) fakeapi.Reply {
		return fakeapi.Tool("Write", map[string]any{"file_path": file, "content": text})
	}
	fake := fakeapi.New(fakeapi.Turns(bash("touch made"), bash("touch made"), bash("touch made2"), write("one"), write("two")))
	defer fake.Close()
	place.Env = append(place.Env, "ANTHROPIC_BASE_URL="+fake.URL())
	ctx := limit(t)
	p := Install(t, place)
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "go")

	r, seq := p.Request(ctx, id, 0)
	if r.Tool != "Bash" || r.AlwaysRule != "Bash(touch made)" || !strings.HasPrefix(r.ToolUseID, "toolu_") {
		t.Errorf("the first request: %+v", r)
	}
	p.Run(ctx, "approve", r.ID, "--always")
	// The same command runs unasked; the next request is for another one.
	r, seq = p.Request(ctx, id, seq)
	if !strings.Contains(string(r.Input), "touch made2") {
		t.Fatalf("the second request: %s\n%s", r.Input, p.Dump())
	}
	p.Run(ctx, "deny", r.ID, "--message", "not that one")
	r, seq = p.Request(ctx, id, seq)
	if r.Tool != "Write" || r.AlwaysRule != "Edit(/"+file+")" {
		t.Fatalf("the third request: %+v\n%s", r, p.Dump())
	}
	p.Run(ctx, "approve", r.ID, "--always")
	p.Event(ctx, id, seq, "Stop", hookEvent("Stop"))
	p.State(ctx, id, api.StateIdle)
	if data, err := os.ReadFile(file); err != nil || string(data) != "two" {
		t.Errorf("the file has %q, %v\n%s", data, err, p.Dump())
	}
	if _, err := os.Stat(filepath.Join(place.CWD, "made2")); err == nil {
		t.Error("what was denied was run")
	}
	denied := false
	for _, q := range fake.Requests() {
		denied = denied || strings.Contains(string(q.Body), "not that one")
	}
	if !denied {
		t.Error("the reason of the denial did not reach the model")
	}
}

// TestHooksOutside: the real CLI, started by hand with hooks in its own
// settings, shows up as a row and leaves it with its end.
func TestHooksOutside(t *testing.T) {
	t.Parallel()
	cli := Claude(t)
	fake := fakeapi.New(nil)
	defer fake.Close()
	place := Home(t, fake.URL())
	settings := filepath.Join(place.Config, "settings.json")
	const own = "{\n  \"env\": {\"OWN\": \"1\"}\n}\n"
	if err := os.WriteFile(settings, []byte(own), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx := limit(t)
	p := Install(t, place)
	if out := p.Run(ctx, "hooks", "install", "--yes"); out != "installed" {
		t.Errorf("install printed %q", out)
	}
	if out := p.Run(ctx, "hooks", "status", "--json"); !strings.Contains(out, `"state": "installed"`) || !strings.Contains(out, `"args"`) {
		t.Errorf("status: %s", out)
	}
	run := func() string {
		cmd := exec.CommandContext(ctx, cli, "-p", "hello there")
		cmd.Env, cmd.Dir = p.Env, place.CWD
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("claude -p: %v\n%s", err, out)
		}
		return strings.TrimSpace(string(out))
	}
	if out := run(); out != "You said: hello there" { // without a daemon the agent is not affected
		t.Errorf("without a daemon: %q", out)
	}
	p.Run(ctx, "daemon", "start")
	if out := run(); out != "You said: hello there" {
		t.Errorf("with a daemon: %q", out)
	}
	list, err := p.Client.Sessions(ctx)
	if err != nil || len(list) != 1 || !list[0].External || list[0].CWD != place.CWD || list[0].Prompt != "hello there" {
		t.Fatalf("sessions: %+v, %v\n%s", list, err, p.Dump())
	}
	p.State(ctx, list[0].ID, api.StateExited)
	for _, hook := range []string{"SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"} {
		p.Event(ctx, list[0].ID, 0, hook, hookEvent(hook))
	}
	// A session of ccdir reports by its own hooks alone.
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "once")
	stop := p.Event(ctx, id, 0, "Stop", hookEvent("Stop"))
	if list, err = p.Client.Sessions(ctx); err != nil || len(list) != 2 || strings.Count(p.Run(ctx, "events", "--session", id, "--type", "Stop"), "\n") > 0 {
		t.Errorf("inside: %d sessions, %v, Stop %d\n%s", len(list), err, stop.Seq, p.Dump())
	}
	p.Run(ctx, "hooks", "uninstall", "--yes")
	if data, err := os.ReadFile(settings); err != nil || string(data) != own {
		t.Errorf("the settings are %q, %v", data, err)
	}
}
