package daemon

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"

	"ccdir/agents/claude"
	"ccdir/api"
)

// TestAlwaysInTheProject: a rule for the project that was answered in a work tree is written to
// the repository's main one: that tree stays clean, and each other follows the rule.
func TestAlwaysInTheProject(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.policy(testPolicy)
	p.run()
	main := filepath.Join(p.paths.Home, "shop")
	trees := []string{filepath.Join(p.paths.Home, "trees", "one"), filepath.Join(p.paths.Home, "trees", "two")}
	git := func(dir string, args ...string) string {
		t.Helper()
		out, err := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v %s", args, err, out)
		}
		return string(out)
	}
	git(p.paths.Home, "init", "-q", main)
	git(main, "commit", "-q", "--allow-empty", "-m", "a")
	var sessions []api.Session
	for i, dir := range append(trees, main) {
		if dir != main {
			git(main, "worktree", "add", "-q", dir)
		}
		sessions = append(sessions, p.create(api.NewSession{Name: []string{"one", "two", "main"}[i], Agent: "claude", Argv: sh("exec sleep 1000"), CWD: dir}))
	}
	r, ch := p.ask(sessions[0], "w1", "go test ./a")
	file := filepath.Join(main, ".ccdir", "policy.toml")
	if len(r.Scopes) != 3 || r.Scopes[1].File != file {
		t.Fatalf("offered %+v", r.Scopes)
	}
	p.call("POST", "/v1/approvals/"+r.ID+"/approve", api.Answer{Always: true, Scope: api.ScopeProject, Rule: "Bash(go test *)"}, nil)
	got(t, ch)
	for i, s := range sessions {
		if got := decision(p.pretool(s, "w2"+s.ID, "go test ./b")); got != "allow" {
			t.Errorf("%s: %q", s.Name, got)
		}
		if i < len(trees) {
			if out := git(trees[i], "status", "--porcelain"); out != "" {
				t.Errorf("%s is dirty: %s", trees[i], out)
			}
		}
	}
	// The next rule goes to the same file, and what nobody has read does not count.
	r, ch = p.ask(sessions[1], "w3", "make x")
	p.call("POST", "/v1/approvals/"+r.ID+"/approve", api.Answer{Always: true, Scope: api.ScopeProject}, nil)
	got(t, ch)
	if rows := p.decisions("decision=rule"); len(rows) != 2 || rows[1].File != file {
		t.Errorf("rows %+v", rows)
	}
	for path, want := range map[string]string{file: "ask", filepath.Join(trees[0], ".ccdir", "policy.toml"): "ask", filepath.Join(trees[0], ".git"): "ask", filepath.Join(trees[0], "a.go"): ""} {
		use := hookJSON(claude.HookPreToolUse, fmt.Sprintf(`"tool_name":"Write","tool_input":{"file_path":%q,"content":""}`, path))
		var reply api.HookReply
		if err := p.post(t.Context(), sessions[0].ID, p.token(sessions[0]), claude.HookPreToolUse, "w4"+path, use, &reply); err != nil {
			t.Fatal(err)
		}
		if got := decision(reply.Stdout); got != want {
			t.Errorf("writing %s: %q, want %q", path, got, want)
		}
	}
}
