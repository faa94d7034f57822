package host

import "golang.org/x/sys/unix"

// cldStopped is si_code of a process that was stopped.
const cldStopped = 5

// waitExited uses waitid with WNOWAIT: the process stays a zombie, so that its
// pid and group stay its own until the host has noted its end. A process that
// was stopped goes on.
func waitExited(c *child) {
	for {
		var info unix.Siginfo
		err := unix.Waitid(unix.P_PID, c.pid, &info, unix.WEXITED|unix.WSTOPPED|unix.WNOWAIT, nil)
		switch {
		case err == unix.EINTR:
		case err == nil && info.Code == cldStopped:
			_ = unix.Waitid(unix.P_PID, c.pid, nil, unix.WSTOPPED|unix.WNOHANG, nil) // taken note of
			c.goOn()
		default:
			return
		}
	}
}
