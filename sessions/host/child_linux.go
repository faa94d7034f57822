package host

import "golang.org/x/sys/unix"

// waitExited uses waitid with WNOWAIT: the process stays a zombie, so that its
// pid and group stay its own until the host has noted its end.
func waitExited(c *child) {
	for unix.Waitid(unix.P_PID, c.pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
}
