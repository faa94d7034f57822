package host

import "syscall"

// waitExited reaps the process: x/sys has no waitid for macOS. The group's id
// stays taken while any member of it runs, and a pid is not reused at once, so
// a signal in the moment until the end is noted goes nowhere. A process that was
// stopped goes on.
func waitExited(c *child) {
	for {
		var ws syscall.WaitStatus
		_, err := syscall.Wait4(c.pid, &ws, syscall.WUNTRACED, nil)
		switch {
		case err == syscall.EINTR:
		case err == nil && ws.Stopped():
			c.goOn()
		case err == nil:
			c.ended = &ws
			_ = c.cmd.Process.Release()
			return
		default:
			_ = c.cmd.Wait()
			return
		}
	}
}

// adoptOrphans does nothing: macOS has no such thing.
func adoptOrphans() {}
