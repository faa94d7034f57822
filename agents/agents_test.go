package agents

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ccdir/config"
)

func TestLookup(t *testing.T) {
	for _, kind := range config.Kinds {
		a, ok := Lookup(kind)
		if !ok || a.Kind() != kind {
			t.Errorf("%s gives %v", kind, a)
		}
	}
	if a, ok := Lookup(""); !ok || a.Kind() != KindGeneric {
		t.Errorf("no kind gives %v", a)
	}
	if _, ok := Lookup("nonesuch"); ok {
		t.Error("an unknown kind was found")
	}
}

func TestManaged(t *testing.T) {
	for kind, want := range map[string]bool{KindClaude: true, KindDemo: true, KindShell: false, KindGeneric: false} {
		if a, _ := Lookup(kind); a.Managed() != want {
			t.Errorf("%s is managed: %v", kind, !want)
		}
	}
}

func TestCleanEnv(t *testing.T) {
	got := CleanEnv([]string{
		"PATH=/bin", "HOME=/h", "TMUX=x", "TMUX_PANE=%1", "CLAUDECODE=1", "CLAUDE_PID=4", "AI_AGENT=x",
		"CLAUDE_CODE_ENTRYPOINT=cli", "CLAUDE_CODE_SESSION_ID=x", "CLAUDE_CODE_MESSAGING_TOKEN=x", "CLAUDE_CODE_SOMETHING_NEW=1",
		"CLAUDE_CODE_USE_BEDROCK=1", "CLAUDE_CODE_OAUTH_TOKEN=t", "CLAUDE_CODE_MAX_OUTPUT_TOKENS=9",
		"CLAUDE_CONFIG_DIR=/c", "ANTHROPIC_API_KEY=k", "CCDIR_SESSION=s", "CCDIR_TOKEN=t", "CCDIR_HOME=/cc",
		"GIT_EDITOR=true", "COLUMNS=80", "TERM_PROGRAM=iTerm.app", "A=1", "A=2", "B=", "nonsense", "=x", "N=a\x00b",
	})
	want := []string{"PATH=/bin", "HOME=/h", "CLAUDE_CODE_USE_BEDROCK=1", "CLAUDE_CODE_OAUTH_TOKEN=t",
		"CLAUDE_CODE_MAX_OUTPUT_TOKENS=9", "CLAUDE_CONFIG_DIR=/c", "ANTHROPIC_API_KEY=k", "CCDIR_HOME=/cc", "A=2", "B="}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := CleanEnv([]string{"GIT_EDITOR=true"}); len(got) != 1 {
		t.Error("a person's own GIT_EDITOR was dropped")
	}
}

func TestTerminalEnv(t *testing.T) {
	tests := []struct{ in, want []string }{
		{[]string{"TERM=dumb", "LANG=de_DE.UTF-8"}, []string{"LANG=de_DE.UTF-8"}},
		{nil, []string{"LANG=" + defaultLocale}},
		{[]string{"LANG=C"}, []string{"LANG=" + defaultLocale}},
		{[]string{"LC_ALL=POSIX", "LANG=de_DE.utf8"}, []string{"LANG=de_DE.utf8", "LC_ALL=" + defaultLocale}},
		{[]string{"LC_ALL=", "LC_CTYPE=en_GB.UTF-8", "LANG=C"}, []string{"LC_ALL=", "LC_CTYPE=en_GB.UTF-8", "LANG=C"}},
	}
	for _, tt := range tests {
		got := TerminalEnv(tt.in, "9")
		if Getenv(got, "TERM") != "xterm-256color" || Getenv(got, "COLORTERM") != "truecolor" ||
			Getenv(got, "TERM_PROGRAM") != "ccdir" || Getenv(got, "TERM_PROGRAM_VERSION") != "9" {
			t.Errorf("%q became %q", tt.in, got)
		}
		for _, kv := range tt.want {
			if !slices.Contains(got, kv) {
				t.Errorf("%q became %q, without %s", tt.in, got, kv)
			}
		}
	}
}

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                "plain",
		"a\nb\r\nc\rd":         "a⏎b⏎c⏎d",
		"\x1b[31mred\x07\x00":  "␛[31mred␇␀",
		"tab\there":            "tab here",
		"del\x7f":              "del␡",
		"c1\u009b31m":          "c1<U+009B>31m",
		"bidi\u202etxt\u2066x": "bidi<U+202E>txt<U+2066>x",
		"bad\xff\xc3":          "bad\ufffd\ufffd",
		"日本 é 👩\u200d💻":        "日本 é 👩\u200d💻",
		"line\u2028sep\ufeff":  "line<U+2028>sep<U+FEFF>",
	} {
		if got := Visible(in, 100); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
	if got := Visible("abcdef", 4); got != "abc…" {
		t.Errorf("cut to %q", got)
	}
	if got := Visible("abcd", 4); got != "abcd" {
		t.Errorf("cut to %q", got)
	}
	if got := Visible(strings.Repeat("日", 1<<20), 4); got != "日日日…" {
		t.Errorf("cut to %q", got)
	}
}

func TestPromptText(t *testing.T) {
	for in, want := range map[string]string{
		"a\r\nb\rc\nd": "a\nb\nc\nd",
		"tab\tstays":   "tab\tstays",
		"x\x1b[201~y":  "x[201~y",
		"日本\u0085語 👍":  "日本語 👍",
		"":             "",
	} {
		if got := PromptText(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

func TestParseVersion(t *testing.T) {
	for in, want := range map[string]Version{
		"2.1.329 (Claude Code)": {2, 1, 329}, "v1.0.61": {1, 0, 61}, "codex 0.169.0": {0, 169, 0},
		"2.1.300-beta.1": {2, 1, 300},
	} {
		if got, ok := ParseVersion(in); !ok || got != want {
			t.Errorf("%q is %v, %v", in, got, ok)
		}
	}
	for _, in := range []string{"", "none", "1.2", "a.b.c", "-1.2.3"} {
		if got, ok := ParseVersion(in); ok {
			t.Errorf("%q is %v", in, got)
		}
	}
	if !(Version{2, 1, 138}).Before(Version{2, 1, 139}) || (Version{2, 2, 0}).Before(Version{2, 1, 139}) || (Version{1, 0, 0}).Before(Version{1, 0, 0}) {
		t.Error("the order of versions")
	}
}

// script writes an executable shell script.
func script(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}

func TestVersionsAreRemembered(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "agent")
	script(t, path, `echo x >> "`+dir+`/runs"; echo "1.2.3 (Agent)"`)
	var vs Versions
	for range 3 {
		if got := vs.Of(context.Background(), path, os.Environ()); got != "1.2.3 (Agent)" {
			t.Fatalf("version %q", got)
		}
	}
	if runs, _ := os.ReadFile(filepath.Join(dir, "runs")); string(runs) != "x\n" {
		t.Errorf("ran %q", runs)
	}
	script(t, path, "echo 1.2.4567; exit 0")
	if got := vs.Of(context.Background(), path, os.Environ()); got != "1.2.4567" {
		t.Errorf("after the update %q", got)
	}
	script(t, path, "echo 9.9.9; exit 1 # fails")
	if got := vs.Of(context.Background(), path, os.Environ()); got != "" {
		t.Errorf("of a failure %q", got)
	}
	if got := vs.Of(context.Background(), filepath.Join(dir, "none"), nil); got != "" {
		t.Errorf("of nothing %q", got)
	}
}

func TestFindExecutable(t *testing.T) {
	dir := t.TempDir()
	bin := filepath.Join(dir, "bin")
	if err := os.MkdirAll(filepath.Join(bin, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	script(t, filepath.Join(bin, "tool"), "true")
	if err := os.WriteFile(filepath.Join(bin, "data"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	env := []string{"PATH=/nonexistent:" + bin}
	for command, want := range map[string]string{
		"tool": filepath.Join(bin, "tool"), "./bin/tool": filepath.Join(bin, "tool"), filepath.Join(bin, "tool"): filepath.Join(bin, "tool"),
	} {
		if got, err := FindExecutable(command, dir, env); err != nil || got != want {
			t.Errorf("%s is %q, %v", command, got, err)
		}
	}
	for command, want := range map[string]string{
		"none": "not in PATH", "data": "permission denied", "./bin/none": "no such file", "bin/folder": "is a directory", "": "no command",
	} {
		if got, err := FindExecutable(command, dir, env); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s is %q, %v", command, got, err)
		}
	}
}

func TestPreparePlain(t *testing.T) {
	l, err := Generic{}.Prepare(Start{Command: "/bin/cat", Args: []string{"-u"}, Env: []string{"A=1"}})
	if err != nil || !slices.Equal(l.Argv, []string{"/bin/cat", "-u"}) || !slices.Equal(l.Env, []string{"A=1"}) {
		t.Errorf("%+v, %v", l, err)
	}
	if l, err := (Shell{}).Prepare(Start{Env: []string{"SHELL=/bin/zsh"}}); err != nil || l.Argv[0] != "/bin/zsh" {
		t.Errorf("%+v, %v", l, err)
	}
	if l, err := (Shell{}).Prepare(Start{}); err != nil || l.Argv[0] != "/bin/sh" {
		t.Errorf("%+v, %v", l, err)
	}
	if _, err := (Generic{}).Prepare(Start{}); err == nil {
		t.Error("no command was accepted")
	}
	if _, err := (Generic{}).Prepare(Start{Command: "x", Resume: "y"}); err == nil {
		t.Error("a conversation was resumed")
	}
}

// prepared runs Claude.Prepare in a new directory.
func prepared(t *testing.T, s Start) (Launch, map[string]any) {
	t.Helper()
	s.Dir, s.Command = t.TempDir(), "/opt/claude"
	if s.Shim == "" {
		s.Shim = "/opt/ccdir-shim"
	}
	l, err := Claude{}.Prepare(s)
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
	l, settings := prepared(t, Start{Version: "2.1.329 (Claude Code)", Args: []string{"--model", "x"}})
	if len(l.Conversation) != 36 || !slices.Equal(l.Argv[:3], []string{"/opt/claude", "--model", "x"}) ||
		!slices.Equal(l.Argv[len(l.Argv)-2:], []string{"--session-id", l.Conversation}) {
		t.Errorf("%+v", l)
	}
	if settings["disableAllHooks"] != false {
		t.Error("disableAllHooks is not switched off")
	}
	for hook, timeout := range map[string]float64{"PermissionRequest": 86400, "SessionEnd": 10, "Stop": 5, "PreToolUse": 5} {
		c := command(t, settings, hook, 0)
		if c["command"] != "/opt/ccdir-shim" || c["timeout"] != timeout || c["type"] != "command" {
			t.Errorf("%s runs %v", hook, c)
		}
		if a := c["args"].([]any); a[0] != "hook" || a[1] != hook {
			t.Errorf("%s has arguments %v", hook, a)
		}
	}
	for _, hook := range []string{"MessageDisplay", "PostToolBatch", "WorktreeCreate", "FileChanged"} {
		if _, ok := settings["hooks"].(map[string]any)[hook]; ok {
			t.Errorf("%s is subscribed to", hook)
		}
	}
}

func TestPrepareClaudeByVersion(t *testing.T) {
	const shim = "/opt/it's here/ccdir-shim"
	for version, want := range map[string]struct{ args, denied, permission bool }{
		"2.1.329": {true, true, true}, "2.1.139": {true, true, true}, "2.1.138": {false, true, true},
		"2.1.88": {false, false, true}, "2.0.44": {false, false, false}, "": {false, true, true},
	} {
		_, settings := prepared(t, Start{Version: version, Shim: shim})
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

func TestPrepareClaudeConversation(t *testing.T) {
	l, _ := prepared(t, Start{Resume: "abc"})
	if l.Conversation != "abc" || !slices.Equal(l.Argv[len(l.Argv)-2:], []string{"--resume", "abc"}) {
		t.Errorf("%+v", l)
	}
	for _, own := range [][]string{{"--continue"}, {"-r", "x"}, {"--session-id=x"}} {
		if l, _ := prepared(t, Start{Args: own}); l.Conversation != "" || slices.Contains(l.Argv, "--session-id") {
			t.Errorf("%v: %+v", own, l)
		}
	}
}

func TestPrepareClaudeMergesSettings(t *testing.T) {
	dir := t.TempDir()
	const own = `{"model":"m","disableAllHooks":true,"hooks":{"Stop":[{"hooks":[{"type":"command","command":"mine"}]}],"FileChanged":[]}}`
	if err := os.WriteFile(filepath.Join(dir, "own.json"), []byte(own), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"--settings", own}, {"--settings=own.json", "--verbose"}} {
		l, settings := prepared(t, Start{Args: args, CWD: dir, Version: "2.1.329"})
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
		if _, err := (Claude{}).Prepare(Start{Command: "/c", Dir: dir, Shim: "/s", CWD: dir, Args: []string{"--settings", bad}}); err == nil {
			t.Errorf("--settings %s was accepted", bad)
		}
	}
}

func TestPrepareClaudeRefuses(t *testing.T) {
	good := Start{Command: "/c", Dir: t.TempDir(), Shim: "/s"}
	for name, change := range map[string]func(*Start){
		"no command":      func(s *Start) { s.Command = "" },
		"a relative shim": func(s *Start) { s.Shim = "ccdir-shim" },
		"an old version":  func(s *Start) { s.Version = "1.0.60" },
		"no directory":    func(s *Start) { s.Dir = filepath.Join(s.Dir, "none") },
	} {
		s := good
		change(&s)
		if _, err := (Claude{}).Prepare(s); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPrepareDemo(t *testing.T) {
	l, err := Demo{}.Prepare(Start{Shim: "/s", Args: []string{"--scene", "build"}})
	if err != nil || !slices.Equal(l.Argv[:4], []string{"/s", "demo-agent", "--scene", "build"}) || len(l.Conversation) != 36 {
		t.Errorf("%+v, %v", l, err)
	}
	if _, err := (Demo{}).Prepare(Start{}); err == nil {
		t.Error("no shim was accepted")
	}
}
