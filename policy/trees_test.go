package policy_test

import (
	"encoding/json"
	"testing"

	"ccdir/policy"
)

// TestTrees: files inside of a work tree that ccdir made are like those of any project;
// around it, and by names that are not certain, ccdir's own directories stay protected.
func TestTrees(t *testing.T) {
	rule, err := policy.NewRule("Edit", policy.Allow)
	if err != nil {
		t.Fatal(err)
	}
	bash, err := policy.NewRule("Bash", policy.Allow)
	if err != nil {
		t.Fatal(err)
	}
	p := policy.New(policy.Source{Files: []string{"/c/policy.toml"}, Rules: map[string][]*policy.Rule{"dev": {&rule, &bash}},
		Protect: []string{"/s"}, Trees: []string{"/s/worktrees"}})
	edit := func(path string) policy.Effect {
		input, _ := json.Marshal(map[string]string{"file_path": path})
		return p.Decide(policy.Request{Role: "dev", Tool: "Edit", Input: input, Root: "/s/worktrees/repo/topic", Home: "/home/u", FS: memFS{}}).Decision
	}
	for path, want := range map[string]policy.Effect{
		"/s/worktrees/repo/topic/a.go":           policy.Allow,
		"/s/worktrees/repo/topic/sub/a.go":       policy.Allow,
		"/s/worktrees/repo/topic":                policy.Ask,
		"/s/worktrees/repo/x":                    policy.Ask,
		"/s/worktrees/x":                         policy.Ask,
		"/s/ccdir.db":                            policy.Ask,
		"/s/trash/x/y/z/a.go":                    policy.Ask,
		"/s/worktrees/repo/topic/../../../a/b/c": policy.Ask,
		"/s/worktreesx/repo/topic/a.go":          policy.Ask,
	} {
		if got := edit(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	for command, want := range map[string]policy.Effect{
		"rm sub/a.go": policy.Allow, "rm -rf ../topic": policy.Ask, "rm -rf ../../..": policy.Ask, "rm $X/a.go": policy.Ask, "rm -rf /s/worktrees/repo": policy.Ask,
	} {
		input, _ := json.Marshal(map[string]string{"command": command})
		if got := p.Decide(policy.Request{Role: "dev", Tool: "Bash", Input: input, Root: "/s/worktrees/repo/topic", Home: "/home/u", FS: memFS{}}).Decision; got != want {
			t.Errorf("%s: %s, want %s", command, got, want)
		}
	}
}
