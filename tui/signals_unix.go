//go:build unix

package tui

import (
	"errors"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"

	"ccdir/internal/proc"
)

// watchSignals follows the terminal's size and ends the grid in order when it
// is told to end or its terminal hangs up.
func (g *program) watchSignals() (stop func()) {
	c := make(chan os.Signal, 8)
	signal.Notify(c, syscall.SIGWINCH, syscall.SIGCONT, syscall.SIGTSTP, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT)
	g.spawn(func() error {
		for {
			select {
			case <-g.ctx.Done():
				return nil
			case s := <-c:
				if g.away.Load() && (s == syscall.SIGINT || s == syscall.SIGQUIT || s == syscall.SIGCONT) {
					continue // for the program that has the terminal
				}
				switch s {
				case syscall.SIGWINCH:
					g.resized()
				case syscall.SIGTSTP:
					g.stopped()
				case syscall.SIGCONT:
					// Stopped and continued: the shell had the terminal.
					if err := g.term.Enter(); err != nil {
						return err
					}
					g.resized()
				default:
					return &SignalError{s}
				}
			}
		}
	})
	return func() { signal.Stop(c) }
}

// stopGrid asks the grid to stop as its shell's job.
func stopGrid() { _ = syscall.Kill(os.Getpid(), syscall.SIGTSTP) }

// stopped stops the grid with everything in its process group, and takes the
// terminal again when the shell lets it go on. While a program has the terminal that
// one stops the others, and the grid alone is left.
func (g *program) stopped() {
	if g.away.Load() {
		_ = g.halt(os.Getpid())
		return
	}
	if err := g.lend(func() error { return g.halt(0) }); err != nil {
		g.program.Send(resultMsg{what: "suspending", err: err})
	}
}

// halt stops the processes of kill(2)'s pid, this one among them, and returns when
// this one goes on. It does what SIGTSTP does by itself, which a program that has
// asked for that signal cannot have any more (os/signal).
func (g *program) halt(pid int) error {
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
	case <-g.ctx.Done():
	}
	return nil
}

// underShell reports whether somebody could let our process group go on after a stop:
// that is the parent of one in it, in the same session and of another group. Without
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
