package httpapi

import (
	"sync"

	"ccdir/api"
	"ccdir/internal/once"
)

// owned names a key of an owner.
type owned struct{ owner, key string }

// running are the calls with keys that are in flight, and the newest records that could
// not be saved. Make one with newRunning.
type running struct {
	once.Flight[owned]
	mu      sync.Mutex // guards unsaved
	unsaved *once.Memory[owned, api.KeyedCall]
}

// maxUnsaved bounds the records that are kept in memory while the disk is full.
const maxUnsaved = 256

func newRunning() *running {
	return &running{unsaved: once.NewMemory[owned, api.KeyedCall](maxUnsaved)}
}

// remember keeps a record that could not be saved.
func (c *running) remember(call api.KeyedCall) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unsaved.Put(owned{call.Owner, call.Key}, call)
}

// recall returns a record that could not be saved.
func (c *running) recall(k owned) (api.KeyedCall, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.unsaved.Get(k)
}
