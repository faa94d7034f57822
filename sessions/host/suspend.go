package host

import (
	"syscall"
	"time"
)

// A program that Ctrl-Z suspends is continued: as the first process of its
// terminal it has no shell whose fg would. The system even drops a SIGTSTP that
// such a program sends itself, and one that then waits for SIGCONT (as Claude Code
// does, after it has said that it is suspended) would hang for ever without being
// stopped. Jobs of a shell in the terminal are groups of their own, which this
// does not touch.

// goOnAfter are the times after a Ctrl-Z at which the process is told to go on:
// a busy one suspends itself late, and one that runs takes no harm.
var goOnAfter = []time.Duration{200 * time.Millisecond, time.Second, 3 * time.Second}

// suspended begins to tell the process to go on.
func (h *host) suspended() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.resume != nil {
		h.resume.Stop()
	}
	h.goOnLater(0)
}

// goOnLater sets the timer for the nth time. h.mu is held.
func (h *host) goOnLater(n int) {
	if n == len(goOnAfter) || h.stopping {
		return
	}
	h.resume = time.AfterFunc(goOnAfter[n], func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if !h.reaped {
			h.child.signal(syscall.SIGCONT)
			h.goOnLater(n + 1)
		}
	})
}
