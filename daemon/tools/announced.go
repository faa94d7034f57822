package tools

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"ccdir/api"
)

const (
	// maxAnnounced bounds the calls remembered.
	maxAnnounced = 1024
	// announceTime is how long a call waits for the event of its hook. The hook was
	// answered before the agent made the call, but its event may still be in flight.
	announceTime = time.Second
)

// announcements remembers the calls of ccdir's tools that agents announced by PreToolUse
// hooks. If the policy's answer to the hook was "ask", the agent has asked the person
// before the call, and the tool does not ask again. It is safe for concurrent use.
type announcements struct {
	mu    sync.Mutex
	seen  map[[2]string]bool
	order [][2]string
	grown chan struct{} // closed and replaced when a call is added
}

func newAnnouncements() *announcements {
	return &announcements{seen: map[[2]string]bool{}, grown: make(chan struct{})}
}

// note adds the call that an event announces, if it does.
func (a *announcements) note(e api.Event) {
	if e.Type != "PreToolUse" || e.Source != "hook" {
		return
	}
	var payload struct {
		Tool string `json:"tool_name"`
		ID   string `json:"tool_use_id"`
	}
	if json.Unmarshal(e.Data, &payload) != nil || payload.ID == "" || !strings.HasPrefix(payload.Tool, "mcp__"+api.MCPServer+"__") {
		return
	}
	key := [2]string{e.Session, payload.ID}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.seen[key] = true
	if a.order = append(a.order, key); len(a.order) > maxAnnounced {
		delete(a.seen, a.order[0])
		a.order = a.order[1:]
	}
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
		seen, grown := a.seen[[2]string{session, id}], a.grown
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
