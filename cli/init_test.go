package cli_test

import (
	"os/exec"
	"testing"

	"ccdir/test/programs"
)

// TestInit bounds what the imported packages allocate before main, which every verb pays for: about
// 460,000 bytes when this was written. One dependency once cost 1,700,000, and 16 ms.
func TestInit(t *testing.T) {
	const limit = 600_000
	cmd := exec.Command(exe(), "config", "path")
	cmd.Env = append(cmd.Environ(), "CCDIR_HOME="+t.TempDir())
	if sum, largest := programs.InitBytes(t, cmd); sum > limit {
		t.Errorf("package initialisation allocates %d bytes, at most %d are allowed; most of it: %s", sum, limit, largest)
	}
}
