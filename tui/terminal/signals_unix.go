//go:build unix

package terminal

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"

	"ccdir/internal/proc"
)

// SignalError says that a signal ended the grid; the sessions go on.
type SignalError struct{ Signal os.Signal }

// Error names the signal.
func (e *SignalError) Error() string { return "the grid was ended by a signal: " + e.Signal.String() }

// Signals are the process's signals that are about its terminal.
type Signals struct{ c chan os.Signal }

// CatchSignals keeps signals from here on, for Terminal.Signals.
func CatchSignals() Signals {
	c := make(chan os.Signal, 8)
	signal.Notify(c, syscall.SIGWINCH, syscall.SIGCONT, syscall.SIGTSTP, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT)
	return Signals{c}
}

// Stop gives signals their default effects again.
func (s Signals) Stop() { signal.Stop(s.c) }

// Signals follows the terminal's size and job control until ctx ends. A signal that ends
// the grid is returned, as a *SignalError. failed gets the reason if the grid could not
// stop as its shell's job.
func (t *Terminal) Signals(ctx context.Context, from Signals, failed func(error)) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case s := <-from.c:
			if t.away.Load() && (s == syscall.SIGINT || s == syscall.SIGQUIT || s == syscall.SIGCONT) {
				continue // for the program that has the terminal
			}
			switch s {
			case syscall.SIGWINCH:
				t.resized()
			case syscall.SIGTSTP:
				if err := t.stopped(ctx); err != nil {
					failed(err)
				}
			case syscall.SIGCONT:
				// Stopped and continued: the shell had the terminal.
				if err := t.tty.Enter(); err != nil {
					return err
				}
				t.resized()
			default:
				return &SignalError{s}
			}
		}
	}
}

// Stop asks this process to stop as its shell's job.
func Stop() { _ = syscall.Kill(os.Getpid(), syscall.SIGTSTP) }

// stopped stops the grid with its process group, and takes the terminal again when the
// shell continues it. While another program has the terminal, that one stops the others,
// and only the grid is left.
func (t *Terminal) stopped(ctx context.Context) error {
	if t.away.Load() {
		_ = halt(ctx, os.Getpid())
		return nil
	}
	return t.Suspend(ctx, func() error { return halt(ctx, 0) })
}

// halt stops the processes of kill(2)'s pid, this one among them, and returns when this
// one goes on. It does what SIGTSTP does by default, which a program that asked for that
// signal no longer gets (os/signal).
func halt(ctx context.Context, pid int) error {
	if !underShell() {
		return errors.New("no shell is here that could go on with it")
	}
	cont := make(chan os.Signal, 1)
	signal.Notify(cont, syscall.SIGCONT)
	defer signal.Stop(cont)
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		return err
	}
	select {
	case <-cont:
	case <-ctx.Done():
	}
	return nil
}

// underShell reports whether another process could continue our process group after a
// stop: the parent of one of its processes, in the same session and another group. Without
// one the system ignores SIGTSTP too.
func underShell() bool {
	session, err := unix.Getsid(0)
	if err != nil {
		return false
	}
	for pid := os.Getpid(); ; {
		parent, err := proc.Parent(pid)
		if err != nil || parent <= 1 {
			return false
		}
		if group, err := syscall.Getpgid(parent); err != nil || group != syscall.Getpgrp() {
			of, err := unix.Getsid(parent)
			return err == nil && of == session
		}
		pid = parent
	}
}
