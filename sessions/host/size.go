package host

import (
	"time"

	"ccdir/sessions/screen"
)

// resizeDebounce is the minimum time between two resizes: the application would redraw for
// each step of a dragged window.
const resizeDebounce = 50 * time.Millisecond

// sizing decides the session's size: it follows the client whose key, paste or click came
// last, its owner. Guarded by host.mu.
type sizing struct {
	h          *host
	cols, rows int
	owner      *client
	pinned     bool
	uses       uint64 // counts uses, to find the client used last
	last       time.Time
	timer      *time.Timer
	armed      bool
}

func (s *sizing) init(h *host) {
	s.h = h
	s.cols, s.rows = h.spec.Cols, h.spec.Rows
	s.timer = time.AfterFunc(time.Hour, s.due)
	s.timer.Stop()
}

// use makes c the owner, because it was used; explicit ends a pin even if c is the owner
// already.
func (s *sizing) use(c *client, explicit bool) {
	if c == nil || c.readOnly || c.gone || c.refused {
		return
	}
	if s.pinned && s.owner != c && !c.may() {
		c.refuse()
		return
	}
	s.uses++
	c.lastUse = s.uses
	if s.owner != c {
		s.owner = c
		s.h.seen(c.view.Colours)
		s.pinned = false
		s.h.wakeAll()
	} else if explicit && s.pinned {
		s.pinned = false
		s.h.wakeAll()
	}
	s.request()
}

// viewChanged applies a client's new View. A session without an owner gets this client as
// its owner; so does one whose owner may only watch (it became the owner because its size
// already fit).
func (s *sizing) viewChanged(c *client) {
	if c.readOnly || c.view.Cols <= 0 || c.view.Rows <= 0 {
		return
	}
	if s.owner != nil && s.owner != c && !s.owner.may() {
		s.owner.refuse()
		s.owner = nil
	}
	if s.owner == nil {
		s.use(c, false)
		return
	}
	if s.owner == c {
		s.request()
	}
}

// gone passes a leaving client's ownership to the client used last.
func (s *sizing) gone(c *client) {
	if s.owner != c {
		return
	}
	s.owner = nil
	for other := range s.h.clients {
		if other != c && !other.readOnly && !other.refused && other.view.Cols > 0 && (s.owner == nil || other.lastUse > s.owner.lastUse) {
			s.owner = other
		}
	}
	s.h.wakeAll()
	s.request()
}

// pin sets the size until the owner changes.
func (s *sizing) pin(cols, rows int) {
	s.pinned = true
	s.apply(cols, rows)
	s.h.wakeAll()
}

// request applies the owner's size, now or after the debounce time.
func (s *sizing) request() {
	if s.owner == nil || s.pinned || s.armed || s.owner.view.Cols <= 0 || s.owner.view.Rows <= 0 {
		return
	}
	cols, rows := min(s.owner.view.Cols, screen.MaxCols), min(s.owner.view.Rows, screen.MaxRows)
	if cols == s.cols && rows == s.rows {
		return
	}
	if !s.owner.may() {
		s.owner.refuse()
		s.gone(s.owner)
		return
	}
	if wait := resizeDebounce - time.Since(s.last); wait > 0 {
		s.armed = true
		s.timer.Reset(wait)
		return
	}
	s.apply(cols, rows)
}

// due runs after the debounce time.
func (s *sizing) due() {
	s.h.mu.Lock()
	defer s.h.mu.Unlock()
	s.armed = false
	s.request()
}

func (s *sizing) apply(cols, rows int) {
	cols, rows = max(1, min(cols, screen.MaxCols)), max(1, min(rows, screen.MaxRows))
	s.last = time.Now()
	if cols == s.cols && rows == s.rows {
		return
	}
	s.cols, s.rows = cols, rows
	s.h.lastRead = s.last // output after a resize is the redraw, not activity
	s.h.guard("Resize", func() {
		s.h.eng.Resize(cols, rows)
		s.h.tidy.note(s.h.eng.HistoryLen() * cols)
	})
	if !s.h.reaped {
		s.h.child.Resize(cols, rows)
	}
	s.h.wakeAll()
}
