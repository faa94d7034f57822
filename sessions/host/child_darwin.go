package host

import "syscall"

// waitExited reaps the process: x/sys has no waitid for macOS. The group id stays taken
// while a member runs, and pids are not reused at once, so a signal between the reaping and
// the record of it goes nowhere. A stopped process is continued.
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

// adoptOrphans does nothing: macOS has no subreapers.
func adoptOrphans() {}
