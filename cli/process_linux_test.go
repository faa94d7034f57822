package cli_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// pidsOf finds the processes whose CCDIR_HOME begins so: daemons, hosts, and
// what runs in sessions.
func pidsOf(home string) []int {
	var pids []int
	files, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is constant
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil || !bytes.Contains(append([]byte{0}, data...), []byte("\x00CCDIR_HOME="+home)) {
			continue // gone, or not ours
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name))); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

func processesOf(home string) []string {
	var out []string
	for _, pid := range pidsOf(home) {
		cmdline, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)) // gone: nothing to tell
		out = append(out, fmt.Sprintf("process %d %q", pid, bytes.ReplaceAll(cmdline, []byte{0}, []byte{' '})))
	}
	return out
}

func killAll(home string) {
	for _, pid := range pidsOf(home) {
		_ = syscall.Kill(pid, syscall.SIGKILL) // gone is fine
	}
}
