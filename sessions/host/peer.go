package host

import (
	"path/filepath"
	"sync"

	"ccdir/internal/proc"
	"ccdir/wire"
	"ccdir/wire/ancestry"
)

// errInside refuses input from a process inside a session.
var errInside = wire.NewError(wire.CodeForbidden, "this process runs inside a session of ccdir: it may watch, but not type")

// typist returns a function that reports whether the process pid, which has just connected,
// may type. The answer takes a walk up its parents, so it is computed once; for a client
// that begins by watching (wire.Hello.Looks) only when it tries more, because a grid
// watches many sessions and types into one. A process that has ended meanwhile may not: its
// pid may be reused.
func (h *host) typist(pid int, pidErr error) func() bool {
	start, err := proc.StartTime(pid)
	if pidErr != nil || err != nil {
		return func() bool { return false }
	}
	return sync.OnceValue(func() bool { return !h.fromSession(pid) && proc.Alive(pid, start) })
}

// fromSession reports whether the process runs inside a session of this installation, or below its daemon: an
// agent must not type into dialogs, its own or others'. The daemon applies the same rule
// before it gives tickets away; this covers tickets read from disk.
func (h *host) fromSession(pid int) bool {
	_, inside := ancestry.Inside(pid, filepath.Dir(h.spec.Dir))
	return inside
}

// allowed reports whether the client may do more than watch; if not, it is refused. A
// read-only client is allowed: its input is ignored elsewhere.
func (c *client) allowed() bool {
	if c.readOnly || c.may() {
		return true
	}
	c.h.mu.Lock()
	defer c.h.mu.Unlock()
	c.refuse()
	return false
}

// refuse ends the connection with the reason. h.mu is held.
func (c *client) refuse() {
	if c.refused {
		return
	}
	c.refused = true
	c.outbox = appendMessage(c.outbox, errInside)
	c.wakeUp()
}
