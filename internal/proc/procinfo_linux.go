package proc

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// boot caches the result of bootID.
var boot atomic.Pointer[string]

// bootID identifies a boot: start times count from it. A read that fails for lack of a
// file descriptor is retried by the next call.
func bootID() (string, error) {
	if id := boot.Load(); id != nil {
		return *id, nil
	}
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		return "", err
	}
	id, _, _ := strings.Cut(strings.TrimSpace(string(b)), "-")
	boot.Store(&id)
	return id, nil
}

// statFields returns the fields of proc(5), /proc/PID/stat, from the third (the
// state) to the 22nd (the start time) and on. The command's name, in parentheses,
// may hold anything, so fields are counted from the last ")".
func statFields(pid int) ([][]byte, error) {
	b, err := readStat(pid)
	if errors.Is(err, syscall.ESRCH) || errors.Is(err, syscall.ENOENT) {
		err = os.ErrNotExist
	}
	if err != nil {
		return nil, err
	}
	fields, ok := splitStat(b)
	if !ok {
		return nil, fmt.Errorf("/proc/%d/stat: unknown format", pid)
	}
	return fields, nil
}

func splitStat(b []byte) (fields [][]byte, ok bool) {
	fields = bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	return fields, len(fields) > startField
}

// maxStat is more than /proc/PID/stat can be: 52 numbers and a short name.
const maxStat = 2048

// readStat reads /proc/PID/stat with bare system calls: hook processes call it, and
// package os would start the runtime's poller, which they do not need otherwise.
func readStat(pid int) ([]byte, error) {
	fd, err := syscall.Open("/proc/"+strconv.Itoa(pid)+"/stat", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = syscall.Close(fd) }()
	b := make([]byte, maxStat)
	for {
		n, err := syscall.Read(fd, b) // one read returns all of it
		if err == syscall.EINTR {
			continue
		}
		return b[:max(n, 0)], err
	}
}

// Places among statFields: of the number of threads and of the start time.
const (
	threadsField = 20 - 3
	startField   = 22 - 3
)

// stat returns the state letter and the start time (clock ticks since boot).
func stat(pid int) (state byte, start string, err error) {
	fields, err := statFields(pid)
	if err != nil {
		return 0, "", err
	}
	return fields[0][0], string(fields[startField]), nil
}

func startTime(pid int) (string, error) {
	_, start, err := stat(pid)
	if err != nil {
		return "", err
	}
	id, err := bootID()
	return id + "." + start, err
}

func parent(pid int) (int, error) {
	fields, err := statFields(pid)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(string(fields[4-3]))
}

// environ reads proc(5), /proc/PID/environ.
func environ(pid int) ([]string, error) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return nil, err
	}
	return strings.Split(string(b), "\x00"), nil
}

func zombie(pid int) bool {
	fields, err := statFields(pid)
	if err != nil {
		return false
	}
	state, threads := fields[0][0], string(fields[threadsField])
	return state == 'X' || state == 'Z' && threads == "1"
}

func peerUID(fd int) (int, error) {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return -1, err
	}
	return int(cred.Uid), nil
}

// clockTick is the unit of start times in proc(5), USER_HZ of every architecture
// that Go runs on.
const clockTick = time.Second / 100

// began is when this process was forked, rounded up to the end of its clock tick, but
// not later than now.
func began() (time.Time, error) {
	_, start, err := stat(os.Getpid())
	if err != nil {
		return time.Time{}, err
	}
	ticks, err := strconv.ParseInt(start, 10, 64)
	if err != nil {
		return time.Time{}, err
	}
	var boot unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &boot); err != nil {
		return time.Time{}, err
	}
	age := max(0, time.Duration(boot.Nano())-time.Duration(ticks+1)*clockTick)
	return time.Now().Add(-age), nil // read after the other clock: never too early
}
