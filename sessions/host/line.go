package host

import (
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"time"

	"ccdir/internal/tune/rawio"
	"ccdir/wire"
	"ccdir/wire/directline"
)

// lineEnd is the host's end of a client's direct line. Guarded by host.mu.
type lineEnd struct {
	page  *directline.Page // nil: none
	token string           // fetches the descriptors, once
	// done is how many of the client's inputs the writer is through with, seen how
	// many texts of the line have been accounted for.
	done, seen uint64
}

// errLine answers a client that cannot have a direct line.
var errLine = errors.New("this connection has had its direct line")

// holdFrom is the size in bytes from which on what the writer writes could be
// taken by the terminal in pieces, with something of a direct line in between.
const holdFrom = 256

// newLine makes the client's direct line, which is good for its connection.
func (c *client) newLine() (wire.LineResult, error) {
	h := c.h
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.reaped:
		return wire.LineResult{}, errEnded
	case c.gone || c.line.page != nil:
		return wire.LineResult{}, errLine
	}
	page, err := directline.New()
	if err != nil {
		return wire.LineResult{}, err
	}
	if h.holding {
		page.Hold()
	}
	page.SetDone(c.line.done)
	page.SetOpen(h.lineOpen)
	c.line.page, c.line.token = page, rand.Text()
	return wire.LineResult{Token: c.line.token}, nil
}

// handLine sends the descriptors of the line that hello wants, and takes the
// display's.
func (h *host) handLine(nc *rawio.Conn, hello *wire.Hello) error {
	page := h.lineOf(hello.Line)
	if page == nil {
		return wire.NewError(wire.CodeForbidden, "no direct line waits to be fetched with this token")
	}
	var err error
	send := func(conn, terminal uintptr) {
		if bad := page.Control(func(fd int) { err = wire.SendLine(conn, fd, int(terminal)) }); bad != nil {
			err = bad
		}
	}
	bad := nc.Control(func(conn uintptr) {
		if bad := h.child.ptm.Control(func(terminal uintptr) { send(conn, terminal) }); bad != nil {
			err = bad
		}
	})
	if err = errors.Join(err, bad); err != nil || !hello.Display {
		return err
	}
	_ = nc.SetReadDeadline(time.Now().Add(helloTimeout))
	if display, err := wire.ReceiveDisplay(nc); err == nil { // without one nothing is echoed straight
		page.SetDisplay(display)
	}
	return nil
}

// lineRefusal is the answer to who wanted a line.
func lineRefusal(err error) *wire.Error {
	var coded *wire.Error
	if errors.As(err, &coded) {
		return coded
	}
	return wire.NewError(wire.CodeInternal, err.Error())
}

// lineOf is the page of that token, which is used up; nil if there is none.
func (h *host) lineOf(token string) *directline.Page {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.clients {
		if l := &c.line; l.token != "" && subtle.ConstantTimeCompare([]byte(token), []byte(l.token)) == 1 {
			l.token = ""
			return l.page
		}
	}
	return nil
}

// counted makes j, which may be nil, tell the client's line that everything up to
// this input, whose text is that long, has been written.
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
		c.line.done = n
		c.tookInput(size)
		if p := c.line.page; p != nil {
			p.SetDone(n)
		}
		c.h.mu.Unlock()
	}
}

// lineGone takes a client's line back. h.mu is held.
func (h *host) lineGone(c *client) {
	h.absorb(c)
	if p := c.line.page; p != nil {
		c.line.page, c.line.token = nil, ""
		p.Close()
	}
}

// absorbAll accounts for what was typed by direct lines. h.mu is held.
func (h *host) absorbAll() {
	for c := range h.clients {
		if c.line.page != nil {
			h.absorb(c)
		}
	}
}

// absorb accounts for what the client typed by its direct line, as typed1 does for
// what it sent. h.mu is held.
func (h *host) absorb(c *client) {
	l := &c.line
	if l.page == nil {
		return
	}
	n, at := l.page.Typed()
	if n == l.seen {
		return
	}
	l.seen = n
	h.size.use(c, false)
	h.typed++
	h.person.note("text")
	if at.Before(h.person.at) {
		h.person.at = at
	}
	h.recordKeys("text")
}

// setLines opens the direct lines, or closes them while the application wants its
// keys encoded. h.mu is held.
func (h *host) setLines(open bool) {
	if h.lineOpen == open {
		return
	}
	h.lineOpen = open
	for c := range h.clients {
		if p := c.line.page; p != nil {
			p.SetOpen(open)
		}
	}
}

// hold keeps direct lines from writing until release, and accounts for what they
// have written. Only the writer calls it; a second hold is the first one's.
func (h *host) hold() (release func()) {
	h.mu.Lock()
	if h.holding {
		h.mu.Unlock()
		return func() {}
	}
	h.holding = true
	var pages []*directline.Page
	for c := range h.clients {
		if c.line.page != nil {
			pages = append(pages, c.line.page)
		}
	}
	h.mu.Unlock()
	for _, p := range pages { // without h.mu: a stopped terminal makes it wait
		p.Hold()
	}
	h.mu.Lock()
	h.absorbAll()
	h.mu.Unlock()
	return h.releaseLines
}

func (h *host) releaseLines() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.holding = false
	for c := range h.clients {
		if p := c.line.page; p != nil {
			p.Release()
		}
	}
}

// typingNow is what is known of a person's typing. h.mu is held.
func (h *host) typingNow() *wire.Typing {
	h.absorbAll()
	return h.person.typing(time.Now())
}
