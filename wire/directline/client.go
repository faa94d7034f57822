package directline

import (
	"sync"
	"time"
)

// Line is the client half of one line: the shared page and the session's PTY. Its
// methods may be called from any goroutine. None blocks longer than holdWait.
type Line struct {
	mu  sync.Mutex
	w   *words // nil after Close
	mem []byte
	// pty is the descriptor of the PTY's master, non-blocking.
	pty  int
	lent lending
}

// open maps the page that the host sent. It owns both descriptors from now on, also
// after an error. The PTY must stay non-blocking: the host shares that flag.
func open(page, pty int) (*Line, error) {
	mem, w, err := share(page)
	drop(page)
	if err != nil {
		drop(pty)
		return nil, err
	}
	return &Line{w: w, mem: mem, pty: pty}, nil
}

// Write writes text at once and returns how many bytes the PTY took: all of them, fewer
// if the program does not read, or none if the line may not be used now. The caller
// sends the rest to the host. sent counts the inputs that were sent to the host on the
// line's connection before.
func (l *Line) Write(text []byte, sent uint64) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := l.w
	if w == nil || len(text) == 0 || !ready(w, sent) || !w.turn.CompareAndSwap(turnFree, turnTerminal) {
		return 0
	}
	n := 0
	if ready(w, sent) { // again: now the host cannot change it
		w.at.Store(time.Now().UnixNano())
		w.typed.Add(1)
		n = put(l.pty, text)
	}
	endText(w)
	return n
}

// endText ends a text. If the host took the turn away meanwhile, back tells it that it
// may open the line again.
func endText(w *words) {
	if !w.turn.CompareAndSwap(turnTerminal, turnFree) {
		w.back.Store(1)
	}
}

// ready reports whether the line is open and the host has written every earlier input.
func ready(w *words, sent uint64) bool { return w.open.Load() == 1 && w.done.Load() == sent }

// Close takes the terminal back and gives up page and PTY. It may be called more than
// once. A session whose host was killed gets its hang-up when the last line is closed.
func (l *Line) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.w == nil {
		return
	}
	l.takeBack()
	l.w = nil
	drop(l.pty)
	unshare(l.mem)
}
