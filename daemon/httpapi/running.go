package httpapi

import (
	"context"
	"sync"

	"ccdir/api"
)

// owned names a key of an owner.
type owned struct{ owner, key string }

// running are the calls with keys that are under way, and what of the newest ones
// could not be written down. The zero value is ready.
type running struct {
	mu      sync.Mutex
	under   map[owned]chan struct{} // closed when it has ended
	unsaved map[owned]api.KeyedCall
	order   []owned // of unsaved
}

// maxUnsaved bounds what is kept in memory while the disk is full.
const maxUnsaved = 256

// enter waits until no other call has the key. The caller calls leave.
func (c *running) enter(ctx context.Context, k owned) error {
	for {
		c.mu.Lock()
		busy, taken := c.under[k]
		if !taken {
			if c.under == nil {
				c.under, c.unsaved = map[owned]chan struct{}{}, map[owned]api.KeyedCall{}
			}
			c.under[k] = make(chan struct{})
			c.mu.Unlock()
			return nil
		}
		c.mu.Unlock()
		select {
		case <-busy:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (c *running) leave(k owned) {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.under[k])
	delete(c.under, k)
}

// remember keeps what could not be written down.
func (c *running) remember(call api.KeyedCall) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := owned{call.Owner, call.Key}
	if _, known := c.unsaved[k]; !known {
		if len(c.order) >= maxUnsaved {
			delete(c.unsaved, c.order[0])
			c.order = c.order[1:]
		}
		c.order = append(c.order, k)
	}
	c.unsaved[k] = call
}

func (c *running) recall(k owned) (api.KeyedCall, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	call, ok := c.unsaved[k]
	return call, ok
}
