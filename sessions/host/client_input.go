package host

import (
	"bytes"
	"strings"
	"time"

	"ccdir/sessions/host/keyenc"
	"ccdir/sessions/screen"
	"ccdir/wire"
)

// textEvidence is the minimum time between two pieces of evidence of plain typing.
const textEvidence = time.Second

// inputJob translates a client's input into a job for the PTY's writer; nil if there is
// nothing to do. It copies what it needs of in.
func (c *client) inputJob(in *wire.Input) job {
	if c.readOnly {
		return nil
	}
	h := c.h
	n, size := c.inputs, len(in.Text)
	switch in.Type {
	case wire.InputKey:
		keys := keyenc.ParseTyped(string(in.Text))
		if len(keys) == 0 {
			return nil
		}
		return func() { _ = h.typeKeys(c, keys) }
	case wire.InputPaste:
		text := bytes.Clone(in.Text)
		encode := func(s screen.State) []byte { return keyenc.AppendPaste(nil, text, s.Modes) }
		if size >= wire.LongText {
			return func() { h.typeLong(c, n, size, "text", encode) }
		}
		return func() { _ = h.typed1(c, "text", false, encode) }
	case wire.InputRaw:
		raw := bytes.Clone(in.Text)
		encode := func(screen.State) []byte { return raw }
		if size >= wire.LongText {
			return func() { h.typeLong(c, n, size, keyenc.RawEvidence(raw), encode) }
		}
		return func() { _ = h.typed1(c, keyenc.RawEvidence(raw), false, encode) }
	case wire.InputMouse:
		e := in.Mouse
		return func() { h.mouse(c, e) }
	case wire.InputFocus:
		focused := in.Focused
		return func() {
			h.mu.Lock()
			c.focused = focused
			p := keyenc.AppendFocus(nil, focused, h.state().Modes)
			h.mu.Unlock()
			_ = h.write(p)
		}
	}
	return nil
}

// state is the engine's state; zero if the engine fails. h.mu is held.
func (h *host) state() (s screen.State) {
	h.guard("State", func() { s = h.eng.State() })
	return s
}

// typeKeys encodes and writes keys of a client. The writer calls it.
func (h *host) typeKeys(c *client, keys []keyenc.Key) error {
	var names []string
	for _, k := range keys {
		names = append(names, k.EvidenceName())
	}
	return h.typed1(c, strings.Join(names, " "), keyenc.ClearsLine(keys), func(s screen.State) []byte {
		var p []byte
		for _, k := range keys {
			p = keyenc.Append(p, k, s.Modes)
		}
		return p
	})
}

// typed1 writes one piece of a client's input. The writer calls it.
func (h *host) typed1(c *client, evidence string, clears bool, encode func(screen.State) []byte) error {
	p := h.note(c, evidence, clears, encode)
	if strings.Contains(evidence, "C-z") {
		defer h.suspended()
	}
	return h.write(p)
}

// note accounts for a piece of a client's input that is about to be written: the client
// becomes the size's owner, and evidence is recorded. clears: the input empties an input
// line. It returns the bytes to write.
func (h *host) note(c *client, evidence string, clears bool, encode func(screen.State) []byte) []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.absorbAll() // direct-line input that came before
	h.size.use(c, false)
	h.typed++
	p := encode(h.state())
	h.person.note(evidence)
	if clears {
		h.person.draft = false
	}
	h.recordKeys(evidence)
	return p
}

// recordKeys records typed keys as evidence; plain typing at most once per textEvidence.
// h.mu is held.
func (h *host) recordKeys(names string) {
	text := strings.Trim(strings.ReplaceAll(names, "text", ""), " ") == ""
	if text {
		names = "text"
		if l := &h.evidence; len(l.ring) > 0 {
			if e := l.get(l.last); e.Name == wire.EvidenceKeys && e.Fields["keys"] == "text" && time.Since(e.At) < textEvidence {
				return
			}
		}
	}
	h.record(wire.EvidenceKeys, field{"keys", names})
}

// mouse writes a mouse event. A press makes the client the size's owner.
func (h *host) mouse(c *client, e wire.MouseEvent) {
	h.mu.Lock()
	if e.Action == wire.MousePress {
		h.size.use(c, false)
	}
	e.X, e.Y = min(e.X, h.size.cols-1), min(e.Y, h.size.rows-1)
	p := keyenc.AppendMouse(nil, e, h.state())
	if len(p) > 0 {
		h.typed++
	}
	h.mu.Unlock()
	_ = h.write(p)
}
