package host

import (
	"bytes"
	"errors"
	"time"
	"unicode/utf8"

	"ccdir/sessions/host/keyenc"
	"ccdir/sessions/screen"
	"ccdir/wire"
)

// Writing long text takes as long as the program likes, which may not read at all. So it is
// written in pieces, the client is told the progress, and the rest can be dropped
// (wire.MethodDrop).
const (
	pieceBytes = 4 << 10
	// tellEvery is the minimum time between two progress reports.
	tellEvery = 200 * time.Millisecond
)

// intake is the progress of a client's inputs, in bytes of their text. Guarded by host.mu.
type intake struct {
	id    uint64 // of the connection
	taken uint64 // of inputs that are finished
	part  uint64 // written of the input in progress
	lost  uint64 // dropped, in total
	// dropTo is the number of the last input whose long text is dropped; 0: none.
	dropTo uint64
	tell   bool // the next status must report progress
	due    bool // a timer that sets tell is running
}

// longWrite is the long text that is being written. Guarded by host.mu.
type longWrite struct {
	c   *client // nil: none
	n   uint64  // its number among the client's inputs
	cut bool    // the rest is dropped
}

// errNoConnection is the error of a drop for a connection that has ended.
var errNoConnection = errors.New("there is no such connection: its pending input is gone with it")

// drop drops a connection's long texts up to an input number.
func (h *host) drop(p wire.DropParams) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.clients {
		if c.intake.id != p.Connection {
			continue
		}
		c.intake.dropTo = max(c.intake.dropTo, p.Inputs)
		if l := &h.long; l.c == c && l.n <= c.intake.dropTo {
			l.cut = true
			_ = h.child.PTY.SetWriteDeadline(time.Unix(1, 0)) // where deadlines do not work, the current piece is written first
		}
		return nil
	}
	return errNoConnection
}

// typeLong writes the client's input number n, a text of size bytes, unless it is dropped.
// The writer calls it.
func (h *host) typeLong(c *client, n uint64, size int, evidence string, encode func(screen.State) []byte) {
	h.mu.Lock()
	dropped := n <= c.intake.dropTo
	if dropped {
		c.intake.lost += uint64(size)
	}
	h.mu.Unlock()
	if dropped {
		return
	}
	defer h.hold()()
	p := h.note(c, evidence, false, encode)
	h.mu.Lock()
	h.long = longWrite{c: c, n: n, cut: n <= c.intake.dropTo} // the drop may have come meanwhile
	h.mu.Unlock()
	written, err := 0, error(nil)
	for written < len(p) && err == nil && !h.isCut() {
		var k int
		k, err = h.child.PTY.Write(p[written:min(len(p), written+pieceBytes)])
		written += k
		h.wrotePiece(c, k, min(written, size))
	}
	if rest := h.endLong(c, p, written, size); len(rest) > 0 {
		_ = h.write(rest)
	}
}

func (h *host) isCut() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.long.cut
}

// wrotePiece accounts for n more bytes; so is the total so far.
func (h *host) wrotePiece(c *client, n, so int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.wrote += uint64(n)
	in := &c.intake
	in.part = uint64(so)
	if !in.due {
		in.due = true
		time.AfterFunc(tellEvery, func() {
			h.mu.Lock()
			in.due, in.tell = false, true
			h.mu.Unlock()
			c.wakeUp()
		})
	}
}

// endLong ends a long text of which written bytes were written, and returns the bytes that
// must follow if the rest was dropped.
func (h *host) endLong(c *client, p []byte, written, size int) (rest []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	cut := h.long.cut
	h.long = longWrite{}
	in := &c.intake
	in.part = uint64(size)
	if !cut {
		return nil
	}
	_ = h.child.PTY.SetWriteDeadline(time.Time{})
	if written < len(p) {
		in.lost += uint64(size - min(written, size))
		rest = closing(p, written)
	}
	in.tell = true // at once: writing rest may take as long as the text would have
	c.wakeUp()
	return rest
}

// closing returns the bytes that must follow a text cut after its first bytes: the rest of
// a character, and the end of a bracketed paste.
func closing(p []byte, written int) []byte {
	if written == 0 {
		return nil
	}
	end, last := written, len(p)
	var mark []byte
	if bytes.HasPrefix(p, keyenc.PasteStart) && bytes.HasSuffix(p, keyenc.PasteEnd) {
		end, last = max(end, len(keyenc.PasteStart)), len(p)-len(keyenc.PasteEnd)
		mark = keyenc.PasteEnd
		if end >= last {
			return p[written:]
		}
	}
	for most := end + utf8.UTFMax - 1; end < last && end < most && !utf8.RuneStart(p[end]); {
		end++
	}
	return append(p[written:end:end], mark...)
}

// tookInput accounts for a finished input. h.mu is held.
func (c *client) tookInput(size int) {
	in := &c.intake
	in.taken += uint64(size)
	in.part = 0
	if size >= wire.LongText {
		in.tell = true
		c.wakeUp()
	}
}
