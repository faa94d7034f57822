package realcli

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/test/fakeapi"
)

// TestPolicyAgentIsNotThePerson: an agent without restrictions of its own
// (bypassPermissions) runs ccdir's verbs for the user; they are refused and recorded,
// and the request stays open.
func TestPolicyAgentIsNotThePerson(t *testing.T) {
	t.Parallel()
	ctx, p := policed(t, "bypassPermissions", rules, func(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
		switch {
		case r.Prompt == "one":
			return bash("touch asked-one")
		case strings.HasPrefix(r.Prompt, "run "):
			return bash(strings.TrimPrefix(r.Prompt, "run "))
		}
		return fakeapi.Echo(ctx, r)
	})
	// As root the CLI takes this mode in a sandbox only, and it warns once.
	config, err := os.ReadFile(p.Paths.ConfigFile())
	if err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{
		p.Paths.ConfigFile():                           string(config) + "env = { IS_SANDBOX = \"1\" }\n",
		filepath.Join(p.Place.Config, "settings.json"): `{"skipDangerousModePermissionPrompt": true}`,
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	one, two := p.New(ctx, "-n", "one"), p.New(ctx, "-n", "two")
	p.State(ctx, one, api.StateIdle)
	p.State(ctx, two, api.StateIdle)
	p.Run(ctx, "send", "one", "one")
	r, seq := p.Request(ctx, one, 0)
	exe := strconv.Quote(p.exe)
	p.Run(ctx, "send", "two", "run "+exe+" approve "+r.ID+" 2>approve.txt; (setsid "+exe+" role two lead 2>role.txt &); "+exe+" override one hands-off 2>override.txt; true")
	p.Event(ctx, two, 0, "Stop", hookEvent("Stop"))
	for _, name := range []string{"approve.txt", "role.txt", "override.txt"} {
		var text []byte
		for !strings.Contains(string(text), "\n") && ctx.Err() == nil {
			text, _ = os.ReadFile(filepath.Join(p.Place.CWD, name)) // another process writes it
		}
		if !strings.Contains(string(text), "runs inside a session of ccdir (two, role dev)") {
			t.Errorf("%s: %s\n%s", name, text, p.Dump())
		}
	}
	list, err := p.Client.Approvals(ctx)
	if err != nil || len(list) != 1 || list[0].ID != r.ID || p.Has("asked-one") {
		t.Errorf("the request: %+v, %v", list, err)
	}
	rows, err := p.Client.Decisions(ctx, api.LedgerFilter{Decision: api.LedgerRefused, Session: two})
	if err != nil || len(rows) != 3 {
		t.Errorf("the ledger has %+v, %v", rows, err)
	}
	if s := p.Show(ctx, two); s.Role != api.RoleDev {
		t.Errorf("its role is %s", s.Role)
	}
	p.Run(ctx, "approve", r.ID)
	p.Event(ctx, one, seq, "Stop", hookEvent("Stop"))
	if !p.Has("asked-one") {
		t.Error("the person could not approve")
	}
}
