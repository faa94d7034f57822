package floating

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
)

// world has a session on this machine and one on a node, with the focus at focus.
func world(focus string, more ...api.Session) ui.Env {
	env := uitest.Env(80, 24)
	env.Sessions = append([]api.Session{{ID: "a", Name: "api", CWD: "/src/tree"}, {ID: "gpu1/b", Name: "gpu1/train", Node: "gpu1", CWD: "/srv"}}, more...)
	env.Focus = focus
	return env
}

// started is what a tool's key starts.
func started(t *testing.T, env ui.Env, tool Tool) api.NewSession {
	t.Helper()
	c, effects := Press(env, tool)
	if c == nil || c.(ui.Busy).Waits() == "" || len(effects) != 1 {
		t.Fatalf("%v, %v", c, effects)
	}
	return effects[0].(ui.Start).Session
}

// TestTools: each is started where its session is, as the configuration says.
func TestTools(t *testing.T) {
	configured := []Tool{{Name: "tig", Command: "tig --all"}, {Name: "server", Command: "make run", Where: Pane}, {Name: "git"}}
	n := started(t, world("a"), Find(configured, "shell"))
	if n.Agent != "shell" || n.Argv != nil || n.CWD != "/src/tree" || *n.Beside != (api.Beside{Session: "a", Tool: "shell", Floating: true}) {
		t.Errorf("shell: %+v", n)
	}
	n = started(t, world("gpu1/b"), Find(configured, "tig"))
	if strings.Join(n.Argv, " ") != "sh -c tig --all" || n.Node != "gpu1" || n.CWD != "/srv" || n.Beside.Session != "gpu1/b" {
		t.Errorf("tig: %+v", n)
	}
	if n = started(t, world("a"), Find(configured, "server")); n.Beside.Floating {
		t.Errorf("server: %+v", n.Beside)
	}
	for _, name := range []string{"git", "editor"} {
		if n = started(t, world("a"), Find(configured, name)); len(n.Argv) != 3 || n.Argv[2] == "" {
			t.Errorf("%s: %+v", name, n)
		}
	}
	if c, effects := Press(world(""), Find(configured, "shell")); c != nil || !strings.Contains(effects[0].(ui.Warn).Text, "no session") {
		t.Errorf("without a session: %v", effects)
	}
}

// TestToolAgain: the key of a tool that is there shows it, hides it, or starts it again; from
// one tool to another of the same session.
func TestToolAgain(t *testing.T) {
	shell := api.Session{ID: "s", Name: "api-shell", Beside: &api.Beside{Session: "a", Tool: "shell", Floating: true}}
	server := api.Session{ID: "p", Name: "api-server", Beside: &api.Beside{Session: "a", Tool: "server"}}
	ended := shell
	ended.State = api.StateExited
	for _, tt := range []struct {
		focus, tool string
		all         []api.Session
		want        []ui.Effect
	}{
		{"a", "shell", []api.Session{shell}, []ui.Effect{ui.Focus{Session: "s"}}},
		{"s", "shell", []api.Session{shell}, []ui.Effect{ui.Focus{Session: "a"}}},
		{"s", "server", []api.Session{shell, server}, []ui.Effect{ui.Focus{Session: "p"}}},
		{"p", "server", []api.Session{shell, server}, []ui.Effect{ui.Focus{Session: "a"}}},
		{"a", "shell", []api.Session{ended}, []ui.Effect{ui.Focus{Session: "s"}, ui.Do{Action: keymap.Restart, Arg: "s"}}},
	} {
		_, effects := Press(world(tt.focus, tt.all...), Tool{Name: tt.tool, Command: "x"})
		if len(effects) != len(tt.want) || effects[0] != tt.want[0] {
			t.Errorf("%s at %s: %v, want %v", tt.tool, tt.focus, effects, tt.want)
		}
	}
}

// TestWithoutTerminal: such a program runs in the session's directory, and goes on; one that
// fails at once is told of, and so is a directory of another machine.
func TestWithoutTerminal(t *testing.T) {
	dir := t.TempDir()
	if err := start(t.Context(), "pwd > here", dir, os.Environ()); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "here")); err != nil || !strings.Contains(string(data), filepath.Base(dir)) {
		t.Errorf("%q, %v", data, err)
	}
	if err := start(t.Context(), "echo 'no display' >&2; exit 3", dir, os.Environ()); err == nil || !strings.Contains(err.Error(), "no display") {
		t.Errorf("a failure: %v", err)
	}
	c, effects := Press(world("gpu1/b"), Tool{Name: "ide", Command: "code .", Where: NoTerminal})
	if warn, ok := effects[0].(ui.Warn); c != nil || !ok || !strings.Contains(warn.Text, "gpu1") {
		t.Errorf("on a node: %v", effects)
	}
}
