package mcpserver

import (
	"context"
	"encoding/json"
	"sync"
)

// methodCancelled is the notification that cancels a request.
const methodCancelled = "notifications/cancelled"

// underway has the requests of one connection in flight. The library registers a
// request only after it has parsed it, in a goroutine of its own, and would miss a
// cancellation that comes before: so requests are registered here in the order of the
// connection.
type underway struct {
	mu      sync.Mutex
	cancels map[string]*context.CancelFunc // by id, as it was written
}

// begin registers a request; ended removes it.
func (u *underway) begin(ctx context.Context, id *json.RawMessage) (_ context.Context, ended func()) {
	ctx, cancel := context.WithCancel(ctx)
	if id == nil {
		return ctx, cancel
	}
	key := string(*id)
	u.mu.Lock()
	defer u.mu.Unlock()
	u.cancels[key] = &cancel
	return ctx, func() {
		cancel()
		u.mu.Lock()
		defer u.mu.Unlock()
		if u.cancels[key] == &cancel { // no later request has reused the id
			delete(u.cancels, key)
		}
	}
}

// cancel cancels the request that a cancellation names.
func (u *underway) cancel(message []byte) {
	var n struct {
		Params struct {
			ID json.RawMessage `json:"requestId"`
		} `json:"params"`
	}
	if json.Unmarshal(message, &n) != nil {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if cancel := u.cancels[string(n.Params.ID)]; cancel != nil {
		(*cancel)()
	}
}
