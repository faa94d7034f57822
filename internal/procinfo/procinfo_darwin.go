package procinfo

import (
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// statZombie is SZOMB of sys/proc.h.
const statZombie = 5

func kinfo(pid int) (*unix.KinfoProc, error) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || k.Proc.P_pid != int32(pid) {
		return nil, os.ErrNotExist
	}
	return k, nil
}

// bootID tells boots apart. (kern.boottime does not: it moves with the clock.)
func bootID() string {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return id
}

func startTime(pid int) (string, error) {
	k, err := kinfo(pid)
	if err != nil {
		return "", err
	}
	t := k.Proc.P_starttime
	return strconv.FormatInt(t.Sec, 10) + "." + strconv.FormatInt(int64(t.Usec), 10), nil
}

func zombie(pid int) bool {
	k, err := kinfo(pid)
	return err == nil && k.Proc.P_stat == statZombie
}

func peerUID(fd int) (int, error) {
	cred, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return -1, err
	}
	return int(cred.Uid), nil
}

// age is how long ago this process was forked.
func age(now time.Time) (time.Duration, error) {
	k, err := kinfo(os.Getpid())
	if err != nil {
		return 0, err
	}
	t := k.Proc.P_starttime
	return now.Sub(time.Unix(t.Sec, int64(t.Usec)*1000)), nil
}
