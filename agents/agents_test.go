package agents

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestCleanEnv(t *testing.T) {
	got := CleanEnv([]string{
		"PATH=/bin", "HOME=/h", "TMUX=x", "TMUX_PANE=%1", "CLAUDECODE=1", "CLAUDE_PID=4", "AI_AGENT=x",
		"CLAUDE_CODE_ENTRYPOINT=cli", "CLAUDE_CODE_SESSION_ID=x", "CLAUDE_CODE_MESSAGING_TOKEN=x", "CLAUDE_CODE_SOMETHING_NEW=1",
		"CLAUDE_CODE_USE_BEDROCK=1", "CLAUDE_CODE_OAUTH_TOKEN=t", "CLAUDE_CODE_MAX_OUTPUT_TOKENS=9", "CLAUDE_CODE_EXPERIMENTAL_CODE_MODE=1",
		"CLAUDE_CONFIG_DIR=/c", "ANTHROPIC_API_KEY=k", "CCDIR_SESSION=s", "CCDIR_TOKEN=t", "CCDIR_HOME=/cc",
		"GIT_EDITOR=true", "COLUMNS=80", "TERM_PROGRAM=iTerm.app", "A=1", "A=2", "B=", "nonsense", "=x", "N=a\x00b",
	})
	want := []string{"PATH=/bin", "HOME=/h", "CLAUDE_CODE_USE_BEDROCK=1", "CLAUDE_CODE_OAUTH_TOKEN=t",
		"CLAUDE_CODE_MAX_OUTPUT_TOKENS=9", "CLAUDE_CODE_EXPERIMENTAL_CODE_MODE=1", "CLAUDE_CONFIG_DIR=/c", "ANTHROPIC_API_KEY=k", "CCDIR_HOME=/cc", "A=2", "B="}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := CleanEnv([]string{"CODEX_THREAD_ID=x", "CODEX_HOME=/h", "CODEX_SANDBOX=x", "GIT_PAGER=cat"}); !slices.Equal(got, []string{"CODEX_HOME=/h"}) {
		t.Errorf("inside Codex %q", got)
	}
	if got := CleanEnv([]string{"GIT_EDITOR=true"}); len(got) != 1 {
		t.Error("a person's own GIT_EDITOR was dropped")
	}
}

// TestCleanEnvOfAHook: a hook of git calls us with the repository that it concerns, and a new
// session may be for another one. What a person has set for git stays.
func TestCleanEnvOfAHook(t *testing.T) {
	out, err := exec.Command("git", "rev-parse", "--local-env-vars").Output()
	if err != nil {
		t.Fatal(err)
	}
	var env []string
	for _, name := range strings.Fields(string(out)) {
		env = append(env, name+"=x")
	}
	env = append(env, "GIT_CONFIG_KEY_0=core.bare", "GIT_CONFIG_VALUE_0=true", "GIT_QUARANTINE_PATH=/x")
	persons := []string{"GIT_AUTHOR_NAME=a", "GIT_COMMITTER_EMAIL=b", "GIT_SSH_COMMAND=ssh -v", "GIT_CONFIG_GLOBAL=/g", "GIT_EDITOR=vi", "GIT_TRACE=0"}
	if got := CleanEnv(append(env, persons...)); !slices.Equal(got, persons) {
		t.Errorf("%q, want %q", got, persons)
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
