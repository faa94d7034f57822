package doctor

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"ccdir/cli/verb"
	"ccdir/sandbox"
	"ccdir/sandbox/wall"
)

// checkSandbox says what of sandboxes this machine can hold.
func checkSandbox(ctx context.Context, _ *verb.App) []check {
	able := wall.Able(ctx)
	has := able.Mechanisms()
	switch {
	case able.Bubblewrap:
		return one("sandbox", checkOK, fmt.Sprintf("bubblewrap, with Landlock %d inside", able.Landlock), "")
	case len(has) > 0 && has[0] == sandbox.SandboxExec:
		return one("sandbox", checkWarn, "sandbox-exec", "its profiles were never tried on a Mac: do not rely on them")
	case len(has) > 0:
		return one("sandbox", checkWarn, fmt.Sprintf("Landlock %d alone, which holds a part of a profile", able.Landlock), able.Why)
	}
	return one("sandbox", checkWarn, "nothing here holds one ("+strings.TrimSpace(able.Why+" "+runtime.GOOS)+")", "sessions with a profile are refused")
}
