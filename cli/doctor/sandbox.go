package doctor

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"strings"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/config"
	"ccdir/sandbox"
	"ccdir/sandbox/wall"
)

// checkSandbox says what of sandboxes this machine can hold.
func checkSandbox(ctx context.Context, a *verb.App) []check {
	able := wall.Able(ctx)
	has := able.Mechanisms()
	switch {
	case able.Bubblewrap:
		return one("sandbox", checkOK, fmt.Sprintf("bubblewrap, with Landlock %d inside", able.Landlock), ofTasks(a.Config().Sandbox))
	case len(has) > 0 && has[0] == sandbox.SandboxExec:
		return one("sandbox", checkWarn, "sandbox-exec", "its profiles were never tried on a Mac: do not rely on them")
	case len(has) > 0:
		return one("sandbox", checkWarn, fmt.Sprintf("Landlock %d alone, which holds a part of a profile", able.Landlock), able.Why)
	}
	return one("sandbox", checkWarn, "nothing here holds one ("+strings.TrimSpace(able.Why+" "+runtime.GOOS)+")", "sessions with a profile are refused, and tasks and reviewers have none by themselves")
}

// ofTasks says which walls tasks have that name none.
func ofTasks(s config.Sandbox) string {
	switch name := cmp.Or(s.Tasks, s.Default); name {
	case "":
		return "tasks in linked work trees have the profile worktree ([sandbox] tasks = \"none\" switches that off)"
	case api.NoSandbox:
		return "tasks have no walls; take tasks = \"none\" out of [sandbox], and those in linked work trees have"
	default:
		return "tasks have the profile " + name
	}
}
