package newsession

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
)

// world is a screen where two agents and two directories are known.
func world(cols, rows int) ui.Env {
	env := uitest.Env(cols, rows)
	env.Agents = []api.AgentInfo{{Name: "claude", Path: "/bin/claude", Default: true, Models: []string{"opus", "sonnet"}}, {Name: "demo", Path: "/bin/demo"}}
	env.Dirs = []api.Directory{{Name: "site", Path: "/srv/site"}, {Path: "/repo/project"}}
	return env
}

// TestStart: the dialog asks for what was written, waits, and says why it was not
// started; the same asked for again is told apart by Before.
func TestStart(t *testing.T) {
	env := world(80, 20)
	d, _ := uitest.Press(env, New(env, "/repo", Draft{}, "demo"), "Right", "Tab", "Down", "Tab", "b", "o", "t", "Tab", "h", "i")
	uitest.Everywhere(t, env, d, "new")
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
	d, effects := uitest.Press(env, New(env, "/repo", Draft{}, "demo"), "BTab", "x", "Enter")
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
	d, _ := uitest.Press(env, New(env, "/repo", Draft{}, "demo"), "Right")
	env.Agents = append([]api.AgentInfo{{Name: "codex", Path: "/bin/codex"}}, env.Agents...)
	d, _ = uitest.Refresh(env, d, nil)
	if dump := uitest.Picture(env, d).Dump(); !strings.Contains(dump, "codex claude ‹demo›") {
		t.Errorf("it offers:\n%s", dump)
	}
}

// TestAccounts: there is a field for the account where an agent has several, and agents without have nothing to choose
// there.
func TestAccounts(t *testing.T) {
	env := world(80, 24)
	if dump := uitest.Picture(env, New(env, "/repo", Draft{}, "demo")).Dump(); strings.Contains(dump, "Account") {
		t.Errorf("there is one without accounts:\n%s", dump)
	}
	env.Agents[0].Accounts = []string{api.AccountDefault, "spare", "work"}
	d, _ := uitest.Press(env, New(env, "/repo", Draft{}, "demo"), "Tab", "Tab", "Tab", "Tab", "Tab", "Tab", "Tab", "Down", "Down")
	uitest.Golden(t, env, d, "accounts")
	_, effects := uitest.Press(env, d, "Enter")
	if start, ok := effects[len(effects)-1].(ui.Start); !ok || start.Session.Account != "spare" || start.Session.Agent != "claude" {
		t.Errorf("it asks for %+v", effects)
	}
	d, _ = uitest.Press(env, New(env, "/repo", Draft{}, "demo"), "Right", "Tab", "Tab", "Tab", "Tab", "Tab", "Tab", "x")
	_, effects = uitest.Press(env, d, "Enter")
	if start, ok := effects[len(effects)-1].(ui.Start); !ok || start.Session.Account != "" || start.Session.Role != "x" {
		t.Errorf("of an agent without accounts: %+v", effects)
	}
}

// TestModelAndRole: both are offered and can be typed; an agent without models has no such
// field.
func TestModelAndRole(t *testing.T) {
	env := world(80, 24)
	env.Sessions = []api.Session{{ID: "a", Agent: "claude", Role: "reviewer", Created: uitest.Epoch}}
	d, _ := uitest.Press(env, New(env, "/repo", Draft{}, "demo"), "Tab", "Tab", "Tab", "Tab", ".", "Tab", "Tab", "Down", "Down")
	for _, size := range [][2]int{{40, 10}, {80, 24}, {120, 36}, {200, 60}} {
		uitest.Golden(t, world(size[0], size[1]), d, fmt.Sprintf("model-%dx%d", size[0], size[1]))
	}
	d, _ = uitest.Press(env, d, "Tab", "Down", "Down", "Down")
	_, effects := uitest.Press(env, d, "Enter")
	if n := effects[len(effects)-1].(ui.Start).Session; n.Model != "sonnet" || n.Role != "reviewer" || n.Worktree != "." || n.Agent != "claude" {
		t.Errorf("it asks for %+v", n)
	}
	d, _ = uitest.Press(env, New(env, "/repo", Draft{}, "demo"), "Right", "BTab", "BTab", "BTab", "BTab", "BTab", "BTab", "x")
	if dump := uitest.Picture(env, d).Dump(); !strings.Contains(dump, "Prompt    x") || !strings.Contains(dump, "Model     -") {
		t.Errorf("an agent without models:\n%s", dump)
	}
}

// TestWalls: profiles are offered and can be typed; the dialog says whose they are.
func TestWalls(t *testing.T) {
	env := world(80, 24)
	env.Walls = []string{"mine", "worktree", "read-only", "offline", "none"}
	d, _ := uitest.Press(env, New(env, "/repo", Draft{}, "demo"), "BTab", "BTab", "Down", "Down")
	uitest.Everywhere(t, env, d, "walls")
	_, effects := uitest.Press(env, d, "Enter")
	if n := effects[len(effects)-1].(ui.Start).Session; n.Sandbox != "worktree" || n.Role != "" {
		t.Errorf("it asks for %+v", n)
	}
	d, _ = uitest.Press(env, New(env, "/repo", Draft{}, "demo"), "BTab", "BTab", "n", "o", "n", "e")
	_, effects = uitest.Press(env, d, "Enter")
	if n := effects[len(effects)-1].(ui.Start).Session; n.Sandbox != "none" {
		t.Errorf("it asks for %+v", n)
	}
}

// TestLastUsed: agent and model are those of the session that a person started last; its
// role is not.
func TestLastUsed(t *testing.T) {
	env := world(80, 24)
	at := uitest.Epoch
	env.Sessions = []api.Session{
		{ID: "a", Agent: "claude", Created: at}, {ID: "b", Agent: "demo", Created: at.Add(time.Minute), Parent: "a"},
		{ID: "c", Agent: "claude", ChosenModel: "opus", Model: "opus-5", Role: api.RoleLead, Created: at.Add(time.Second)},
		{ID: "d", Agent: "command", Plain: api.PlainCommand, Created: at.Add(time.Hour)},
	}
	_, effects := uitest.Press(env, New(env, "/repo", Draft{}, "demo"), "Enter")
	if n := effects[len(effects)-1].(ui.Start).Session; n.Agent != "claude" || n.Model != "opus" || n.Role != "" {
		t.Errorf("it proposes %+v", n)
	}
	env.Sessions[2].Agent, env.Sessions[2].ChosenModel = "demo", ""
	_, effects = uitest.Press(env, New(env, "/repo", Draft{}, "demo"), "Enter")
	if n := effects[len(effects)-1].(ui.Start).Session; n.Agent != "demo" || n.Model != "" {
		t.Errorf("it proposes %+v", n)
	}
}

// TestCompletion: Tab completes what was typed as a shell does; then it goes on.
func TestCompletion(t *testing.T) {
	home := t.TempDir()
	for _, dir := range []string{"src/api-one", "src/api-two", "src/.hidden", "src/web", "only"} {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.WriteFile(filepath.Join(home, "src/apifile"), nil, 0o644), os.Symlink("web", filepath.Join(home, "src/wlink"))); err != nil {
		t.Fatal(err)
	}
	env := world(80, 24)
	env.Home = home
	for _, tt := range []struct{ typed, want, shows string }{
		{"~/src/a", "~/src/api-", "api-one/   api-two/"},
		{"~/o", "~/only/", ""},
		{"~", "~/", "only/   src/"},
		{"sr", "src/", ""},
		{"~/src/", "~/src/", "api-one/   api-two/   web/   wlink/"},
		{"~/src/.", "~/src/.hidden/", ""},
		{home + "/src/w", home + "/src/w", "web/   wlink/"},
		{"~/none", "~/none", "no directory there begins with none"},
		{"~/gone/x", "~/gone/x", "the directory cannot be read: no such file or directory"},
	} {
		d, _ := uitest.Press(env, New(env, home, Draft{}, "demo"), "Tab", "C-u")
		d = d.(ui.Paster).Paste(env, tt.typed)
		d, effects := uitest.Press(env, d, "Tab")
		d, _ = uitest.Answer(env, d, nil, effects)
		if got := d.(dialog).fields[fieldDir].String(); got != tt.want {
			t.Errorf("%q became %q, want %q", tt.typed, got, tt.want)
		}
		if dump := uitest.Picture(env, d).Dump(); !strings.Contains(dump, tt.shows) {
			t.Errorf("%q shows\n%s", tt.typed, dump)
		}
		d, effects = uitest.Press(env, d, "Tab")
		if len(effects) > 0 || d.(dialog).at != fieldName {
			t.Errorf("%q: the second Tab does not go on: %v", tt.typed, effects)
		}
	}
}

// TestCompletionOfMany: names for which there is no room are counted, and an answer about
// another text is dropped.
func TestCompletionOfMany(t *testing.T) {
	dir := t.TempDir()
	for i := range 30 {
		if err := os.Mkdir(filepath.Join(dir, fmt.Sprintf("some-long-name-%02d", i)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	env := world(60, 16)
	d, _ := uitest.Press(env, New(env, dir, Draft{}, "demo"), "Tab", "C-u", "s")
	d, effects := uitest.Press(env, d, "Tab")
	late, _ := uitest.Press(env, d, "x")
	d, _ = uitest.Answer(env, d, nil, effects)
	if dump := uitest.Picture(env, d).Dump(); !strings.Contains(dump, "… 30 directories: type more of the name") {
		t.Errorf("it shows\n%s", dump)
	}
	if dump := uitest.Picture(world(40, 10), d).Dump(); !strings.Contains(dump, "… 30 directories") {
		t.Errorf("a small screen shows\n%s", dump)
	}
	late, _ = uitest.Answer(env, late, nil, effects)
	if got := late.(dialog).fields[fieldDir].String(); got != "sx" {
		t.Errorf("a late answer made %q of it", got)
	}
}
