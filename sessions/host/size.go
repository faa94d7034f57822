package host

import (
	"time"

	"ccdir/sessions/screen"
)

// resizeDebounce is the least time between two changes of size: a window that
// is dragged would make the application draw for each step otherwise.
const resizeDebounce = 50 * time.Millisecond

// sizing decides the session's size: its owner is the client whose key, paste
// or click reached it last. Guarded by host.mu.
type sizing struct {
	h          *host
	cols, rows int
	owner      *client
	pinned     bool
	uses       uint64 // numbers uses, to find the most recent client
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

// use notes that c was used, which makes it the owner; explicit ends a pin even
// if c is the owner already.
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
		s.pinned = false
		s.h.wakeAll()
	} else if explicit && s.pinned {
		s.pinned = false
		s.h.wakeAll()
	}
	s.request()
}

// viewChanged notes a client's new room. The first client with an opinion owns
// a session that nobody owns, as one does that became the owner because the size
// was right for it, and may do no more than look.
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

// gone hands a client's ownership to the one used most recently.
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

// pin sets the size until there is another owner.
func (s *sizing) pin(cols, rows int) {
	s.pinned = true
	s.apply(cols, rows)
	s.h.wakeAll()
}

// request applies the owner's size, now or when the debounce time has passed.
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

// due runs when the debounce time has passed.
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
	s.h.lastRead = s.last // what is printed on it is an answer, and no news of the program's
	s.h.guard("Resize", func() {
		s.h.eng.Resize(cols, rows)
		s.h.tidy.note(s.h.eng.HistoryLen() * cols)
	})
	if !s.h.reaped {
		s.h.child.resize(cols, rows)
	}
	s.h.wakeAll()
}
