package host

import (
	"syscall"
	"time"
)

// A program that Ctrl-Z suspends is continued: it is the first process of its terminal and
// has no shell whose fg would. The kernel even drops the SIGTSTP that such a program sends
// itself, and one that then waits for SIGCONT without being stopped (Claude Code, after it
// has reported its suspension) would hang for ever. Jobs of a shell in the terminal have
// process groups of their own and are not affected.

// goOnAfter are the times after a Ctrl-Z at which SIGCONT is sent: a busy process suspends
// itself late; for a running one it is harmless.
var goOnAfter = []time.Duration{200 * time.Millisecond, time.Second, 3 * time.Second}

// suspended starts the timers of goOnAfter.
func (h *host) suspended() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.resume != nil {
		h.resume.Stop()
	}
	h.goOnLater(0)
}

// goOnLater sets the timer for entry n of goOnAfter. h.mu is held.
func (h *host) goOnLater(n int) {
	if n == len(goOnAfter) || h.stopping {
		return
	}
	h.resume = time.AfterFunc(goOnAfter[n], func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if !h.reaped {
			h.child.Signal(syscall.SIGCONT)
			h.goOnLater(n + 1)
		}
	})
}
