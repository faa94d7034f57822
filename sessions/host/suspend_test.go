package host

import "testing"

// TestSuspended: a program that waits for SIGCONT after Ctrl-Z, whose SIGTSTP the
// system drops, gets it.
func TestSuspended(t *testing.T) {
	r := sh(t, `stty raw -echo; trap 'echo resumed; exit 3' CONT; echo ready; while :; do sleep 0.02; done`)
	p := r.dial()
	p.view(80, 24)
	p.shows("ready")
	p.keys("x")
	p.keys("C-z")
	p.shows("resumed")
	p.until("the exit", func() bool { return p.exit != nil })
	p.saw("keys", "keys", "C-z")
}
