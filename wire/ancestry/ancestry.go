// Package ancestry finds, without a daemon, the session from which a process comes: the one
// whose host is among the process's ancestors.
//
// Contract. The answer holds for the moment. On Linux hosts adopt orphans, so that a
// process cannot escape by ending its parent; on macOS it can. Only processes named
// ccdir-shim count as hosts. It blocks only on the disk.
package ancestry

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"ccdir/internal/disk/paths"
	"ccdir/internal/proc"
	"ccdir/wire"
)

// hostName is the name of host processes.
const hostName = "ccdir-shim"

// Session returns the host among the ancestors of process pid whose session's directory is
// in dir; ok is false if there is none, or pid does not run.
func Session(pid int, dir string) (host wire.HostFile, ok bool) {
	chain, err := proc.Ancestors(pid)
	if err != nil {
		return host, false
	}
	for _, a := range chain[1:] {
		if !strings.HasPrefix(a.Name, hostName) {
			continue
		}
		if host, ok = hostAt(dir, a); ok {
			return host, true
		}
	}
	return host, false
}

// hostAt returns the host.json in dir that describes the process.
func hostAt(dir string, a proc.Ancestor) (hf wire.HostFile, ok bool) {
	files, _ := filepath.Glob(filepath.Join(dir, "*", paths.HostFile)) // fails only for a malformed pattern
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		var hf wire.HostFile
		if json.Unmarshal(data, &hf) == nil && hf.PID == a.PID && hf.Start == a.Start {
			return hf, true
		}
	}
	return hf, false
}
