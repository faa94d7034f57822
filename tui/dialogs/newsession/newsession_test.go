package newsession

import (
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
)

func TestDirectoriesAreMadeAbsolute(t *testing.T) {
	for in, want := range map[string]string{
		"": "/repo/project", "sub": "/repo/project/sub", "../x": "/repo/x", "~": "/home/me", "~/src": "/home/me/src", " /abs ": "/abs", "~you": "/repo/project/~you",
	} {
		if got := absolute(in, "/repo/project", "/home/me"); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// world is a screen where two agents and two directories are known.
func world(cols, rows int) ui.Env {
	env := uitest.Env(cols, rows)
	env.Agents = []api.AgentInfo{{Name: "claude", Path: "/bin/claude", Default: true}, {Name: "demo", Path: "/bin/demo"}}
	env.Dirs = []api.Directory{{Name: "site", Path: "/srv/site"}, {Path: "/repo/project"}}
	return env
}

// TestStart: the dialog asks for what was written, waits, and says why it was not
// started; the same asked for again is told apart by Before.
func TestStart(t *testing.T) {
	env := world(80, 20)
	d, _ := uitest.Press(env, New(env, "/repo", "", "demo"), "Right", "Tab", "Down", "Tab", "b", "o", "t", "Tab", "h", "i")
	uitest.Golden(t, env, d, "new-80x20")
	d, effects := uitest.Press(env, d, "Enter")
	start, ok := effects[len(effects)-1].(ui.Start)
	if n := start.Session; !ok || n.Agent != "demo" || n.CWD != "/srv/site" || n.Name != "bot" || n.Prompt != "hi" {
		t.Fatalf("it asks for %+v", effects)
	}
	if d.(ui.Busy).Waits() == "" {
		t.Error("it does not wait")
	}
	d, _ = d.(ui.Receiver).Receive(env, ui.NotStarted{Problem: "the name bot is in use", Unsure: &start.Session}, nil)
	if dump := uitest.Picture(env, d).Dump(); !strings.Contains(dump, "the name bot is in use") || d.(ui.Busy).Waits() != "" {
		t.Errorf("after a failure:\n%s", dump)
	}
	if _, effects = uitest.Press(env, d, "Enter"); effects[len(effects)-1].(ui.Start).Before == nil {
		t.Errorf("asked for again: %+v", effects)
	}
}

func TestSeveral(t *testing.T) {
	env := world(80, 20)
	d, effects := uitest.Press(env, New(env, "/repo", "", "demo"), "BTab", "x", "Enter")
	if dump := uitest.Picture(env, d).Dump(); len(effects) > 0 || !strings.Contains(dump, "a number from 1 to 50") {
		t.Errorf("how many: x: %v\n%s", effects, dump)
	}
	_, effects = uitest.Press(env, d, "BSpace", "3", "Enter")
	if start, ok := effects[len(effects)-1].(ui.Start); !ok || start.Count != 3 || effects[0] != (ui.Close{}) {
		t.Errorf("how many: 3: %v", effects)
	}
}

// TestFollows: agents that the daemon tells later are offered, and a choice stays.
func TestFollows(t *testing.T) {
	env := world(80, 20)
	d, _ := uitest.Press(env, New(env, "/repo", "", "demo"), "Right")
	env.Agents = append([]api.AgentInfo{{Name: "codex", Path: "/bin/codex"}}, env.Agents...)
	d, _ = uitest.Refresh(env, d, nil)
	if dump := uitest.Picture(env, d).Dump(); !strings.Contains(dump, "codex claude ‹demo›") {
		t.Errorf("it offers:\n%s", dump)
	}
}
