package proc

import (
	"os"
	"strings"
	"syscall"
)

// maxDepth bounds how far Depth climbs: no real nesting is deeper, and parents that are
// read one after another may form a cycle.
const maxDepth = 64

// Parent returns the parent of a process. The error is os.ErrNotExist (by
// errors.Is) when no such process runs.
func Parent(pid int) (int, error) { return parent(pid) }

// Depth returns how many generations pid descends from ancestor: 0 if it is that
// process, 1 for a child. ok is false if it does not descend from it, or no longer does
// because a process between the two has ended.
func Depth(pid, ancestor int) (depth int, ok bool) {
	for ; depth < maxDepth && pid > 0; depth++ {
		if pid == ancestor {
			return depth, true
		}
		up, err := parent(pid)
		if err != nil {
			return 0, false
		}
		pid = up
	}
	return 0, false
}

// Getenv returns a variable of the environment that a process was started with. ok is
// false if it is not set or cannot be read: the process belongs to another user or has
// ended.
func Getenv(pid int, key string) (value string, ok bool) {
	env, err := environ(pid)
	if err != nil {
		return "", false
	}
	for _, kv := range env {
		if v, found := strings.CutPrefix(kv, key+"="); found {
			return v, true
		}
	}
	return "", false
}

// Signal sends a signal to the process of that pid and start time, and to no other
// process that reuses its pid: where the system has process handles (Linux), one is
// opened before the start time is compared. The error is os.ErrProcessDone (by
// errors.Is) if the process has ended.
func Signal(pid int, start string, sig syscall.Signal) error {
	if pid <= 1 || start == "" {
		return os.ErrProcessDone
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	defer func() { _ = p.Release() }()
	if !Sure(pid, start) {
		return os.ErrProcessDone
	}
	return p.Signal(sig)
}
