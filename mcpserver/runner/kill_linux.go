package runner

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// killTime bounds the search for descendants that keep starting others.
const killTime = 2 * time.Second

// signalTree signals the group and all descendants once.
func signalTree(pid int, mark string, sig syscall.Signal) {
	_ = syscall.Kill(-pid, sig)
	for _, p := range descendants(pid, mark) {
		_ = syscall.Kill(p, sig)
	}
}

// killTree kills until nothing of the run is left. A process that called setsid is not
// in our group, and once its parent has ended it is not our descendant either: it is
// found by the variable in its environment (one that was started with an empty
// environment, env -i setsid, is not found: it stays below the daemon, where it is nobody).
func killTree(pid int, mark string) {
	until := time.Now().Add(killTime)
	for {
		_ = syscall.Kill(-pid, syscall.SIGKILL)
		left := descendants(pid, mark)
		for _, p := range left {
			killExactly(p, mark)
		}
		if len(left) == 0 || time.Now().After(until) {
			return
		}
		time.Sleep(2 * time.Millisecond) // the end of another's child is not signalled
	}
}

// killExactly kills p through a pidfd, so that a reused pid is not hit.
func killExactly(p int, mark string) {
	fd, err := unix.PidfdOpen(p, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	if marked(p, mark) {
		_ = unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
	}
}

// descendants lists living processes with the mark.
func descendants(pid int, mark string) []int {
	names, _ := filepath.Glob("/proc/[0-9]*")
	var found []int
	for _, name := range names {
		p, err := strconv.Atoi(filepath.Base(name))
		if err == nil && p != pid && p != os.Getpid() && marked(p, mark) && !zombie(p) {
			found = append(found, p)
		}
	}
	return found
}

// marked reports whether the environment that the process was started with has the mark
// (proc(5), environ; readable for processes of the same user).
func marked(p int, mark string) bool {
	env, err := os.ReadFile("/proc/" + strconv.Itoa(p) + "/environ")
	if err != nil {
		return false
	}
	return bytes.HasPrefix(env, []byte(mark+"\x00")) || bytes.Contains(env, []byte("\x00"+mark+"\x00"))
}

func zombie(p int) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(p) + "/stat")
	if err != nil {
		return true
	}
	_, rest, _ := strings.Cut(string(b[bytes.LastIndexByte(b, ')')+1:]), " ")
	return strings.HasPrefix(rest, "Z") || strings.HasPrefix(rest, "X")
}
