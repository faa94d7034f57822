package host

import (
	"errors"
	"os"
	"runtime"
	"time"

	"ccdir/sessions/host/keyenc"
	"ccdir/sessions/screen"
	"ccdir/wire"
)

// readPTY is the only reader of the PTY, until the end of the stream. On Linux a read fails
// with EIO when no process has the terminal open; a process may open it again, so the
// reader retries at growing intervals until the process has ended.
func (h *host) readPTY() {
	buf := make([]byte, readBufferSize)
	pause := 10 * time.Millisecond
	for {
		n, err := h.child.PTY.Read(buf)
		if n > 0 {
			h.output(buf[:n])
			pause = 10 * time.Millisecond
			if n < part {
				runtime.Gosched() // lets an echo go out before the next, blocking read
			}
		}
		if err == nil {
			continue
		}
		if errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, os.ErrClosed) || h.isReaped() {
			return
		}
		select {
		case <-h.ended:
		case <-time.After(pause):
		}
		pause = min(2*pause, time.Second)
	}
}

func (h *host) isReaped() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.reaped
}

// output handles what the process printed.
func (h *host) output(p []byte) {
	now := time.Now()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ring.write(p)
	h.tidy.note(len(p))
	if now.Sub(h.lastRead) >= silence {
		h.record(wire.EvidenceActive)
	}
	h.lastRead = now
	h.absorbAll()
	h.settle(len(p), now)
	h.guard("Feed", func() {
		if eng, ok := h.eng.(screen.ProgramEnder); ok && h.child != nil && h.front.look(h.child.Foreground, eng, len(p), now) {
			h.feedBack(eng, p)
		} else {
			h.feed(p)
		}
		h.takeReplies()
		s := h.eng.State()
		h.direct.Allow(s.Modes.KittyFlags&keyenc.KittyAllKeys == 0)
		if s.Alt != h.alt {
			h.alt = s.Alt
			on := "0"
			if s.Alt {
				on = "1"
			}
			h.record(wire.EvidenceAltOn, field{"on", on})
		}
		if s.Title != h.titles.now {
			h.titles.set(s.Title, now)
		}
		switch {
		case !s.Sync:
			h.syncFrom = time.Time{}
		case h.syncFrom.IsZero():
			h.syncFrom = now
		}
	})
	for c := range h.clients {
		c.screenChanged()
	}
	if h.watching {
		wake(h.changed)
	}
}

// A PTY hands over 4 KB at a time. A larger redraw is read in parts, the first of which may
// show half-erased lines: no frame is sent then if the rest comes soon.
const (
	// bulk is the size of a read, in bytes, after which more is expected. Within bulkSpan
	// of such a read, part is enough: the kernel may hand over the start of a redraw before
	// the program has written all of it.
	bulk     = 2 << 10
	part     = 256
	bulkSpan = time.Second
	// settleFor bounds the wait for the next part, settleMost that for all parts.
	settleFor  = time.Millisecond
	settleMost = 4 * time.Millisecond
)

// settle decides, after a read of n bytes, until when (settled) no frame is sent. h.mu is
// held.
func (h *host) settle(n int, now time.Time) {
	waits := !h.settled.IsZero() && !now.After(h.settled)
	if n >= bulk {
		h.bulkAt = now
	}
	switch {
	case n < part, n < bulk && (waits || now.Sub(h.bulkAt) > bulkSpan):
		h.settled = time.Time{}
	case !waits:
		h.bulkFrom = now
		h.settled = now.Add(settleFor)
	default:
		h.settled = now.Add(settleFor)
		if last := h.bulkFrom.Add(settleMost); h.settled.After(last) {
			h.settled = last
		}
	}
}

// takeReplies passes the engine's replies to the PTY's writer. A process that asks without
// reading the answers loses the newest.
func (h *host) takeReplies() {
	before := len(h.replies)
	h.replies = h.eng.TakeReplies(h.replies)
	h.repliesAdded(before)
}

// addReply passes a report to the PTY's writer as if the engine had made it. h.mu is held.
func (h *host) addReply(report []byte) {
	before := len(h.replies)
	h.replies = append(h.replies, report...)
	h.repliesAdded(before)
}

// repliesAdded wakes the writer, or drops what is too much. before is how much there was.
func (h *host) repliesAdded(before int) {
	switch n := len(h.replies); {
	case n == before:
	case n > maxReplyBytes:
		h.replies = h.replies[:before]
	default:
		wake(h.replyWake)
	}
}

// wake fills a one-slot channel.
func wake(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

// job is work for the PTY's writer. While it runs, nothing else is written except terminal
// replies during its waits.
type job func()

// writePTY is the only writer of the PTY.
func (h *host) writePTY() {
	for {
		// Replies first: an application waiting for one reads nothing else.
		h.writeReplies()
		select {
		case <-h.over:
			return
		case <-h.replyWake:
		case j := <-h.input:
			h.writeReplies()
			j()
		}
	}
}

func (h *host) writeReplies() {
	h.mu.Lock()
	p := h.replies
	h.replies = nil
	h.mu.Unlock()
	if len(p) > 0 {
		_ = h.write(p) // awaitChild sees the process's end
	}
}

// write writes to the PTY and blocks while the process does not read. Only the writer calls
// it.
func (h *host) write(p []byte) error {
	if len(p) == 0 {
		return nil
	}
	if len(p) >= holdFrom {
		defer h.hold()()
	}
	n, err := h.child.PTY.Write(p)
	h.mu.Lock()
	h.wrote += uint64(n)
	h.mu.Unlock()
	return err
}

// tryEnqueue passes a job to the writer; false if its queue is full.
func (h *host) tryEnqueue(j job) bool {
	select {
	case h.input <- j:
		return true
	default:
		return false
	}
}
