package host

import (
	"path/filepath"
	"sync"

	"ccdir/internal/proc"
	"ccdir/wire"
	"ccdir/wire/ancestry"
)

// errInside refuses a process that runs inside a session.
var errInside = wire.NewError(wire.CodeForbidden, "this process runs inside a session of ccdir: it may look, and not type")

// typist returns what tells whether the process pid, which has just connected,
// may type. That takes a walk up its parents, so it is done once, and for a
// client that begins by looking (wire.Hello.Looks) only when it tries more: a
// grid that attaches to many sessions types into one. A process that has ended by
// then may not; its number may be another's.
func (h *host) typist(pid int, pidErr error) func() bool {
	start, err := proc.StartTime(pid)
	if pidErr != nil || err != nil {
		return func() bool { return false }
	}
	return sync.OnceValue(func() bool { return !h.fromSession(pid) && proc.Alive(pid, start) })
}

// fromSession reports whether the process pid runs inside a session
// of the same installation: an agent must not type into its own dialogs, nor into
// others'. The daemon says the same before it gives tickets away; this holds for
// tickets that were read from the disk.
func (h *host) fromSession(pid int) bool {
	from, ok := ancestry.Session(pid, filepath.Dir(h.spec.Dir))
	return ok && !from.Spec.Yours
}

// allowed reports whether the client may do more than look, and refuses it if
// not. A read-only one is not refused: what it sends is left alone.
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
