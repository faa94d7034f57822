package claude

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ccdir/agents"
	"ccdir/api"
)

// prepared runs Claude.Prepare in a new directory.
func prepared(t *testing.T, s agents.Start) (agents.Launch, map[string]any) {
	t.Helper()
	s.Dir, s.Command = t.TempDir(), "/opt/claude"
	if s.Shim == "" {
		s.Shim = "/opt/ccdir-shim"
	}
	l, err := Adapter{}.Prepare(s)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(s.Dir, "agent.json")
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("settings: %v, %v", info, err)
	}
	data, _ := os.ReadFile(path)
	var settings map[string]any
	if err := json.Unmarshal(data, &settings); err != nil {
		t.Fatal(err)
	}
	if i := slices.Index(l.Argv, "--settings"); i < 0 || l.Argv[i+1] != path || slices.Index(l.Argv[i+1:], "--settings") >= 0 {
		t.Errorf("arguments %q", l.Argv)
	}
	return l, settings
}

// command is the first command of a hook in settings.
func command(t *testing.T, settings map[string]any, hook string, entry int) map[string]any {
	t.Helper()
	entries, _ := settings["hooks"].(map[string]any)[hook].([]any)
	if len(entries) <= entry {
		t.Fatalf("%s has %d entries", hook, len(entries))
	}
	return entries[entry].(map[string]any)["hooks"].([]any)[0].(map[string]any)
}

func TestPrepareClaude(t *testing.T) {
	l, settings := prepared(t, agents.Start{Version: "2.1.329 (Claude Code)", Args: []string{"--model", "x"}})
	if len(l.Conversation) != 36 || !slices.Equal(l.Argv[:3], []string{"/opt/claude", "--model", "x"}) ||
		!slices.Equal(l.Argv[len(l.Argv)-2:], []string{"--session-id", l.Conversation}) {
		t.Errorf("%+v", l)
	}
	if settings["disableAllHooks"] != false {
		t.Error("disableAllHooks is not switched off")
	}
	for hook, timeout := range map[string]float64{"PermissionRequest": 86400, "SessionEnd": 10, "Stop": 5} {
		c := command(t, settings, hook, 0)
		if c["command"] != "/opt/ccdir-shim" || c["timeout"] != timeout || c["type"] != "command" {
			t.Errorf("%s runs %v", hook, c)
		}
		if a := c["args"].([]any); a[0] != "hook" || a[1] != hook {
			t.Errorf("%s has arguments %v", hook, a)
		}
	}
	for hook, want := range map[string][]any{"Stop": nil, "PermissionRequest": {"--hold", "--timeout=86400"}, "SessionEnd": {"--timeout=10"}} {
		c := command(t, settings, hook, 0)
		if a := c["args"].([]any)[2:]; !slices.Equal(a, want) || c["onFailure"] != nil {
			t.Errorf("%s runs %v", hook, c)
		}
	}
	for _, hook := range []string{"MessageDisplay", "PostToolBatch", "WorktreeCreate", "FileChanged"} {
		if _, ok := settings["hooks"].(map[string]any)[hook]; ok {
			t.Errorf("%s is subscribed to", hook)
		}
	}
}

// TestGate: the hook that decides runs in the shell of its gate, which the agent gives more time than
// the gate takes; a version that knows onFailure has that too.
func TestGate(t *testing.T) {
	for version, block := range map[string]any{"2.1.329": "block", "2.1.300": "block", "2.1.294": nil, "2.1.88": nil, "": nil} {
		_, settings := prepared(t, agents.Start{Version: version})
		c := command(t, settings, "PreToolUse", 0)
		gate := agents.Gate{Shim: "/opt/ccdir-shim", Hook: "PreToolUse", Form: api.GateOutput, Limit: agents.GateLimit}
		if c["command"] != gate.Command() || c["timeout"] != gate.Timeout().Seconds() || c["args"] != nil || c["onFailure"] != block {
			t.Errorf("%s: %v", version, c)
		}
	}
}

// TestBare: with --bare the CLI runs no hooks, so that no policy holds.
func TestBare(t *testing.T) {
	for args, want := range map[string]bool{"--bare": true, "--verbose --bare": true, "--verbose": false, "-- --bare": false, "": false} {
		if l, _ := prepared(t, agents.Start{Version: "2.1.329", Args: strings.Fields(args)}); (l.Unguarded != "") != want {
			t.Errorf("%s: %q", args, l.Unguarded)
		}
	}
}

func TestPrepareByVersion(t *testing.T) {
	const shim = "/opt/it's here/ccdir-shim"
	for version, want := range map[string]struct{ args, denied, permission bool }{
		"2.1.329": {true, true, true}, "2.1.139": {true, true, true}, "2.1.138": {false, true, true},
		"2.1.88": {false, false, true}, "2.0.44": {false, false, false}, "": {false, true, true},
	} {
		_, settings := prepared(t, agents.Start{Version: version, Shim: shim})
		c := command(t, settings, "Stop", 0)
		if _, args := c["args"]; args != want.args {
			t.Errorf("%s runs %v", version, c)
		}
		if !want.args {
			out, err := exec.Command("/bin/sh", "-c", "printf '%s|' "+c["command"].(string)).Output()
			if err != nil || string(out) != shim+"|hook|Stop|" {
				t.Errorf("%s: the shell reads %q, %v", version, out, err)
			}
		}
		hooks := settings["hooks"].(map[string]any)
		if _, ok := hooks["PermissionDenied"]; ok != want.denied {
			t.Errorf("%s: PermissionDenied %v", version, ok)
		}
		if _, ok := hooks["PermissionRequest"]; ok != want.permission {
			t.Errorf("%s: PermissionRequest %v", version, ok)
		}
	}
}

func TestPrepareConversation(t *testing.T) {
	l, _ := prepared(t, agents.Start{Resume: "abc"})
	if l.Conversation != "abc" || !slices.Equal(l.Argv[len(l.Argv)-2:], []string{"--resume", "abc"}) {
		t.Errorf("%+v", l)
	}
	for _, own := range [][]string{{"--continue"}, {"-r", "x"}, {"--session-id=x"}} {
		if l, _ := prepared(t, agents.Start{Args: own}); l.Conversation != "" || slices.Contains(l.Argv, "--session-id") {
			t.Errorf("%v: %+v", own, l)
		}
	}
}

// TestPrepareModel: the chosen model wins over one of the configuration.
func TestPrepareModel(t *testing.T) {
	l, _ := prepared(t, agents.Start{Args: []string{"--model", "haiku"}, Model: "opus", Resume: "abc"})
	if line := strings.Join(l.Argv, " "); !strings.Contains(line, "--model haiku ") || !strings.HasSuffix(line, " --model opus --resume abc") {
		t.Error(line)
	}
}

func TestPrepareMergesSettings(t *testing.T) {
	dir := t.TempDir()
	const own = `{"model":"m","disableAllHooks":true,"hooks":{"Stop":[{"hooks":[{"type":"command","command":"mine"}]}],"FileChanged":[]}}`
	if err := os.WriteFile(filepath.Join(dir, "own.json"), []byte(own), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"--settings", own}, {"--settings=own.json", "--verbose"}} {
		l, settings := prepared(t, agents.Start{Args: args, CWD: dir, Version: "2.1.329"})
		if settings["model"] != "m" || settings["disableAllHooks"] != false {
			t.Errorf("settings %v", settings)
		}
		if command(t, settings, "Stop", 0)["command"] != "mine" || command(t, settings, "Stop", 1)["command"] != "/opt/ccdir-shim" {
			t.Error("the hooks of Stop are not merged")
		}
		if slices.Contains(args, "--verbose") != slices.Contains(l.Argv, "--verbose") {
			t.Errorf("arguments %q", l.Argv)
		}
	}
	for _, bad := range []string{"none.json", "{", "[]"} {
		if _, err := (Adapter{}).Prepare(agents.Start{Command: "/c", Dir: dir, Shim: "/s", CWD: dir, Args: []string{"--settings", bad}}); err == nil {
			t.Errorf("--settings %s was accepted", bad)
		}
	}
}

func TestPrepareRefuses(t *testing.T) {
	good := agents.Start{Command: "/c", Dir: t.TempDir(), Shim: "/s"}
	for name, change := range map[string]func(*agents.Start){
		"no command":      func(s *agents.Start) { s.Command = "" },
		"a relative shim": func(s *agents.Start) { s.Shim = "ccdir-shim" },
		"an old version":  func(s *agents.Start) { s.Version = "1.0.60" },
		"no directory":    func(s *agents.Start) { s.Dir = filepath.Join(s.Dir, "none") },
	} {
		s := good
		change(&s)
		if _, err := (Adapter{}).Prepare(s); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
