package proc

import (
	"bytes"
	"strconv"

	"golang.org/x/sys/unix"
)

// ancestor asks sysctl(3), kern.proc.pid.
func ancestor(pid int) (a Ancestor, parent int, err error) {
	k, err := kinfo(pid)
	if err != nil {
		return a, 0, err
	}
	t := k.Proc.P_starttime
	name, _, _ := bytes.Cut(k.Proc.P_comm[:], []byte{0})
	return Ancestor{PID: pid, Name: string(name),
		Start: strconv.FormatInt(t.Sec, 10) + "." + strconv.FormatInt(int64(t.Usec), 10)}, int(k.Eproc.Ppid), nil
}

func peerPID(fd int) (int, error) { return unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID) }
