package adopt

import (
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"ccdir/internal/contain"
	"ccdir/internal/disk/paths"
)

// probeTime bounds the wait for a host that no file names.
const probeTime = 2 * time.Second

// UnlistedHosts returns the ids of sessions whose host has a socket, but neither record nor
// directory: somebody removed the state directory. Each such host is called without a
// greeting, whereupon it writes host.json again. isNew reports whether an id is a session's that
// is not known yet.
func UnlistedHosts(p paths.Paths, isNew func(id string) bool) (found []string) {
	sockets, _ := filepath.Glob(p.HostSocket("*")) // fails for bad patterns only
	var wg contain.Group
	var mu sync.Mutex
	for _, socket := range sockets {
		id, _ := strings.CutPrefix(strings.TrimSuffix(filepath.Base(socket), ".sock"), "h-")
		if !isNew(id) {
			continue
		}
		wg.Go(func() {
			Probe(socket)
			if _, err := ReadHost(p.SessionDir(id)); err == nil {
				mu.Lock()
				found = append(found, id)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return found
}

// Probe connects to a host without a greeting and waits until it refuses the connection.
func Probe(socket string) {
	c, err := net.DialTimeout("unix", socket, probeTime)
	if err != nil {
		return // a socket that its host left behind
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(probeTime))
	if u, ok := c.(*net.UnixConn); ok && u.CloseWrite() == nil {
		_, _ = io.Copy(io.Discard, u)
	}
}
