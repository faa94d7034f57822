package config

import (
	"slices"
	"testing"
)

const accountsFile = `
[accounts.work]
agent = "claude"
dir = "~/.claude-work"
repositories = ["~/src/shop", "~/src"]
[accounts.spare]
agent = "claude"
dir = "/spare"
repositories = ["~/src/shop"]
[accounts.api]
agent = "codex"
env = { CODEX_HOME = "/x" }
`

// TestAccounts: the innermost repository decides, and only accounts of the agent's kind count.
func TestAccounts(t *testing.T) {
	l := Parse([]byte(accountsFile), "f", "/home/u")
	if len(l.Problems) > 0 || l.Accounts["work"].Dir != "/home/u/.claude-work" {
		t.Fatal(l.Problems, l.Accounts)
	}
	for _, tt := range []struct {
		kind, dir string
		want      []string
	}{
		{"claude", "/home/u/src/shop/api", []string{"spare", "work"}},
		{"claude", "/home/u/src", []string{"work"}},
		{"claude", "/home/u/src2", nil},
		{"codex", "/home/u/src/shop", nil},
	} {
		if got := l.AccountsFor(tt.kind, tt.dir); !slices.Equal(got, tt.want) {
			t.Errorf("%s in %s: %v, want %v", tt.kind, tt.dir, got, tt.want)
		}
	}
	for text, want := range map[string]string{
		"[accounts.default]\nagent = 'claude'":                "f:1: accounts.default: an account's name is 1 to 32 lower-case letters, digits, - and _, and not \"default\"",
		"[accounts.x]\nagent = 'nobody'":                      "f:1: accounts.x: an account needs an agent: one of claude, codex, demo, gemini, opencode, shell",
		"[accounts.x]\nagent = 'claude'\ndir = 'here'":        "f:3: accounts.x.dir: expected an absolute path or one that begins with ~, found \"here\"",
		"[accounts.x]\nagent = 'claude'\nnonsense = 1":        "f:3: accounts.x.nonsense: unknown key; an account has agent, dir, env, repositories and roles",
		"[accounts.x]\nagent = 'claude'\nrepositories = 'no'": "",
	} {
		p := Parse([]byte(text), "f", "/home/u").Problems
		if len(p) != 1 || want != "" && p[0].String() != want {
			t.Errorf("%q: %v, want %q", text, p, want)
		}
	}
}
