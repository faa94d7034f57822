package drill

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// useOf reads the use of one process from /proc.
func useOf(pid int) (u Use, err error) {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	data, err := os.ReadFile(filepath.Join(dir, "smaps_rollup"))
	if err != nil {
		return u, fmt.Errorf("reading what process %d uses: %w", pid, err)
	}
	for line := range bytes.Lines(data) {
		fields := bytes.Fields(line)
		if len(fields) == 3 && string(fields[0]) == "Pss:" {
			kb, err := strconv.ParseInt(string(fields[1]), 10, 64)
			if err != nil {
				return u, err
			}
			u.Memory = kb << 10
		}
	}
	files, err := os.ReadDir(filepath.Join(dir, "fd"))
	u.Files = len(files)
	return u, err
}

// processesOf counts the processes with this CCDIR_HOME: daemon, hosts, grids, and
// programs in sessions.
func processesOf(home string) (n int, err error) {
	envs, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return 0, err
	}
	want := []byte("\x00CCDIR_HOME=" + home + "\x00")
	for _, path := range envs {
		env, err := os.ReadFile(path)
		if err != nil {
			continue // ended, or another user's
		}
		env = append(append([]byte{0}, env...), 0)
		comm, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "comm"))
		if bytes.Contains(env, want) && bytes.HasPrefix(comm, []byte("ccdir")) {
			n++
		}
	}
	return n, nil
}
