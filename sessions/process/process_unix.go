//go:build unix

// Package process ends processes of sessions, without ever hitting a later process that has
// got the same pid.
package process

import (
	"context"
	"syscall"
	"time"

	"ccdir/internal/proc"
)

// Ref identifies one process for ever: pids are reused.
type Ref struct {
	PID   int
	Start string // as proc.StartTime gives it
	// Group: the process leads a process group, to which signals go.
	Group bool
}

// Alive reports whether the process runs.
func (p Ref) Alive() bool { return proc.Alive(p.PID, p.Start) }

// signal sends a signal to this process, never to a later one with its pid.
func (p Ref) signal(sig syscall.Signal) {
	if p.Group && proc.Sure(p.PID, p.Start) {
		KillGroup(p.PID, sig) // the pid is not reused while the group exists
		return
	}
	_ = proc.Signal(p.PID, p.Start, sig)
}

// Step is a signal (0: none) and how long to wait for its effect.
type Step struct {
	Signal syscall.Signal
	Wait   time.Duration
}

// End asks a process to end, step by step. It returns the index of the step that worked, or
// -1.
func (p Ref) End(ctx context.Context, steps ...Step) int {
	for i, step := range steps {
		if step.Signal != 0 {
			p.signal(step.Signal)
		}
		if Poll(ctx, step.Wait, func() bool { return !p.Alive() }) {
			return i
		}
		if ctx.Err() != nil {
			return -1
		}
	}
	return -1
}

// KillGroup sends a signal to a session leader's process group.
func KillGroup(pid int, sig syscall.Signal) {
	if pid > 1 {
		_ = syscall.Kill(-pid, sig)
		_ = syscall.Kill(pid, sig)
	}
}

// Signals.
const (
	HUP  = syscall.SIGHUP
	TERM = syscall.SIGTERM
	KILL = syscall.SIGKILL
	USR1 = syscall.SIGUSR1
)

// Poll checks a condition of another process, which sends no event, every 20 ms, until
// it holds (true), d has passed, or ctx ends.
func Poll(ctx context.Context, d time.Duration, cond func() bool) bool {
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
