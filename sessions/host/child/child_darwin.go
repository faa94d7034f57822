package child

import "syscall"

// waitExited reaps the process: x/sys has no waitid for macOS. The group id stays taken
// while a member runs, and pids are not reused at once, so a signal between the reaping and
// the record of it goes nowhere. A stopped process is continued.
func waitExited(p *Process) {
	for {
		var ws syscall.WaitStatus
		_, err := syscall.Wait4(p.PID, &ws, syscall.WUNTRACED, nil)
		switch {
		case err == syscall.EINTR:
		case err == nil && ws.Stopped():
			p.goOn()
		case err == nil:
			p.ended = &ws
			_ = p.cmd.Process.Release()
			return
		default:
			_ = p.cmd.Wait()
			return
		}
	}
}

// adoptOrphans does nothing: macOS has no subreapers.
func adoptOrphans() {}
