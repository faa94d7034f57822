package procinfo

import (
	"bytes"
	"encoding/binary"
	"errors"
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

// environ reads kern.procargs2: the number of arguments, the program's path,
// zeros, the arguments, and then the environment.
func environ(pid int) ([]string, error) {
	b, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return nil, err
	}
	return procargsEnv(b)
}

func procargsEnv(b []byte) ([]string, error) {
	const countLen = 4
	if len(b) < countLen {
		return nil, errors.New("kern.procargs2: unknown format")
	}
	args := int(binary.NativeEndian.Uint32(b))
	b = b[countLen:]
	end := bytes.IndexByte(b, 0)
	if end < 0 {
		return nil, errors.New("kern.procargs2: unknown format")
	}
	b = bytes.TrimLeft(b[end:], "\x00")
	var env []string
	for i := 0; len(b) > 0; i++ {
		s, rest, _ := bytes.Cut(b, []byte{0})
		if b = rest; i < args {
			continue
		}
		if len(s) == 0 {
			break
		}
		env = append(env, string(s))
	}
	return env, nil
}

func peerPID(fd int) (int, error) { return unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID) }
