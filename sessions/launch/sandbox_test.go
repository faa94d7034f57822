package launch

import (
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/config"
	"ccdir/sandbox"
)

// TestTakeSandbox: the order in which profiles are asked for, and what a project and an outer session
// change of that.
func TestTakeSandbox(t *testing.T) {
	dir := t.TempDir()
	cfg := config.Default()
	cfg.Repos = []config.Repo{{Path: dir, Sandbox: "repo"}}
	cfg.Sandbox.Default, cfg.Sandbox.Tasks = "plain", "task"
	cfg.Sandbox.Roles = map[string]string{"reviewer": sandbox.ReadOnly, "free": api.NoSandbox, "wrong": "lost"}
	cfg.Sandbox.Profiles = map[string]sandbox.Profile{}
	for _, name := range []string{"repo", "plain", "task"} {
		cfg.Sandbox.Profiles[name] = sandbox.Profile{Name: name, Base: sandbox.Worktree, Network: sandbox.NetworkLoopback}
	}
	for _, tt := range []struct {
		name, where   string // "repo" or elsewhere
		asked, role   string
		task          bool
		project, from string // from: the profile of the session that starts it
		want, wished  string // or a part of the error
	}{
		{name: "default", want: "plain"},
		{name: "task", task: true, want: "task"},
		{name: "repository", where: "repo", want: "repo"},
		{name: "task in a repository", where: "repo", task: true, want: "repo"},
		{name: "role", where: "repo", role: "reviewer", want: sandbox.ReadOnly},
		{name: "role without walls", where: "repo", role: "free", want: ""},
		{name: "role with a mistake", role: "wrong", want: "no sandbox profile"},
		{name: "asked", where: "repo", role: "reviewer", task: true, asked: sandbox.Worktree, want: sandbox.Worktree},
		{name: "asked for none", asked: api.NoSandbox, project: sandbox.Offline, want: ""},
		{name: "project, narrower", project: sandbox.Offline, want: sandbox.Offline},
		{name: "project, wider", project: sandbox.Worktree, want: "plain", wished: sandbox.Worktree},
		{name: "project, neither", role: "reviewer", project: "plain", want: sandbox.ReadOnly, wished: "plain"},
		{name: "project, where there are none", role: "free", project: sandbox.Worktree, want: sandbox.Worktree},
		{name: "project, unknown", project: "theirs", want: ".ccdir.toml asks"},
		{name: "project, and asked", asked: sandbox.Worktree, project: sandbox.Offline, want: sandbox.Worktree},
		{name: "outer", from: sandbox.Offline, want: sandbox.Offline},
		{name: "outer, and a narrower role", from: sandbox.Worktree, role: "reviewer", want: sandbox.ReadOnly},
		{name: "outer, and a role without walls", from: sandbox.Worktree, role: "free", want: sandbox.Worktree},
		{name: "outer, and asked for more", from: sandbox.Offline, asked: sandbox.Worktree, want: "narrower one"},
		{name: "outer, and asked for none", from: sandbox.Offline, asked: api.NoSandbox, want: "narrower one"},
	} {
		n := api.NewSession{Agent: "claude", CWD: t.TempDir(), Sandbox: tt.asked, Role: tt.role, Project: tt.project}
		if tt.where == "repo" {
			n.CWD = dir
		}
		spec, _, err := SpecOf(t.Context(), cfg, n, tt.task, time.Now())
		if err == nil {
			err = spec.Inherit(cfg, tt.from, n.Sandbox)
		}
		if err != nil && (tt.want == "" || !strings.Contains(err.Error(), tt.want)) || err == nil && (spec.Sandbox != tt.want || spec.Wished != tt.wished) {
			t.Errorf("%s: %q, wished %q, %v; want %q, %q", tt.name, spec.Sandbox, spec.Wished, err, tt.want, tt.wished)
		}
	}
	spec, _, err := SpecOf(t.Context(), cfg, api.NewSession{Argv: []string{"make"}, CWD: dir, Project: sandbox.Offline}, false, time.Now())
	if err != nil || spec.Sandbox != "" {
		t.Errorf("a command: %q, %v", spec.Sandbox, err)
	}
}
