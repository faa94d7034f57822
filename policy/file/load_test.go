package file

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ccdir/policy"
)

func TestProblems(t *testing.T) {
	for _, c := range []struct {
		text      string
		line, col int
		message   string
	}{
		{"x = ", 1, 4, ""},
		{"[roles.dev]\nallow = [\"Bash(ls\"]", 2, 10, `has no ")"`},
		{"[roles.dev]\nallow = [\n  \"Bash(ls)\",\n  \"bash(ls)\",\n]", 4, 3, "did you mean Bash"},
		{"[roles.dev]\nallow = ['Read', 'Foo(x)']", 2, 18, "can't have an argument"},
		{"[roles.dev]\nallow = 'Read'", 2, 9, "expected a list"},
		{"[roles.dev]\nallow = [1]", 2, 10, "expected a text"},
		{"[roles.dev]\nalow = []", 2, 8, "unknown key"},
		{"[role.dev]\nallow = []", 1, 1, "unknown key"},
		{"[roles.dev]\ninherits = 'nobody'", 2, 12, "no role"},
		{"[roles.a]\ninherits = 'b'\n[roles.b]\ninherits = 'a'", 2, 12, "inherits itself"},
		{"[roles.dev]\ninherits = 'dev'", 2, 12, "inherits itself"},
		{"[roles.dev]\ndeny = ['Read(@x)']", 2, 9, "no set"},
		{"[roles.dev]\ndeny = ['WebFetch(x)']", 2, 9, "domain:"},
		{"[roles.dev]\ndeny = ['Read(!x)']", 2, 9, "negated"},
		{"[roles.dev]\ndeny = ['Bash()']", 2, 9, "empty argument"},
		{"[[roles.dev.rule]]\neffect = 'deny'", 1, 0, "no match"},
		{"[[roles.dev.rule]]\nmatch = 'Bash'\neffect = 'maybe'", 3, 10, "expected allow, ask or deny"},
		{"[[roles.dev.rule]]\nmatch = 'Bash'\neffect = 'deny'\nwhen = 'branch == 1'", 4, 16, "mismatched types"},
		{"[[roles.dev.rule]]\nmatch = 'Bash'\neffect = 'deny'\nwhen = 'brunch == \"a\"'", 4, 9, "unknown name brunch"},
		{"[[roles.dev.rule]]\nmatch = 'Bash'\neffect = 'deny'\nwhen = 'branch'", 4, 8, "bool"},
		{"[[roles.dev.rule]]\nmatch = 'Bash'\neffect = 'deny'\nwhen = 'branch in sets.x'", 4, 0, "no set"},
		{"[[roles.dev.rule]]\nmatch = 'Bash'\neffect = 'deny'\nwhen = 'now() > 1'", 4, 0, ""},
		{"[trust]\n'/x' = 'yes'", 2, 8, "sha256:"},
	} {
		_, err := Parse([]byte(c.text), "p.toml")
		var all Problems
		if !errors.As(err, &all) {
			t.Errorf("%s: no problem found (%v)", c.text, err)
			continue
		}
		p := all[0]
		if slices.Contains(all[1:], p) {
			t.Errorf("%s: told twice: %v", c.text, p)
		}
		if p.Line != c.line || c.col > 0 && p.Column != c.col || !strings.Contains(p.Message, c.message) {
			t.Errorf("%s\n  got %v, want line %d, column %d, %q", c.text, p, c.line, c.col, c.message)
		}
	}
}

// TestConditionFails: a condition that fails holds for deny, not for allow.
func TestConditionFails(t *testing.T) {
	for effect, want := range map[string]policy.Effect{"deny": policy.Deny, "ask": policy.Ask, "allow": policy.None} {
		p := mustParse(t, "[[roles.dev.rule]]\nmatch = 'Bash'\neffect = '"+effect+"'\nwhen = 'branch matches command'")
		if d := p.Decide(bash("[ x")); d.Decision != want { // no regular expression
			t.Errorf("%s: got %s (%s)", effect, d.Decision, d.Reason)
		}
	}
}

func TestStarter(t *testing.T) {
	p := mustParse(t, Starter)
	for command, want := range map[string]policy.Effect{
		"git status": policy.Allow, "git push": policy.Ask, "rm -rf x": policy.Ask, "curl x": policy.Ask, "go test ./...": policy.None, "cat .env": policy.Ask, "ls -l": policy.Allow,
	} {
		if d := p.Decide(bash(command)); d.Decision != want {
			t.Errorf("%s: %s (%s)", command, d.Decision, d.Reason)
		}
	}
	// A reviewer changes nothing.
	for command, want := range map[string]policy.Effect{
		"git diff HEAD -- a/b.go": policy.Allow, "cat a/b.go": policy.None, "cat .env": policy.Ask, "git log -p": policy.Allow, "git diff > x": policy.Deny, "git diff --output=x": policy.Deny,
		"rm x": policy.Deny, "cat a && rm b": policy.Deny, "ls | tee x": policy.Deny, "git commit -m x": policy.Deny, "make": policy.Deny, "GIT_EXTERNAL_DIFF=./x git diff --ext-diff": policy.Deny, "rg --pre ./x y": policy.Deny,
	} {
		r := bash(command)
		r.Role = "reviewer"
		if d := p.Decide(r); d.Decision != want {
			t.Errorf("reviewer, %s: %s (%s)", command, d.Decision, d.Reason)
		}
	}
}

// files makes a user's and a project's policy.
func files(t *testing.T, user, project string) Options {
	t.Helper()
	o := Options{User: filepath.Join(t.TempDir(), "policy.toml"), Project: t.TempDir(), Home: t.TempDir(), UID: os.Getuid()}
	if user != "" {
		write(t, o.User, user)
	}
	if project != "" {
		if err := os.Mkdir(filepath.Join(o.Project, ".ccdir"), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(o.Project, ProjectFile), project)
	}
	return o
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func mustLoad(t *testing.T, o Options) *policy.Policy {
	t.Helper()
	p, err := Load(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestProject: a project narrows, and does more only if its text is trusted.
func TestProject(t *testing.T) {
	const user = "[roles.dev]\nallow = ['Bash(ls *)', 'Bash(go *)']\ndeny = ['Bash(rm *)']\n"
	const project = "[roles.dev]\nallow = ['Bash(make *)', 'Bash(rm *)']\nask = ['Bash(go run *)']\n[roles.lead]\ndeny = ['Bash(ls *)']\n"
	check := func(p *policy.Policy, want map[string]policy.Effect) {
		t.Helper()
		for command, effect := range want {
			role, command, _ := strings.Cut(command, ":")
			r := bash(command)
			r.Role = role
			if d := p.Decide(r); d.Decision != effect {
				t.Errorf("%s: %s: got %s (%s), want %s", role, command, d.Decision, d.Reason, effect)
			}
		}
	}
	o := files(t, user, project)
	narrow := map[string]policy.Effect{"dev:ls": policy.Allow, "dev:make": policy.None, "dev:rm x": policy.Deny, "dev:go run x": policy.Ask, "dev:go vet": policy.Allow, "lead:ls": policy.Deny, "lead:rm x": policy.Deny, "lead:go vet": policy.Allow}
	check(mustLoad(t, o), narrow)
	trust := "[trust]\n'" + o.Project + "' = '" + Fingerprint([]byte(project)) + "'\n"
	write(t, o.User, user+trust)
	check(mustLoad(t, o), map[string]policy.Effect{"dev:make": policy.Allow, "dev:rm x": policy.Deny, "dev:go run x": policy.Ask})
	write(t, filepath.Join(o.Project, ProjectFile), project+"# changed\n")
	check(mustLoad(t, o), narrow) // the text isn't the trusted one any more
	check(mustLoad(t, files(t, "", "[roles.dev]\nallow = ['Bash']\ndeny = ['Bash(rm *)']")), map[string]policy.Effect{"dev:ls": policy.None, "dev:rm": policy.Deny})
	check(mustLoad(t, files(t, "", "")), map[string]policy.Effect{"dev:ls": policy.None})
}

// TestProjectInherits: what a project's role inherits from the user's file narrows,
// and never widens.
func TestProjectInherits(t *testing.T) {
	const user = "[roles.dev]\nallow = ['Bash(ls *)']\ndeny = ['Bash(rm *)']\n[roles.lead]\ninherits = 'dev'\nallow = ['Bash(make *)']\nask = ['Bash(cp *)']\n"
	for project, want := range map[string]map[string]policy.Effect{
		"[roles.tester]\ninherits = 'dev'\n":                                                 {"tester:rm x": policy.Deny, "tester:ls": policy.None},
		"[roles.dev]\ninherits = 'lead'\nallow = ['Bash(rm *)']\n":                           {"dev:rm x": policy.Deny, "dev:make": policy.None, "dev:cp a b": policy.Ask, "dev:ls": policy.Allow},
		"[roles.a]\ninherits = 'b'\n[roles.b]\ninherits = 'dev'\n":                           {"a:rm x": policy.Deny},
		"[[roles.dev.rule]]\nmatch = 'Bash(make *)'\neffect = 'allow'\n":                     {"dev:make": policy.None},
		"on_daemon_loss = 'none'\n[trust]\n'/' = 'sha256:" + strings.Repeat("0", 64) + "'\n": {"dev:ls": policy.Allow},
	} {
		p := mustLoad(t, files(t, user, project))
		for command, effect := range want {
			role, command, _ := strings.Cut(command, ":")
			r := bash(command)
			r.Role = role
			if d := p.Decide(r); d.Decision != effect {
				t.Errorf("%s\n%s: %s: got %s (%s), want %s", project, role, command, d.Decision, d.Reason, effect)
			}
		}
		if p.OnDaemonLoss() != policy.Ask || p.Trusted() {
			t.Errorf("%s: %s, trusted %v", project, p.OnDaemonLoss(), p.Trusted())
		}
	}
}

// TestHolderSameTimes: a file that was put in the place of another is seen although
// its size and its time are the same, and a change right after another as well.
func TestHolderSameTimes(t *testing.T) {
	o := files(t, "[roles.dev]\nallow = ['Bash(ls *)']", "")
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(o.User, old, old); err != nil {
		t.Fatal(err)
	}
	h := NewHolder(o)
	is := func(want policy.Effect) {
		t.Helper()
		if d := h.Policy().Decide(bash("ls")); d.Decision != want {
			t.Errorf("got %s (%s)", d.Decision, d.Reason)
		}
	}
	is(policy.Allow)
	other := o.User + ".new"
	write(t, other, "[roles.dev]\ndeny  = ['Bash(ls *)']")
	if err := errors.Join(os.Chtimes(other, old, old), os.Rename(other, o.User)); err != nil {
		t.Fatal(err)
	}
	is(policy.Deny)
	write(t, o.User, "[roles.dev]\nask   = ['Bash(ls *)']")
	is(policy.Ask)
	l := *h.current.Load() // as if the next change came within the same tick
	write(t, o.User, "[roles.dev]\nallow = ['Bash(ls *)']")
	l.stamps = []stamp{stampOf(os.Stat(o.User))}
	l.racy, l.at = true, time.Now().Add(-2*racyTime)
	h.current.Store(&l)
	is(policy.Allow)
}

func TestWritableByOthers(t *testing.T) {
	o := files(t, "[roles.dev]\nallow = ['Bash']", "")
	for _, mode := range []os.FileMode{0o602, 0o620, 0o666} {
		if err := os.Chmod(o.User, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(o); err == nil || !strings.Contains(err.Error(), "others may write") {
			t.Errorf("%o: %v", mode, err)
		}
	}
	if err := errors.Join(os.Chmod(o.User, 0o644), os.Chmod(filepath.Dir(o.User), 0o777)); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(o); err == nil || !strings.Contains(err.Error(), "others may write") {
		t.Errorf("directory: %v", err)
	}
	if err := os.Chmod(filepath.Dir(o.User), 0o755); err != nil {
		t.Fatal(err)
	}
	mustLoad(t, o)
	o.UID = os.Getuid() + 1
	if _, err := Load(o); os.Getuid() != 0 && err == nil {
		t.Error("a file of another user was taken")
	}
}

// TestHolder: a change holds at the next request; a faulty file changes nothing.
func TestHolder(t *testing.T) {
	o := files(t, "[roles.dev]\nallow = ['Bash(ls *)']", "")
	h := NewHolder(o)
	is := func(want policy.Effect, faulty bool) {
		t.Helper()
		if d := h.Policy().Decide(bash("ls")); d.Decision != want || (h.Err() != nil) != faulty {
			t.Errorf("got %s (%s), error %v", d.Decision, d.Reason, h.Err())
		}
	}
	is(policy.Allow, false)
	write(t, o.User, "[roles.dev]\ndeny = ['Bash(ls *)', 'Read']")
	is(policy.Deny, false)
	write(t, o.User, "[roles.dev]\nallow = ['Bash(ls *)', 'Read'")
	is(policy.Deny, true)
	var problems Problems
	if !errors.As(h.Err(), &problems) || problems[0].Line != 2 {
		t.Errorf("error: %v", h.Err())
	}
	write(t, o.User, "[roles.dev]\nask = ['Bash(ls *)']")
	is(policy.Ask, false)
	if err := os.Remove(o.User); err != nil {
		t.Fatal(err)
	}
	is(policy.None, false)

	write(t, o.User, "[")
	h = NewHolder(o) // nothing earlier is there
	is(policy.Ask, true)
	write(t, o.User, "")
	is(policy.None, false)
}

// TestHolderRun: a change is noticed without a request.
func TestHolderRun(t *testing.T) {
	o := files(t, "[roles.dev]\n", "")
	h := NewHolder(o)
	ctx, cancel := context.WithCancel(t.Context())
	changed, done := make(chan struct{}, 100), make(chan error, 1)
	go func() { done <- h.Run(ctx, func() { changed <- struct{}{} }) }()
	limit := time.After(30 * time.Second)
	denies := func() bool {
		return h.current.Load().policy.Decide(bash("ls")).Decision == policy.Deny
	}
	for i := 0; !denies(); i++ {
		write(t, o.User, "[roles.dev]\ndeny = ['Bash']\n"+strings.Repeat("#", i)) // again until the watch is there
		select {
		case <-changed:
		case <-time.After(20 * time.Millisecond):
		case <-limit:
			t.Fatal("the change was not noticed")
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
