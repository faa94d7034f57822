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

// TestTried: where nothing is said, walls are tried around tasks and reviewers; what is said, what a project asks for and what a
// walled session starts is no try.
func TestTried(t *testing.T) {
	dir := t.TempDir()
	none := func(cfg *config.Config) {}
	for _, tt := range []struct {
		name  string
		set   func(*config.Config)
		n     api.NewSession
		task  bool
		from  string
		want  string
		tried bool
	}{
		{"a session", none, api.NewSession{}, false, "", "", false},
		{"a command", none, api.NewSession{Argv: []string{"make"}}, true, "", "", false},
		{"a task", none, api.NewSession{}, true, "", sandbox.Worktree, true},
		{"a reviewer", none, api.NewSession{Role: api.RoleReviewer}, false, "", sandbox.ReadOnly, true},
		{"a reviewer's task", none, api.NewSession{Role: api.RoleReviewer}, true, "", sandbox.ReadOnly, true},
		{"a task that names one", none, api.NewSession{Sandbox: sandbox.Offline}, true, "", sandbox.Offline, false},
		{"a task that names none", none, api.NewSession{Sandbox: api.NoSandbox}, true, "", "", false},
		{"tasks are off", func(c *config.Config) { c.Sandbox.Tasks = api.NoSandbox }, api.NewSession{}, true, "", "", false},
		{"all are off", func(c *config.Config) { c.Sandbox.Default = api.NoSandbox }, api.NewSession{Role: api.RoleReviewer}, false, "", "", false},
		{"reviewers are off", func(c *config.Config) { c.Sandbox.Roles = map[string]string{api.RoleReviewer: api.NoSandbox} }, api.NewSession{Role: api.RoleReviewer}, true, "", "", false},
		{"tasks have one", func(c *config.Config) { c.Sandbox.Tasks = sandbox.Worktree }, api.NewSession{}, true, "", sandbox.Worktree, false},
		{"a project asks", none, api.NewSession{Project: sandbox.Worktree}, true, "", sandbox.Worktree, false},
		{"from the same walls", none, api.NewSession{}, true, sandbox.Worktree, sandbox.Worktree, false},
		{"from other walls", none, api.NewSession{}, true, sandbox.Offline, sandbox.Offline, false},
		{"from wider walls", none, api.NewSession{Role: api.RoleReviewer}, false, sandbox.Worktree, sandbox.ReadOnly, false},
	} {
		cfg := config.Default()
		tt.set(&cfg)
		tt.n.CWD = dir
		if tt.n.Argv == nil {
			tt.n.Agent = "claude"
		}
		spec, _, err := SpecOf(t.Context(), cfg, tt.n, tt.task, time.Now())
		if err == nil {
			err = spec.Inherit(cfg, tt.from, tt.n.Sandbox)
		}
		if err != nil || spec.Sandbox != tt.want || spec.SandboxTried != tt.tried {
			t.Errorf("%s: %q, tried %v (%v)", tt.name, spec.Sandbox, spec.SandboxTried, err)
		}
	}
}
