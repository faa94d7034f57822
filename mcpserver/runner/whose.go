package runner

import (
	"fmt"
	"os"
	"strings"
	"sync"
)

// running has the pids of the commands in progress. Run is called for agents only:
// callers ask here to tell an agent's processes from the user's.
var running = struct {
	sync.Mutex
	pids map[int]bool
}{pids: map[int]bool{}}

func setRunning(pid int, runs bool) {
	running.Lock()
	defer running.Unlock()
	if runs {
		running.pids[pid] = true
	} else {
		delete(running.pids, pid)
	}
}

// Running reports whether pid is a command that Run started and that was not reaped
// yet.
func Running(pid int) bool {
	running.Lock()
	defer running.Unlock()
	return running.pids[pid]
}

// Marked reports whether an environment belongs to a command that this process ran, or
// to its descendant.
func Marked(env []string) bool {
	prefix := fmt.Sprintf("%s=%d-", marker, os.Getpid())
	for _, kv := range env {
		if strings.HasPrefix(kv, prefix) {
			return true
		}
	}
	return false
}
