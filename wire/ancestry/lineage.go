// Package ancestry tells, without a daemon, whether a process comes out of a
// session of an installation: whether one of its parents is the host of a
// session whose files lie there.
//
// Contract. What is told is true of the moment. On Linux hosts adopt what their
// sessions leave behind, so a process cannot get out by ending its parent; on
// macOS it can. Only processes named ccdir-shim are taken for hosts. Nothing here
// blocks but on the disk.
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

// hostName is how processes of hosts are called.
const hostName = "ccdir-shim"

// Session returns the host that the process pid comes from, of those whose
// session's directory lies in dir; ok is false if there is none, or pid does not
// run.
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

// hostAt looks for the session in dir whose host is the process.
func hostAt(dir string, a proc.Ancestor) (hf wire.HostFile, ok bool) {
	files, _ := filepath.Glob(filepath.Join(dir, "*", paths.HostFile)) // fails for bad patterns alone
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
