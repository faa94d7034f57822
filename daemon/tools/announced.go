package tools

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"ccdir/api"
	"ccdir/internal/once"
)

const (
	// maxAnnounced bounds the calls remembered.
	maxAnnounced = 1024
	// announceTime is how long a call waits for the event of its hook. The hook was
	// answered before the agent made the call, but its event may still be in flight.
	announceTime = time.Second
)

// announcements remembers the calls of ccdir's tools that agents announced by the hook
// before them. If the policy's answer to the hook was "ask", the agent has asked the person
// before the call, and the tool does not ask again. It is safe for concurrent use.
type announcements struct {
	mu    sync.Mutex
	seen  *once.Memory[[2]string, struct{}] // by session and the id of the call
	grown chan struct{}                     // closed and replaced when a call is added
}

func newAnnouncements() *announcements {
	return &announcements{seen: once.NewMemory[[2]string, struct{}](maxAnnounced), grown: make(chan struct{})}
}

// note adds the call that an event announces, if it does.
func (a *announcements) note(e api.Event) {
	if e.Kind != api.KindToolBegins {
		return
	}
	var payload struct {
		Tool string `json:"tool_name"`
		ID   string `json:"tool_use_id"`
	}
	if json.Unmarshal(e.Data, &payload) != nil || payload.ID == "" || !strings.HasPrefix(payload.Tool, "mcp__"+api.MCPServer+"__") {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.seen.Put([2]string{e.Session, payload.ID}, struct{}{})
	close(a.grown)
	a.grown = make(chan struct{})
}

// shown reports whether a hook of the session announced the call.
func (a *announcements) shown(ctx context.Context, session, id string) bool {
	if session == "" || id == "" {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, announceTime)
	defer cancel()
	for {
		a.mu.Lock()
		_, seen := a.seen.Get([2]string{session, id})
		grown := a.grown
		a.mu.Unlock()
		if seen {
			return true
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return false
		}
	}
}
