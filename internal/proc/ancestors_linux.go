package proc

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// ancestor reads proc(5), /proc/PID/stat: pid (name) state ppid … starttime.
func ancestor(pid int) (a Ancestor, parent int, err error) {
	b, err := readStat(pid)
	if errors.Is(err, syscall.ESRCH) || errors.Is(err, syscall.ENOENT) {
		err = os.ErrNotExist
	}
	if err != nil {
		return a, 0, err
	}
	open, end := bytes.IndexByte(b, '('), bytes.LastIndexByte(b, ')')
	const parentField, startField = 4 - 3, 22 - 3
	if open < 0 || end < open {
		return a, 0, fmt.Errorf("/proc/%d/stat: unknown format", pid)
	}
	fields := bytes.Fields(b[end+1:])
	if len(fields) <= startField {
		return a, 0, fmt.Errorf("/proc/%d/stat: unknown format", pid)
	}
	parent, err = strconv.Atoi(string(fields[parentField]))
	boot, bootErr := bootID()
	if bootErr != nil {
		return a, 0, bootErr
	}
	return Ancestor{PID: pid, Start: boot + "." + string(fields[startField]), Name: string(b[open+1 : end])}, parent, err
}

func peerPID(fd int) (int, error) {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, err
	}
	return int(cred.Pid), nil
}
