package host

import (
	"runtime/debug"
	"time"
)

// A host that printed much, or wrapped a long history anew, has used memory that
// it does not need any more; the runtime gives such memory back so slowly that a
// quiet host would keep it. With as many hosts as sessions that is most of what
// they take, so it is given back once, when the session has become quiet.
const (
	// tidyBytes is how much output, or history that was wrapped, is much.
	tidyBytes = 512 << 10
	// tidyQuiet is for how long nothing must have been printed.
	tidyQuiet = time.Second
)

// freeMemory sees to it. Guarded by host.mu.
type freeMemory struct {
	h     *host
	used  int // bytes since the last time
	armed bool
	timer *time.Timer
	// release gives memory back.
	release func()
}

func (t *freeMemory) init(h *host) {
	t.h, t.release = h, debug.FreeOSMemory
	t.timer = time.AfterFunc(time.Hour, t.due)
	t.timer.Stop()
}

// note counts n bytes that were printed or moved.
func (t *freeMemory) note(n int) {
	if t.used += n; t.used >= tidyBytes && !t.armed {
		t.armed = true
		t.timer.Reset(tidyQuiet)
	}
}

// due gives memory back, or looks again when the session may have become quiet.
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
