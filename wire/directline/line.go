package directline

import (
	"sync"
	"time"
)

// Line is the terminal's end: the shared page and the PTY. Its methods may be
// called from any goroutine.
type Line struct {
	mu       sync.Mutex
	w        *words
	mem      []byte
	terminal int // descriptor of the PTY's master, non-blocking
	lent     lending
}

// Open takes the descriptors of the page and of the PTY's master that the host
// gave: both are the line's from now on, also after an error. The PTY's must stay
// non-blocking, as the host made it: the host shares that setting.
func Open(page, terminal int) (*Line, error) {
	mem, w, err := share(page)
	drop(page)
	if err != nil {
		drop(terminal)
		return nil, err
	}
	return &Line{w: w, mem: mem, terminal: terminal}, nil
}

// Write writes text at once and returns how many bytes of it were taken: all, or
// fewer when the program does not read, or none when it may not be written this
// way now. The rest has to be sent to the host. sent is how many inputs the host
// was sent on the line's connection before.
func (l *Line) Write(text []byte, sent uint64) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := l.w
	if w == nil || len(text) == 0 || !ready(w, sent) || !w.turn.CompareAndSwap(turnFree, turnTerminal) {
		return 0
	}
	n := 0
	if ready(w, sent) { // still, now that the host cannot change its mind
		w.at.Store(time.Now().UnixNano())
		w.typed.Add(1)
		n = put(l.terminal, text)
	}
	giveBack(w)
	return n
}

// giveBack ends a text. If the host lost patience meanwhile, it is told that it can
// open the line again.
func giveBack(w *words) {
	if !w.turn.CompareAndSwap(turnTerminal, turnFree) {
		w.back.Store(1)
	}
}

// ready reports whether the line is open and nothing would be overtaken.
func ready(w *words, sent uint64) bool { return w.open.Load() == 1 && w.done.Load() == sent }

// Close gives page and PTY up, and takes back what was lent. A session whose host was killed gets its hang-up
// when the last line is closed.
func (l *Line) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.w == nil {
		return
	}
	l.takeBack()
	l.w = nil
	drop(l.terminal)
	unshare(l.mem)
}
