package proc

import (
	"context"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// AdoptOrphans makes this process a subreaper: descendants whose parents end stay below it, so
// that their origin can be told. Call Reap from then on. On old kernels only that is lost.
func AdoptOrphans() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// Reap reaps children that ended a grace ago and returns how many. It reads the list of
// processes only if some child has ended and was not waited for.
func (o *Orphans) Reap(ctx context.Context, now time.Time) (n int) {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	if err != nil || info.Signo == 0 {
		o.ended = nil
		return 0
	}
	all, err := processes(ctx)
	if err != nil {
		return 0
	}
	before := o.ended
	o.ended = map[child]time.Time{}
	for _, p := range all {
		if p.Parent != os.Getpid() {
			continue
		}
		state, start, err := stat(p.PID)
		if err != nil || state != 'Z' {
			continue
		}
		key := child{p.PID, start}
		since, known := before[key]
		if !known {
			since = now
		}
		if now.Sub(since) < o.Grace {
			o.ended[key] = since
			continue
		}
		if pid, err := syscall.Wait4(p.PID, nil, syscall.WNOHANG, nil); err == nil && pid == p.PID {
			n++
		}
	}
	return n
}
