package policy_test

import (
	"os"
	"path/filepath"
	"testing"

	"ccdir/policy"
	"ccdir/policy/file"
)

// wide allows all but some commands and files.
const wide = `[roles.dev]
allow = ["Bash", "Read(./**)", "Edit(./**)"]
deny = ["Bash(git push *)", "Bash(rm -rf *)", "Bash(curl *)", "Read(./secrets/**)", "Read(.env)", "Read(./deploy/prod/**)", "Edit(./vendor/**)"]
`

// inForce loads a policy as a daemon does, so that its own files and the agent's settings are protected.
func inForce(t *testing.T, text string) *policy.Policy {
	t.Helper()
	user := filepath.Join(t.TempDir(), "policy.toml")
	if err := os.WriteFile(user, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := file.Load(file.Options{User: user, Home: "/home/u", UID: os.Getuid(), Protect: []string{"/home/u/.config/ccdir", "/home/u/.local/state/ccdir"}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestDisguised: what only looks as if it were not what a rule is about is not allowed.
func TestDisguised(t *testing.T) {
	p := inForce(t, wide)
	for _, file := range []string{"git-options", "prose", "patterns", "inputs", "outputs", "settings", "programs"} {
		for _, line := range readWays(t, "disguised-"+file+".txt") {
			if d := p.Decide(bash(line)); d.Decision == policy.Allow {
				t.Errorf("%s: %s is allowed", file, line)
			}
		}
	}
}

// TestStarter: the starter policy asks about no ordinary search, and allows nothing that it asks about otherwise.
func TestStarter(t *testing.T) {
	p := inForce(t, file.Starter)
	for _, line := range readWays(t, "searches.txt") {
		if d := p.Decide(bash(line)); d.Decision != policy.Allow && d.Decision != policy.None {
			t.Errorf("%s: %s (%s)", line, d.Decision, d.Reason)
		}
	}
	for _, line := range readWays(t, "disguised-starter.txt") {
		if d := p.Decide(bash(line)); d.Decision == policy.Allow {
			t.Errorf("%s is allowed", line)
		}
	}
}

// TestBareRepository: a directory that git takes for a repository without a work tree has settings that git runs, which
// anybody can write as plain files.
func TestBareRepository(t *testing.T) {
	p := inForce(t, wide)
	root := t.TempDir()
	for _, name := range []string{"evil/HEAD", "evil/objects/x", "evil/refs/x", "evil/config", "sub/.git", "sub/HEAD", "sub/objects/x", "sub/refs/x", "plain/HEAD"} {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	decide := func(line, cwd string) policy.Effect {
		r := bash(line)
		r.Root, r.Cwd, r.FS = root, cwd, nil
		return p.Decide(r).Decision
	}
	for _, line := range []string{
		"git -C evil status", "git -C ./evil diff", "cd evil && git status", "cd evil; git fetch", "(cd evil && git log)", "git -C evil/objects status", "git -C plain -C ../evil status",
		"pushd evil && git diff", "env -C evil git status", "git -C " + root + "/evil status", "sh -c 'cd evil; git status'", "git --work-tree=evil -C evil status",
	} {
		if got := decide(line, root); got == policy.Allow {
			t.Errorf("%s is allowed", line)
		}
	}
	if got := decide("git status", root+"/evil"); got == policy.Allow {
		t.Error("git status inside is allowed")
	}
	for _, line := range []string{"git status", "git -C sub status", "cd sub && git diff", "git -C plain log", "git -C sub/../sub status"} {
		if got := decide(line, root); got != policy.Allow {
			t.Errorf("%s: %s", line, got)
		}
	}
}
