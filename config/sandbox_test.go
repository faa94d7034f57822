package config

import (
	"strings"
	"testing"

	"ccdir/sandbox"
)

// TestSandbox: profiles are read; one with a mistake is in nobody's way to more than it says.
func TestSandbox(t *testing.T) {
	l := Parse([]byte("[sandbox]\ndefault = 'build'\nstrict = true\n[sandbox.build]\nbase = 'worktree'\nwrite = ['~/.cache/go-build']\nnetwork = 'loopback'\n"), "f", "/home/u")
	p, err := sandbox.Find("build", l.Sandbox.Profiles)
	if len(l.Problems) > 0 || err != nil || l.Sandbox.Default != "build" || !l.Sandbox.Strict || !p.Tree || p.Network != sandbox.NetworkLoopback || len(p.Write) != 1 {
		t.Errorf("%v, %v: %+v in %+v", l.Problems, err, p, l.Sandbox)
	}
	if l := Parse([]byte("sandbox = 'worktree'"), "f", "/"); l.Sandbox.Default != sandbox.Worktree || len(l.Problems) > 0 {
		t.Errorf("%+v, %v", l.Sandbox, l.Problems)
	}
	l = Parse([]byte("[sandbox]\ntasks = 'worktree'\n[sandbox.roles]\nreviewer = 'read-only'\nlead = 'none'\n"), "f", "/")
	if s := l.Sandbox; len(l.Problems) > 0 || s.Tasks != sandbox.Worktree || s.Roles["reviewer"] != sandbox.ReadOnly || s.Roles["lead"] != "none" {
		t.Errorf("%+v, %v", s, l.Problems)
	}
	if l := Parse([]byte("[sandbox.b]\nbase = 'offline'\n[sandbox.offline]\nhide = ['/x']"), "f", "/"); strings.Join(l.Sandbox.Names(), " ") != "b offline worktree read-only none" {
		t.Errorf("profiles: %q", l.Sandbox.Names())
	}
	for _, text := range []string{"[sandbox]\ntasks = 3", "[sandbox.roles]\ndev = 3", "[sandbox.roles]\ndev = ''"} { // nothing starts rather than without walls
		s := Parse([]byte(text), "f", "/").Sandbox
		if _, err := sandbox.Find(s.Tasks+s.Roles["dev"], nil); s.Tasks+s.Roles["dev"] == "" || err == nil {
			t.Errorf("%q: %+v", text, s)
		}
	}
	for text, want := range map[string]string{
		"[sandbox.a]\nbase = 'worktree'\nhide = 'x'":        "expected",
		"[sandbox.a]\nbase = 'worktree'\nhide = ['x']":      "neither absolute",
		"[sandbox.a]\nnetwork = 'none'":                     "has no base",
		"[sandbox.a]\nbase = 'worktree'\nnetwork = ['*']":   "is no host",
		"[sandbox.a]\nbase = 'worktree'\nnetwork = []":      "without a host",
		"[sandbox.a]\nbase = 'worktree'\nnetwork = 'hosts'": "the list of hosts itself",
		"[sandbox.a]\nbase = 'worktree'\nnetwork = 3":       "expected a",
		"[sandbox.worktree]\nhide = 3":                      "expected",
		"[sandbox.none]\nbase = 'worktree'":                 "no profile can have that name",
		"[sandbox]\ndefault = 'lost'":                       "no sandbox profile",
		"[sandbox]\ntasks = 'lost'":                         "no sandbox profile",
		"[sandbox.roles]\ndev = 'lost'":                     "no sandbox profile",
		"[sandbox.roles]\nDEV = 'worktree'":                 "no role can",
		"[sandbox.roles]\ndev = 3":                          "the name of a profile",
		"sandbox = 3":                                       "expected a table",
	} {
		l := Parse([]byte(text), "f", "/")
		if len(l.Problems) == 0 || !strings.Contains(l.Problems[0].Message, want) {
			t.Errorf("%q: %v, want %q", text, l.Problems, want)
		}
		for name := range l.Sandbox.Profiles {
			if _, err := sandbox.Find(name, l.Sandbox.Profiles); err == nil {
				t.Errorf("%q: a session can have the profile %s", text, name)
			}
		}
	}
}
