// Package ancestry finds, without asking a daemon, whether a process comes from a session: whose
// host is among its ancestors, or the daemon, which runs programs for sessions.
//
// Contract. The answer holds for the moment. On Linux hosts and the daemon adopt orphans, so
// that a process cannot escape by ending its parent; on macOS it can. Only processes named
// ccdir-shim count as hosts; the daemon is the process that server.json names. It blocks only
// on the disk.
package ancestry

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"ccdir/api"
	"ccdir/internal/disk/paths"
	"ccdir/internal/proc"
	"ccdir/wire"
)

// hostName is the name of host processes.
const hostName = "ccdir-shim"

// byDaemon is what Inside returns as the place of a process that the daemon started.
const byDaemon = "started by its daemon"

// Inside reports whether process pid runs inside a session that does not act for the person, or
// was started by the daemon; sessions is the directory of sessions. where is the session's id, or
// says that the daemon started it.
func Inside(pid int, sessions string) (where string, inside bool) {
	chain, err := proc.Ancestors(pid)
	if err != nil {
		return "", false
	}
	daemon := server(sessions)
	for _, a := range chain[1:] {
		if daemon.PID == a.PID && daemon.Start == a.Start {
			return byDaemon, true
		}
		if !strings.HasPrefix(a.Name, hostName) {
			continue
		}
		if host, ok := hostAt(sessions, a); ok {
			return host.Spec.Session, !host.Spec.Yours
		}
		if id, ok := Host(a, sessions); ok {
			return id, true
		}
	}
	return "", false
}

// Host returns the session whose host the process says to be, by the environment that its
// daemon gave it: that is known before a file describes the host, and when none does any more.
func Host(a proc.Ancestor, sessions string) (session string, ok bool) {
	if !strings.HasPrefix(a.Name, hostName) {
		return "", false
	}
	dir, ok := proc.Getenv(a.PID, api.EnvHost)
	return filepath.Base(dir), ok && filepath.Dir(dir) == filepath.Clean(sessions)
}

// server returns the server.json beside the directory of sessions, the zero value if there is
// none.
func server(sessions string) (f api.ServerFile) {
	data, err := os.ReadFile(filepath.Join(filepath.Dir(sessions), paths.ServerName))
	if err != nil || json.Unmarshal(data, &f) != nil {
		return api.ServerFile{}
	}
	return f
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
