package proc

import (
	"encoding/binary"
	"os"
	"strconv"
	"strings"
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
func bootID() (string, error) { return unix.Sysctl("kern.bootsessionuuid") }

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

func parent(pid int) (int, error) {
	k, err := kinfo(pid)
	if err != nil {
		return 0, err
	}
	return int(k.Eproc.Ppid), nil
}

// environ reads kern.procargs2: the number of arguments, the program's path, zero
// bytes, the arguments and the environment, each ended by a zero byte.
func environ(pid int) ([]string, error) {
	b, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return nil, err
	}
	if len(b) < 4 {
		return nil, os.ErrNotExist
	}
	args := int(binary.LittleEndian.Uint32(b)) // all Macs are little-endian
	_, rest, _ := strings.Cut(string(b[4:]), "\x00")
	words := strings.Split(strings.TrimLeft(rest, "\x00"), "\x00")
	if args < 0 || args > len(words) {
		return nil, os.ErrNotExist
	}
	return words[args:], nil
}

func peerUID(fd int) (int, error) {
	cred, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return -1, err
	}
	return int(cred.Uid), nil
}

// began is when this process was forked.
func began() (time.Time, error) {
	k, err := kinfo(os.Getpid())
	if err != nil {
		return time.Time{}, err
	}
	t := k.Proc.P_starttime
	return time.Unix(t.Sec, int64(t.Usec)*1000), nil
}
