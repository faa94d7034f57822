package directline

import (
	"crypto/rand"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"
)

// Lines is the host half: the lines of all clients of one session. The zero value has
// none and is closed for text. Its methods may be called from any goroutine.
type Lines struct {
	mu sync.Mutex
	// pages maps each line to the token that fetches it, "" after it was used.
	pages map[*page]string
	// open: clients may write. holding: not now, because the host has their turns.
	open, holding bool
}

// End is the host's end of one client's line. The zero value has no line. The caller
// serializes the calls of its methods.
type End struct {
	lines *Lines
	page  *page // nil: no line
	// done counts the client's inputs that the host has written, seen the texts of the
	// line that Typed has reported.
	done, seen uint64
	had        bool // the client has had its line
}

// ErrHad refuses a client that has had its line.
var ErrHad = errors.New("this connection has had its direct line")

// Offer makes the client's line, one of l, and returns the token by which the client
// fetches it (Lines.Deliver), once.
func (e *End) Offer(l *Lines) (token string, err error) {
	if e.had {
		return "", ErrHad
	}
	p, err := newPage()
	if err != nil {
		return "", err
	}
	token = rand.Text()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.holding {
		p.hold()
	}
	p.setDone(e.done)
	p.setOpen(l.open)
	if l.pages == nil {
		l.pages = map[*page]string{}
	}
	l.pages[p] = token
	e.lines, e.page, e.had = l, p, true
	return token, nil
}

// Done says that the host has written this many inputs of the client, so that the
// client may write the text that comes after them. It also reopens a line that Hold
// took from a client which has finished its text since.
func (e *End) Done(inputs uint64) {
	e.done = inputs
	if e.page != nil {
		e.page.setDone(inputs)
	}
}

// Typed reports whether the client has begun to write texts since the last call, and
// when it wrote last.
func (e *End) Typed() (at time.Time, typed bool) {
	if e.page == nil {
		return time.Time{}, false
	}
	n, at := e.page.typed()
	typed = n != e.seen
	e.seen = n
	return at, typed
}

// Close takes the line back for good.
func (e *End) Close() {
	e.had = true
	p := e.page
	if p == nil {
		return
	}
	e.page = nil
	e.lines.mu.Lock()
	delete(e.lines.pages, p)
	e.lines.mu.Unlock()
	p.close()
}

// Allow opens the lines for texts that begin from now on, or closes them.
func (l *Lines) Allow(open bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open == open {
		return
	}
	l.open = open
	for p := range l.pages {
		p.setOpen(open)
	}
}

// Hold keeps clients from writing until release is called. It waits for texts that are
// being written. A client that does not finish within holdWait loses its line until the
// next Done: it was killed or stopped meanwhile, or the machine is slow. While the lines
// are held already, Hold and its release do nothing.
func (l *Lines) Hold() (release func()) {
	l.mu.Lock()
	if l.holding {
		l.mu.Unlock()
		return func() {}
	}
	l.holding = true
	pages := slices.Collect(maps.Keys(l.pages))
	l.mu.Unlock()
	for _, p := range pages { // without the lock: a stopped client makes it wait
		p.hold()
	}
	return l.release
}

func (l *Lines) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.holding = false
	for p := range l.pages {
		p.release()
	}
}
