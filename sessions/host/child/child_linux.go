package child

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// adoptOrphans makes this process a subreaper: descendants whose parents end stay below the
// host, so that the daemon can tell by the chain of parents which session they belong to.
// On old kernels only that is lost.
func adoptOrphans() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// cldStopped is the si_code of a stopped process.
const cldStopped = 5

// waitExited uses waitid with WNOWAIT: the process stays a zombie, so that pid and group
// are not reused until the host has recorded the end. A stopped process is continued.
// Orphans are reaped on the way.
func waitExited(p *Process) {
	options := unix.WEXITED | unix.WSTOPPED | unix.WNOWAIT
	if p.orphans {
		options |= unix.WNOHANG
	}
	for {
		if p.orphans { // any descendant may have ended or stopped
			if err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WSTOPPED|unix.WNOWAIT, nil); err != nil && err != unix.EINTR {
				return
			}
		}
		var info unix.Siginfo
		err := unix.Waitid(unix.P_PID, p.PID, &info, options, nil)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return
		case info.Signo == 0: // another process than the session's
			if reapOrphan(p) {
				return
			}
		case info.Code == cldStopped:
			_ = unix.Waitid(unix.P_PID, p.PID, nil, unix.WSTOPPED|unix.WNOHANG, nil) // consumes the notification
			p.goOn()
		default:
			return
		}
	}
}

// reapOrphan handles one change of a process other than the session's. If the session's
// process ends at this very moment, reapOrphan may reap it; then, as on macOS, the result
// is true.
func reapOrphan(p *Process) bool {
	var ws syscall.WaitStatus
	pid, err := syscall.Wait4(-1, &ws, syscall.WNOHANG|syscall.WUNTRACED, nil)
	switch {
	case err != nil || pid != p.PID:
		return false
	case ws.Stopped():
		p.goOn()
		return false
	}
	p.ended = &ws
	_ = p.cmd.Process.Release()
	return true
}
