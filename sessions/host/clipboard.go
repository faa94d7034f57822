package host

import (
	"bytes"
	"encoding/base64"
	"strings"
	"time"
	"unicode"

	"ccdir/wire"
)

// oscClipboard is the OSC code that sets the clipboard, or asks for it.
const oscClipboard = 52

// copyPace is the shortest time between two copies that a client is sent, of all between
// them the last: a client may start a command for each.
const copyPace = 250 * time.Millisecond

// copied takes the data of an OSC 52, "c;BASE64", for the client that was used last. Nobody
// answers what asks for the clipboard; other selections than the clipboard, and what is not
// base64, are ignored. h.mu is held.
func (h *host) copied(data []byte) {
	where, coded, _ := bytes.Cut(data, []byte{';'})
	if len(where) > 0 && !bytes.ContainsRune(where, 'c') {
		return
	}
	text, err := base64.RawStdEncoding.AppendDecode(nil, bytes.TrimRight(coded, "="))
	if clean := strings.Map(pastable, string(text)); err == nil && clean != "" {
		h.copies(wire.Copy{Text: clean})
	}
}

// pastable leaves out control characters, which a paste would type as keys, and replaces
// what is not UTF-8.
func pastable(r rune) rune {
	if unicode.IsControl(r) && r != '\t' && r != '\n' && r != '\r' {
		return -1
	}
	return r
}

// copies sends what the application copied to the client that was used last. h.mu is held.
func (h *host) copies(c wire.Copy) {
	h.absorbAll()
	if o := h.size.owner; o != nil {
		o.copy = &c
		o.wakeUp()
	}
}

// appendCopy appends what the application copied, or returns how long until it may. h.mu
// is held.
func (c *client) appendCopy(b []byte, now time.Time) ([]byte, time.Duration) {
	if c.copy == nil {
		return b, 0
	}
	if wait := copyPace - now.Sub(c.copiedAt); wait > 0 {
		return b, wait
	}
	b = appendMessage(b, c.copy)
	c.copy, c.copiedAt = nil, now
	return b, 0
}
