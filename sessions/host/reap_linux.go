package host

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// adoptOrphans makes this process the parent of what its descendants leave
// behind: a process that made a session of its own and whose parent ended stays
// below the host, so that the daemon can tell by the chain of parents that it
// came out of this session. Without it (an old kernel) only that is lost.
func adoptOrphans() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// cldStopped is si_code of a process that was stopped.
const cldStopped = 5

// waitExited uses waitid with WNOWAIT: the process stays a zombie, so that its
// pid and group stay its own until the host has noted its end. A process that
// was stopped goes on. Orphans that the host was given are reaped on the way.
func waitExited(c *child) {
	options := unix.WEXITED | unix.WSTOPPED | unix.WNOWAIT
	if c.orphans {
		options |= unix.WNOHANG
	}
	for {
		if c.orphans { // anything below the host may have ended or stopped
			if err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WSTOPPED|unix.WNOWAIT, nil); err != nil && err != unix.EINTR {
				return
			}
		}
		var info unix.Siginfo
		err := unix.Waitid(unix.P_PID, c.pid, &info, options, nil)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return
		case info.Signo == 0: // not the session's process
			if reapOrphan(c) {
				return
			}
		case info.Code == cldStopped:
			_ = unix.Waitid(unix.P_PID, c.pid, nil, unix.WSTOPPED|unix.WNOHANG, nil) // taken note of
			c.goOn()
		default:
			return
		}
	}
}

// reapOrphan takes one change of another process than the session's. If the
// session's ends in this very moment it may get that one: then it has been reaped,
// as on macOS, and the result is true.
func reapOrphan(c *child) bool {
	var ws syscall.WaitStatus
	pid, err := syscall.Wait4(-1, &ws, syscall.WNOHANG|syscall.WUNTRACED, nil)
	switch {
	case err != nil || pid != c.pid:
		return false
	case ws.Stopped():
		c.goOn()
		return false
	}
	c.ended = &ws
	_ = c.cmd.Process.Release()
	return true
}
