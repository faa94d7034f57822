package realcli

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/test/fakeapi"
)

// TestProductArguments: model, role and variables reach the CLI of a session, of a task of
// the command line, and of one of a file, in a pane and in the one-shot mode.
func TestProductArguments(t *testing.T) {
	t.Parallel()
	models := make(chan string, 100) // by prompt
	const role = "[roles.tester]\nallow = [\"Bash(printenv COLOUR)\"]\n[roles.dev]\ndeny = [\"Bash(printenv COLOUR)\"]\n"
	ctx, p := policed(t, "default", role, func(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
		switch {
		case !r.Main():
			return fakeapi.Echo(ctx, r)
		case r.Prompt != "":
			models <- r.Prompt + " by " + r.Model
			return bash("printenv COLOUR")
		}
		for _, result := range r.Results {
			return fakeapi.Text("It is " + strings.TrimSpace(result) + ".")
		}
		return fakeapi.Text("There is no result.")
	})
	used := func(prompt string) {
		t.Helper()
		if got := <-models; !strings.HasPrefix(got, prompt+" by ") || !strings.Contains(got, "haiku") {
			t.Errorf("the API got %q", got)
		}
	}
	id := p.New(ctx, "-n", "one", "--model", "haiku", "--role", "tester", "--env", "COLOUR=red")
	p.State(ctx, id, api.StateIdle)
	if got := p.Run(ctx, "ask", "one", "of the session"); got != "It is red." {
		t.Errorf("the session says %q", got)
	}
	used("of the session")
	if s := p.Show(ctx, id); s.Role != "tester" || !strings.Contains(s.Model, "haiku") || !strings.Contains(p.Run(ctx, "model", "one"), "haiku") {
		t.Errorf("it shows the role %q and the model %q", s.Role, s.Model)
	}

	p.Run(ctx, "task", "mode", "auto")
	flags := []string{"task", "add", "-a", "claude", "--model", "haiku", "--role", "tester", "--env", "COLOUR=green"}
	file := filepath.Join(t.TempDir(), "tasks.toml")
	const one = "[[task]]\nprompt = \"of the file\"\nagent = \"claude\"\nmodel = \"haiku\"\nrole = \"tester\"\nenv = [\"COLOUR=blue\"]\n"
	if err := os.WriteFile(file, []byte(one), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args         []string
		prompt, says string
	}{
		{append(flags, "of the task"), "of the task", "It is green."},
		{append(flags, "--print", "of the one shot"), "of the one shot", "It is green."},
		{[]string{"task", "add", "-f", file}, "of the file", "It is blue."},
	} {
		var list []api.Task
		if err := json.Unmarshal([]byte(p.Run(ctx, "task", "wait", "--json", "--timeout", "100s", p.Run(ctx, c.args...))), &list); err != nil {
			t.Fatal(err)
		}
		if list[0].State != api.TaskDone || list[0].Result.Message != c.says {
			t.Errorf("%s: %s, %q", c.prompt, list[0].State, list[0].Result.Message)
		}
		used(c.prompt)
	}
}
