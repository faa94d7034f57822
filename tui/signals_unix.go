//go:build unix

package tui

import (
	"os"
	"os/signal"
	"syscall"
)

// watchSignals follows the terminal's size and ends the grid in order when it
// is told to end or its terminal hangs up.
func (g *ui) watchSignals() (stop func()) {
	c := make(chan os.Signal, 8)
	signal.Notify(c, syscall.SIGWINCH, syscall.SIGCONT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT)
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
				case syscall.SIGCONT:
					// Stopped and continued: the shell had the terminal.
					if err := g.term.enter(); err != nil {
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
