//go:build unix

package sessions

import (
	"context"
	"syscall"
	"time"

	"ccdir/internal/proc"
)

// processRef names one process for ever: a pid alone is given away again.
type processRef struct {
	pid   int
	start string
	// group: it leads a process group, which is meant as well.
	group bool
}

func (p processRef) alive() bool { return proc.Alive(p.pid, p.start) }

// signal reaches that process only, whoever has its number now.
func (p processRef) signal(sig syscall.Signal) {
	if p.group && proc.Sure(p.pid, p.start) {
		killGroup(p.pid, sig) // its number is not given away while the group lives
		return
	}
	_ = proc.Signal(p.pid, p.start, sig)
}

// asking is a signal, and how long it is given.
type asking struct {
	sig  syscall.Signal
	wait time.Duration
}

// end asks a process to end, in turn; it reports by which of the steps it ended,
// or -1.
func (p processRef) end(ctx context.Context, steps ...asking) int {
	for i, step := range steps {
		if step.sig != 0 {
			p.signal(step.sig)
		}
		if pollUntil(ctx, step.wait, func() bool { return !p.alive() }) {
			return i
		}
		if ctx.Err() != nil {
			return -1
		}
	}
	return -1
}

// killGroup sends a signal to a session leader's process group.
func killGroup(pid int, sig syscall.Signal) {
	if pid > 1 {
		_ = syscall.Kill(-pid, sig)
		_ = syscall.Kill(pid, sig)
	}
}

const (
	sigHUP  = syscall.SIGHUP
	sigTERM = syscall.SIGTERM
	sigKILL = syscall.SIGKILL
	sigUSR1 = syscall.SIGUSR1
)

// pollUntil looks at a condition of another process, which sends no event,
// every 20 ms until it holds (true), d has passed or ctx ends.
func pollUntil(ctx context.Context, d time.Duration, cond func() bool) bool {
	deadline := time.Now().Add(d)
	for !cond() {
		if time.Now().After(deadline) {
			return false
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return cond()
		}
	}
	return true
}
