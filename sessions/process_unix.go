//go:build unix

package sessions

import (
	"context"
	"syscall"
	"time"

	"ccdir/internal/proc"
)

// processRef identifies one process for ever: pids are reused.
type processRef struct {
	pid   int
	start string
	// group: the process leads a process group, to which signals go.
	group bool
}

func (p processRef) alive() bool { return proc.Alive(p.pid, p.start) }

// signal sends a signal to this process, never to a later one with its pid.
func (p processRef) signal(sig syscall.Signal) {
	if p.group && proc.Sure(p.pid, p.start) {
		killGroup(p.pid, sig) // the pid is not reused while the group exists
		return
	}
	_ = proc.Signal(p.pid, p.start, sig)
}

// asking is a signal (0: none) and how long to wait for its effect.
type asking struct {
	sig  syscall.Signal
	wait time.Duration
}

// end asks a process to end, step by step. It returns the index of the step that worked, or
// -1.
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

// pollUntil checks a condition of another process, which sends no event, every 20 ms, until
// it holds (true), d has passed, or ctx ends.
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
