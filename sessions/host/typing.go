package host

import (
	"strings"
	"time"

	"ccdir/sessions/host/keyenc"
	"ccdir/wire"
)

// typingState is the host's knowledge of a person's typing. Guarded by host.mu.
type typingState struct {
	count uint64
	at    time.Time
	draft bool
}

// note accounts for typed input by its evidence name: key names joined by spaces.
func (p *typingState) note(names string) {
	p.count++
	p.at = time.Now()
	for name := range strings.FieldsSeq(names) {
		switch {
		case name == "Enter" || name == "C-c" || name == "C-u":
			p.draft = false
		case name == "text" || name == "Space":
			p.draft = true
		}
	}
}

// typing is the state in the wire's terms.
func (p *typingState) typing(now time.Time) *wire.Typing {
	t := &wire.Typing{Count: p.count, Draft: p.draft}
	if !p.at.IsZero() {
		t.AgoMS = max(now.Sub(p.at).Milliseconds(), 0)
	}
	return t
}

// watched reports whether a client shows the session to somebody who looks at it; of a grid, whether
// it has the keyboard there. h.mu is held.
func (h *host) watched() bool {
	for c := range h.clients {
		if c.view.Visible && (c.focused || !c.among) {
			return true
		}
	}
	return false
}

// untouched reports whether nobody has typed since the caller of the transaction read the
// screen.
func (h *host) untouched(tx wire.Tx) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return tx.Typed == nil || *tx.Typed == h.person.count
}

// stepEvidence is the evidence name of a transaction's step.
func stepEvidence(s txStep) string {
	if len(s.raw) > 0 {
		return keyenc.RawEvidence(s.raw)
	}
	names := make([]string, 0, len(s.keys)+1)
	for _, k := range s.keys {
		names = append(names, k.EvidenceName())
	}
	if s.paste != nil {
		names = append(names, "text")
	}
	return strings.Join(names, " ")
}

// noteTypedStep accounts for a transaction's step that a person typed. Keys leave the same
// evidence as without a transaction (typed1). h.mu is held.
func (h *host) noteTypedStep(s txStep) {
	name := stepEvidence(s)
	h.person.note(name)
	if len(s.keys) == 0 {
		return
	}
	if keyenc.ClearsLine(s.keys) {
		h.person.draft = false
	}
	h.recordKeys(name)
}
