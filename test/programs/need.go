package programs

import (
	"os"
	"os/exec"
	"testing"
)

// RequireAll reports whether a test must fail where something that it needs is missing, as
// in CI (CCDIR_REQUIRE_ALL=1). Otherwise such a test is skipped.
func RequireAll() bool { return os.Getenv("CCDIR_REQUIRE_ALL") == "1" }

// Need skips the test if a program is not installed, or fails it (RequireAll).
func Need(t testing.TB, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err == nil {
			continue
		}
		if RequireAll() {
			t.Fatalf("%s is not installed: this test needs it", name)
		}
		t.Skipf("%s is not installed: this test needs it", name)
	}
}
