package host

import (
	"errors"
	"os"

	"ccdir/sandbox/proxy"
	"ccdir/sandbox/wall"
	"ccdir/wire"
)

// openWay begins to let the listed hosts through to processes behind the session's walls: those
// of the agent, and of tools that ccdir runs for it. What is refused becomes evidence.
func (h *host) openWay() error {
	if h.spec.Network == "" {
		return nil
	}
	file, err := os.Open(h.spec.Network)
	if err != nil {
		return err
	}
	plan, err := wall.Read(file)
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	h.way = proxy.New(proxy.Options{Hosts: proxy.Hosts(h.spec.Network), Env: h.spec.Env, Refused: func(host string, count int) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.record(wire.EvidenceRefused, field{"host", host}, field{"count", itoa(count)})
	}})
	return h.way.Listen(plan.Proxy)
}

// closeWay ends all connections by it.
func (h *host) closeWay() {
	if h.way != nil {
		h.way.Close()
	}
}
