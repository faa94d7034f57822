package daemon

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ccdir/agents/claude"
	"ccdir/api"
)

// TestFilesArePrivate: nothing that is written is for others to read, not even for the
// moment until it is renamed, and in whatever umask daemon and hosts were started.
func TestFilesArePrivate(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.config("[api]\nlisten = \"127.0.0.1:0\"\n")
	p.policy(testPolicy)
	p.env = []string{"CCDIR_TEST_UMASK=0"}
	p.spawn()
	seen := map[string]int{}
	look := func() {
		t.Helper()
		for _, top := range []string{p.paths.State, p.paths.Runtime} {
			err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
				if err != nil {
					return nil //nolint:nilerr // it was there a moment ago
				}
				info, err := d.Info()
				if err != nil {
					return nil //nolint:nilerr // it was there a moment ago
				}
				seen[strings.TrimLeft(filepath.Ext(path), ".")]++
				if info.Mode().Perm()&0o077 != 0 {
					t.Errorf("%s has the mode %s", path, info.Mode())
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	stop, looked := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(looked)
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
				look()
			}
		}
	}()
	s := p.agentSession("one")
	if err := p.hook(s, claude.HookPreToolUse, "call-1", hookJSON(claude.HookPreToolUse, `"tool_name":"Bash","tool_input":{"command":"ls"}`)); err != nil {
		t.Fatal(err)
	}
	ended := p.create(api.NewSession{Name: "two", Argv: sh("echo hello; exit 3")})
	p.wait(ended.ID, api.StateExited)
	p.call("POST", "/v1/tasks", []api.NewTask{{Prompt: "say x", Agent: "demo", CWD: p.paths.Home, Name: "t"}}, nil)
	p.call("POST", "/v1/tasks/t/start", nil, nil)
	p.call("GET", "/v1/tasks/t/wait?timeout=60s", nil, nil)
	p.call("PUT", "/v1/grid", api.Grid{}, nil)
	p.call("POST", "/v1/messages", api.NewMessage{To: "one", Text: "hi"}, nil)
	p.call("DELETE", "/v1/sessions/two", nil, nil)
	close(stop)
	<-looked
	look()
	for _, kind := range []string{"sock", "json", "db", "db-wal", "lock", "raw", "bin"} {
		if seen[kind] == 0 {
			t.Errorf("no file *.%s was seen: %v", kind, seen)
		}
	}
	if info, err := os.Stat(p.paths.APIToken()); err != nil || info.Mode() != 0o600 {
		t.Errorf("the token: %v %v", info, err)
	}
}
