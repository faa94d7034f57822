package sessions

import (
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// probeTime bounds the wait for a host that no file names.
const probeTime = 2 * time.Second

// unlistedHosts returns the ids of sessions whose host has a socket, but neither record nor
// directory: somebody removed the state directory. Each such host is called without a
// greeting, whereupon it writes host.json again.
func (r *Registry) unlistedHosts(known map[string]bool) (found []string) {
	sockets, _ := filepath.Glob(r.o.Paths.HostSocket("*")) // fails for bad patterns only
	var wg sync.WaitGroup
	var mu sync.Mutex
	for _, socket := range sockets {
		id, _ := strings.CutPrefix(strings.TrimSuffix(filepath.Base(socket), ".sock"), "h-")
		if known[id] || !validID(id) {
			continue
		}
		wg.Go(func() {
			probe(socket)
			if _, err := readHost(r.o.Paths.SessionDir(id)); err == nil {
				r.log.Warn("a host was found by its socket alone", "session", id)
				mu.Lock()
				found = append(found, id)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return found
}

// probe connects to a host and waits until it refuses the connection.
func probe(socket string) {
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
