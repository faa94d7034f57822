package directline

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// words is what host and terminal share. Its layout is a protocol between
// processes of possibly different builds: only add to its end.
type words struct {
	// turn says who may write: one of the turn… constants.
	turn atomic.Uint32
	// open: the host allows the terminal to write (1) or not (0).
	open atomic.Uint32
	// done is how many of the terminal's inputs the host has written. Host's.
	done atomic.Uint64
	// typed counts the texts that the terminal began to write. Terminal's.
	typed atomic.Uint64
	// at is when it wrote last, in Unix nanoseconds. Terminal's.
	at atomic.Int64
	// echo is the way back.
	echo echoWords
	// back: the terminal is through with the text whose turn was taken from it (1).
	// Terminal's until then.
	back atomic.Uint32
}

// Whose turn it is.
const (
	turnFree uint32 = iota
	turnHost
	turnTerminal
)

// pageSize of the shared memory, in bytes.
const pageSize = 4096

const (
	// holdWait is how long the host waits for a terminal that is writing, which
	// takes microseconds: one that takes longer was stopped in the middle of it.
	holdWait = 50 * time.Millisecond
	holdStep = 50 * time.Microsecond
)

// errClosed is the answer of a page or line that was closed.
var errClosed = errors.New("the direct line is closed")

// Page is the host's end of one terminal's line. Its methods may be called from
// any goroutine; after Close they do nothing and return zero.
type Page struct {
	mu  sync.RWMutex // held for reading while words are used
	w   *words
	mem []byte
	fd  int
	// display is the descriptor of the terminal itself, -1 if it gave none.
	display int
	// lost: a turn was taken from a terminal that did not give it back; the line stays
	// closed until it does. wanted: it would be open otherwise. Both are set under gate,
	// which is taken before mu.
	gate         sync.Mutex
	lost, wanted atomic.Bool
}

// New makes a page with a closed line.
func New() (*Page, error) {
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
	return &Page{w: w, mem: mem, fd: fd, display: -1}, nil
}

// use calls f with the shared words unless the page is closed.
func (p *Page) use(f func(w *words)) bool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if p.w == nil {
		return false
	}
	f(p.w)
	return true
}

// Control calls f with the memory's descriptor, which the terminal needs for Open
// and which is valid meanwhile.
func (p *Page) Control(f func(fd int)) error {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if p.w == nil {
		return errClosed
	}
	f(p.fd)
	return nil
}

// Close takes the page back. The terminal's line is closed with it.
func (p *Page) Close() {
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

// SetOpen opens or closes the line for texts that begin from now on.
func (p *Page) SetOpen(open bool) {
	p.gate.Lock()
	defer p.gate.Unlock()
	p.wanted.Store(open)
	p.use(p.setOpen)
}

// setOpen tells the terminal whether it may write. gate is held.
func (p *Page) setOpen(w *words) {
	if p.wanted.Load() && !p.lost.Load() {
		w.open.Store(1)
	} else {
		w.open.Store(0)
	}
}

// SetDone says how many inputs of the terminal have been written, so that it may
// write what comes after them. It also opens a line that was taken from a terminal
// which is through with its text by now.
func (p *Page) SetDone(n uint64) {
	back := false
	p.use(func(w *words) {
		w.done.Store(n)
		back = p.lost.Load() && w.back.CompareAndSwap(1, 0)
	})
	if back {
		p.gate.Lock()
		defer p.gate.Unlock()
		p.lost.Store(false)
		p.use(p.setOpen)
	}
}

// Typed is how many texts the terminal has written or is about to write, and when
// it did last.
func (p *Page) Typed() (n uint64, at time.Time) {
	p.use(func(w *words) {
		if n = w.typed.Load(); n > 0 {
			at = time.Unix(0, w.at.Load())
		}
	})
	return n, at
}

// Hold takes the turn: until Release the terminal writes nothing. It waits for a
// text that is being written. A terminal that does not give the turn back within
// holdWait loses its line: it was killed or stopped meanwhile, or the machine is slow.
// If it lives it gets the line back with its next input.
func (p *Page) Hold() {
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
		p.setOpen(w)                               // first: it may go on between its turn and its text
		if w.turn.Swap(turnHost) != turnTerminal { // it came back this moment
			p.lost.Store(false)
			p.setOpen(w)
		}
	})
}

// Release gives the turn back.
func (p *Page) Release() {
	p.use(func(w *words) { w.turn.CompareAndSwap(turnHost, turnFree) })
}
