package config

import (
	"strings"
	"testing"
)

func TestSet(t *testing.T) {
	const text = "# mine\nmax_sessions = 10 # enough\n\n[keys]\nnew = \"n\" # as ever\n"
	for _, tc := range []struct{ key, value, want string }{
		{"max_sessions", "20", "# mine\nmax_sessions = 20 # enough\n"},
		{"keys.prefix", "C-a", "[keys]\nnew = \"n\" # as ever\nprefix = \"C-a\"\n"},
		{"kill_grace", "5s", "max_sessions = 10 # enough\nkill_grace = \"5s\"\n"},
		{"mouse", "false", "\nmouse = false\n"},
		{"theme.base", "light", "\n[theme]\nbase = \"light\"\n"},
		{"theme", "nord", "# enough\ntheme = \"nord\"\n"},
		{"keys.new", `["n", "F5"]`, `new = ["n", "F5"] # as ever`},
		{"agents.claude.command", "/opt/claude", "\n[agents.claude]\ncommand = \"/opt/claude\"\n"},
	} {
		got, err := Set(text, "f", "/home/me", tc.key, tc.value)
		if err != nil || !strings.Contains(got, tc.want) || !strings.HasPrefix(got, "# mine\n") {
			t.Errorf("%s = %s: %v\n%s", tc.key, tc.value, err, got)
		}
	}
	got, err := Set("theme = \"nord\"\n", "f", "/home/me", "theme", "light")
	if err != nil || got != "theme = \"light\"\n" {
		t.Errorf("another theme: %v\n%s", err, got)
	}
	got, err = Set("[theme]\naccent = \"red\" # mine\n", "f", "/home/me", "theme", "nord")
	if err != nil || got != "[theme]\naccent = \"red\" # mine\nbase = \"nord\"\n" {
		t.Errorf("a theme beside colours: %v\n%s", err, got)
	}
	for _, tc := range []struct{ text, key, value, want string }{
		{text, "max_session", "20", "did you mean"},
		{text, "max_sessions", "many", "max_sessions: "},
		{text, "max_sessions", "0", "max_sessions: "},
		{text, "keys.nonsense", "x", "keys.nonsense: "},
		{text, "default_agent", "nobody", "no agent is called"},
		{"= 5\n", "max_sessions", "20", "f:1"},
	} {
		if got, err := Set(tc.text, "f", "/home/me", tc.key, tc.value); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s = %s: %q, %v", tc.key, tc.value, got, err)
		}
	}
}

// TestTemplate: a new file loads, changes nothing, and each line is right without its mark.
func TestTemplate(t *testing.T) {
	text := Template()
	if l := Parse([]byte(text), "f", "/home/me"); len(l.Problems) > 0 {
		t.Error(l.Problems)
	}
	var lines []string
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, "# "); ok && (strings.HasPrefix(rest, "[") || strings.Contains(rest, " = ") && !strings.Contains(strings.Split(rest, " = ")[0], " ")) {
			lines = append(lines, rest)
		}
	}
	l := Parse([]byte(strings.Join(lines, "")), "f", "/home/me")
	if len(l.Problems) > 0 || len(lines) < len(keys) {
		t.Errorf("%d lines, %v\n%s", len(lines), l.Problems, strings.Join(lines, ""))
	}
	if got, err := Set(text, "f", "/home/me", "max_sessions", "7"); err != nil || !strings.Contains(got, "\nmax_sessions = 7\n") || !strings.Contains(got, "# max_sessions = ") {
		t.Errorf("%v\n%s", err, got)
	}
}
