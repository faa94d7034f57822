package host

import (
	"errors"
	"time"

	"ccdir/wire"
)

// holdFrom is the size in bytes from which the PTY may take a write in pieces, so that text
// of a direct line could get between them.
const holdFrom = 256

// newLine makes the client's direct line, which lives as long as its connection.
func (c *client) newLine() (wire.LineResult, error) {
	h := c.h
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.reaped {
		return wire.LineResult{}, errEnded
	}
	token, err := c.line.Offer(&h.direct)
	return wire.LineResult{Token: token}, err
}

// lineRefusal is the answer to a client that could not fetch its line.
func lineRefusal(err error) *wire.Error {
	var coded *wire.Error
	if errors.As(err, &coded) {
		return coded
	}
	return wire.NewError(wire.CodeInternal, err.Error())
}

// counted extends j, which may be nil, so that the client's line learns that its inputs
// up to this one have been written. size is the length of the input's text in bytes.
func (c *client) counted(j job, size int) job {
	if c.readOnly {
		return j
	}
	n := c.inputs
	return func() {
		if j != nil {
			j()
		}
		c.h.mu.Lock()
		c.tookInput(size)
		c.line.Done(n)
		c.h.mu.Unlock()
	}
}

// absorbAll accounts for the text that clients typed by direct lines. h.mu is held.
func (h *host) absorbAll() {
	for c := range h.clients {
		h.absorb(c)
	}
}

// absorb accounts for the text that the client typed by its direct line, as typed1 does
// for input that it sent. h.mu is held.
func (h *host) absorb(c *client) {
	at, typed := c.line.Typed()
	if !typed {
		return
	}
	h.size.use(c, false)
	h.typed++
	h.person.note("text")
	if at.Before(h.person.at) {
		h.person.at = at
	}
	h.recordKeys("text")
}

// hold keeps direct lines from writing until release, and accounts for the text that
// they have written. Only the writer calls it.
func (h *host) hold() (release func()) {
	release = h.direct.Hold()
	h.mu.Lock()
	h.absorbAll()
	h.mu.Unlock()
	return release
}

// typingNow is the state of the person's typing. h.mu is held.
func (h *host) typingNow() *wire.Typing {
	h.absorbAll()
	t := h.person.typing(time.Now())
	t.Watched = h.watched()
	return t
}
