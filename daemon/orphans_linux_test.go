package daemon

import (
	"os"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// TestRefusedDaemonAdoptsNobody: a daemon that does not come to serve leaves its process as it was. One
// that adopts orphans and does not reap them keeps them as zombies, which tests take for alive.
func TestRefusedDaemonAdoptsNobody(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	if err := os.MkdirAll(p.paths.Runtime, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(p.paths.Runtime, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := Run(t.Context(), Options{Paths: p.paths, UID: os.Getuid(), Shim: shimPath, Signals: make(chan os.Signal)}); err == nil {
		t.Fatal("it was not refused")
	}
	var adopts int32
	if err := unix.Prctl(unix.PR_GET_CHILD_SUBREAPER, uintptr(unsafe.Pointer(&adopts)), 0, 0, 0); err != nil || adopts != 0 {
		t.Errorf("the process adopts orphans: %d, %v", adopts, err)
	}
	if err := os.Chmod(p.paths.Runtime, 0o700); err != nil {
		t.Fatal(err)
	}
}
