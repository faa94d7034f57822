package intake

import (
	"testing"

	"ccdir/api"
)

// TestWallsOfChecks: a check has the walls that the task's session had, and none of its own accord.
func TestWallsOfChecks(t *testing.T) {
	t.Parallel()
	session := func(s *api.Sandbox, why string) string { return api.Session{Sandbox: s, Unwalled: why}.Walls() }
	for line, want := range map[string]string{
		session(nil, ""):                      api.NoSandbox,
		session(nil, "its work tree is main"): api.NoSandbox,
		session(&api.Sandbox{Name: "worktree", Network: "all", Complete: true}, ""):          "worktree",
		session(&api.Sandbox{Name: "my-own", Network: "none", Missing: []string{"x y"}}, ""): "my-own",
	} {
		if got := wallsOf(api.Task{Result: api.TaskResult{Sandbox: line}}); got != want {
			t.Errorf("%q: %s, want %s", line, got, want)
		}
	}
}
