package host

import (
	"os"
	"os/signal"
	"syscall"
	"testing"
)

// TestMain drops HUP as the shim does: tests that nohup started would hand an
// ignored HUP on to the processes of their hosts.
func TestMain(m *testing.M) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	if signal.Ignored(syscall.SIGINT) { // as what a shell script runs in the background has it
		signal.Notify(make(chan os.Signal, 1), syscall.SIGINT)
	}
	os.Exit(m.Run())
}
