package directline

import (
	"sync"
	"sync/atomic"
	"time"
)

// page is the host's view of one client's shared memory. Its methods may be called from
// any goroutine; after close they do nothing and return zero.
type page struct {
	mu  sync.RWMutex // held for reading while words are used
	w   *words
	mem []byte
	fd  int // of the memory
	// display is the descriptor of the client's terminal; -1: the client gave none.
	display int
	// lost: hold took the turn away from a client, and the line stays closed until the
	// client gives it back. wanted: the line would be open otherwise. Both are set under
	// gate, which is locked before mu.
	gate         sync.Mutex
	lost, wanted atomic.Bool
}

// newPage makes a page whose line is closed.
func newPage() (*page, error) {
	fd, err := newMemory()
	if err != nil {
		return nil, err
	}
	mem, w, err := share(fd)
	if err != nil {
		drop(fd)
		return nil, err
	}
	w.echo.turn.Store(turnTerminal)
	return &page{w: w, mem: mem, fd: fd, display: -1}, nil
}

// use calls f with the shared words, unless the page is closed.
func (p *page) use(f func(w *words)) bool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if p.w == nil {
		return false
	}
	f(p.w)
	return true
}

// close gives up the memory and the client's terminal. The line is closed with it.
func (p *page) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w == nil {
		return
	}
	p.w.open.Store(0)
	p.w = nil
	drop(p.fd)
	if p.display >= 0 {
		drop(p.display)
		p.display = -1
	}
	unshare(p.mem)
}

// setOpen opens or closes the line for texts that begin from now on.
func (p *page) setOpen(open bool) {
	p.gate.Lock()
	defer p.gate.Unlock()
	p.wanted.Store(open)
	p.use(p.tellOpen)
}

// tellOpen writes whether the client may write. gate is held.
func (p *page) tellOpen(w *words) {
	if p.wanted.Load() && !p.lost.Load() {
		w.open.Store(1)
	} else {
		w.open.Store(0)
	}
}

// setDone is End.Done.
func (p *page) setDone(n uint64) {
	back := false
	p.use(func(w *words) {
		w.done.Store(n)
		back = p.lost.Load() && w.back.CompareAndSwap(1, 0)
	})
	if back {
		p.gate.Lock()
		defer p.gate.Unlock()
		p.lost.Store(false)
		p.use(p.tellOpen)
	}
}

// typed is how many texts the client has begun to write, and when it wrote last.
func (p *page) typed() (n uint64, at time.Time) {
	p.use(func(w *words) {
		if n = w.typed.Load(); n > 0 {
			at = time.Unix(0, w.at.Load())
		}
	})
	return n, at
}

// hold takes the turn: until release the client writes nothing. See Lines.Hold.
func (p *page) hold() {
	for end := time.Now().Add(holdWait); ; time.Sleep(holdStep) {
		held := false
		if !p.use(func(w *words) { held = w.turn.CompareAndSwap(turnFree, turnHost) }) || held {
			return
		}
		if time.Now().After(end) {
			break
		}
	}
	p.gate.Lock()
	defer p.gate.Unlock()
	p.lost.Store(true)
	p.use(func(w *words) {
		p.tellOpen(w)                              // first: the client may go on between its turn and its text
		if w.turn.Swap(turnHost) != turnTerminal { // the client finished just now
			p.lost.Store(false)
			p.tellOpen(w)
		}
	})
}

// release gives the turn back.
func (p *page) release() {
	p.use(func(w *words) { w.turn.CompareAndSwap(turnHost, turnFree) })
}
