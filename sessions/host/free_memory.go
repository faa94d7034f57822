package host

import (
	"runtime/debug"
	"time"
)

// A host that printed much, or rewrapped a long history, has freed memory that the runtime
// returns to the system so slowly that an idle host would keep it. With one host per
// session that would be most of their memory, so a host returns it once it is quiet.
const (
	// tidyBytes is the amount of output or rewrapped history, in bytes, after which memory
	// is returned.
	tidyBytes = 512 << 10
	// tidyQuiet is how long the session must be quiet before.
	tidyQuiet = time.Second
)

// freeMemory returns memory to the system. Guarded by host.mu.
type freeMemory struct {
	h     *host
	used  int // bytes since memory was last returned
	armed bool
	timer *time.Timer
	// release returns memory; a variable for tests.
	release func()
}

func (t *freeMemory) init(h *host) {
	t.h, t.release = h, debug.FreeOSMemory
	t.timer = time.AfterFunc(time.Hour, t.due)
	t.timer.Stop()
}

// note counts n bytes printed or moved.
func (t *freeMemory) note(n int) {
	if t.used += n; t.used >= tidyBytes && !t.armed {
		t.armed = true
		t.timer.Reset(tidyQuiet)
	}
}

// due returns memory, or runs again later if the session is not quiet yet.
func (t *freeMemory) due() {
	h := t.h
	h.mu.Lock()
	if wait := tidyQuiet - time.Since(h.lastRead); wait > 0 && !h.reaped {
		t.timer.Reset(wait)
		h.mu.Unlock()
		return
	}
	t.armed, t.used = false, 0
	h.mu.Unlock()
	t.release()
}
