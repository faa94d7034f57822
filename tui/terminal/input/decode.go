package input

import (
	"bytes"
	"image/color"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
)

// maxPaste bounds one paste, in bytes: it has to fit into one message to a host.
const maxPaste = 15 << 20

// pasteEnd ends a bracketed paste.
var pasteEnd = []byte("\x1b[201~")

// Event is one input of the person or one reply of the terminal: exactly one of the fields
// is set.
type Event struct {
	Event uv.Event
	// Paste is pasted text, as the terminal sent it.
	Paste []byte
	// TooLong: a paste of more than maxPaste bytes was dropped.
	TooLong bool
}

// Decoder cuts the terminal's input into events. A paste is copied, not decoded key by key.
// The zero value is ready for use by one goroutine.
type Decoder struct {
	// Prefix is the byte of the prefix key, 0 if that key is not one byte. Behind an ESC,
	// with which slow lines may deliver it, it is the prefix key and not Alt.
	Prefix byte

	dec     uv.EventDecoder
	buf     []byte
	pasting bool
	paste   []byte
	size    int // of the paste that is coming, in bytes, dropped ones too
	dropped bool
	// behind: the last key was the prefix key, so the next one is ccdir's.
	behind bool
}

// linuxKeys are sequences that the general decoder has no names for.
var linuxKeys = map[string]rune{
	"\x1b[[A": uv.KeyF1, "\x1b[[B": uv.KeyF2, "\x1b[[C": uv.KeyF3, "\x1b[[D": uv.KeyF4, "\x1b[[E": uv.KeyF5,
}

// Feed decodes p and emits the events, which belong to emit. pending: bytes are left that
// may begin a sequence; call Flush if nothing follows within Patience.
func (d *Decoder) Feed(p []byte, emit func(Event)) (pending bool) {
	d.buf = append(d.buf, p...)
	d.run(emit, false)
	return len(d.buf) > 0 && !d.pasting
}

// Pasting reports whether a paste has begun and not ended, and how many bytes of it have
// come.
func (d *Decoder) Pasting() (size int, pasting bool) { return d.size, d.pasting }

// Flush decodes the bytes that are left as they are: a lone ESC is the Escape key.
func (d *Decoder) Flush(emit func(Event)) { d.run(emit, true) }

func (d *Decoder) run(emit func(Event), expired bool) {
	used := 0
	for used < len(d.buf) {
		rest := d.buf[used:]
		if d.pasting {
			n, done := d.pasted(rest)
			used += n
			if !done {
				break
			}
			emit(Event{Paste: d.paste, TooLong: d.dropped})
			d.pasting, d.paste, d.size, d.dropped = false, nil, 0, false
			continue
		}
		n, ev, ok := d.next(rest, expired)
		if !ok {
			break
		}
		used += n
		d.behind = !d.behind && n == 1 && d.Prefix != 0 && rest[0] == d.Prefix
		d.event(ev, emit)
	}
	d.buf = append(d.buf[:0], d.buf[used:]...)
	if cap(d.buf) > 1<<20 && len(d.buf) < 1<<10 {
		d.buf = append([]byte(nil), d.buf...)
	}
}

// pasted collects pasted bytes. It returns how many it took, and whether the paste ended.
func (d *Decoder) pasted(rest []byte) (n int, done bool) {
	n = len(rest)
	if i := bytes.Index(rest, pasteEnd); i >= 0 {
		d.keep(rest[:i])
		return i + len(pasteEnd), true
	}
	// The end mark may be cut: keep a possible beginning of it.
	for k := min(len(pasteEnd)-1, n); k > 0; k-- {
		if bytes.HasSuffix(rest, pasteEnd[:k]) {
			n -= k
			break
		}
	}
	d.keep(rest[:n])
	return n, false
}

func (d *Decoder) keep(p []byte) {
	d.size += len(p)
	if d.dropped || len(d.paste)+len(p) > maxPaste {
		d.dropped, d.paste = true, nil
		return
	}
	d.paste = append(d.paste, p...)
}

// next decodes one event. ok is false when more bytes are needed.
func (d *Decoder) next(rest []byte, expired bool) (n int, ev uv.Event, ok bool) {
	if char := bytes.TrimPrefix(rest, []byte{0x1b}); len(char) > 0 && !utf8.FullRune(char) {
		// Its other bytes will come: alone they would be control characters, and an ESC
		// before them, which means Alt, would be the Escape that interrupts agents.
		return 0, nil, false
	}
	if d.escapes(rest, expired) {
		return 1, uv.KeyPressEvent{Code: uv.KeyEscape}, true
	}
	if len(rest) >= 3 && rest[1] == '[' && rest[2] == '[' && rest[0] == 0x1b {
		if len(rest) < 4 && !expired {
			return 0, nil, false
		}
		if len(rest) >= 4 {
			if code, known := linuxKeys[string(rest[:4])]; known {
				return 4, uv.KeyPressEvent{Code: code}, true
			}
		}
	}
	kind := reportOf(rest)
	if (kind == reportPart || x10Part(rest) || altPart(rest)) && !expired {
		return 0, nil, false
	}
	if kind == reportAlt {
		rest = rest[:2]
	}
	// The decoder may write into its argument (X10 mouse), which therefore must not have
	// more capacity than bytes.
	if x10Narrow(rest) { // the decoder expects a CSI of two bytes
		n, ev = d.dec.Decode(append([]byte("\x1b["), rest[1:]...))
		n--
	} else {
		n, ev = d.dec.Decode(rest[:len(rest):len(rest)])
	}
	if n <= 0 {
		return len(rest), nil, true
	}
	switch ev.(type) {
	case uv.BackgroundColorEvent:
		ev = uv.BackgroundColorEvent{Color: xColor(rest[:n])}
	case uv.ForegroundColorEvent:
		ev = uv.ForegroundColorEvent{Color: xColor(rest[:n])}
	case uv.DarkColorSchemeEvent:
		ev = uv.BackgroundColorEvent{Color: schemeReport{color.Black}}
	case uv.LightColorSchemeEvent:
		ev = uv.BackgroundColorEvent{Color: schemeReport{color.White}}
	}
	if expired || kind == reportAlt || kind == reportWhole {
		return n, ev, true
	}
	if _, unknown := ev.(uv.UnknownEvent); unknown && rest[0] == 0x1b && n == len(rest) && n < 4096 {
		return 0, nil, false
	}
	if rest[0] == 0x1b && n <= 2 && n == len(rest) && !altKey(rest) {
		return 0, nil, false
	}
	return n, ev, true
}

// escapes reports whether the first byte is the Escape key although other bytes follow:
// before the prefix key, and when it was pressed several times. Some terminals send Alt as
// two ESC before a sequence.
func (d *Decoder) escapes(b []byte, expired bool) bool {
	n := 0
	for n < len(b) && b[n] == 0x1b {
		n++
	}
	switch {
	case n == 0:
		return false
	case n == len(b):
		return n > 1 && expired
	case d.Prefix != 0 && b[n] == d.Prefix:
		return true
	case b[n] == '[' || b[n] == 'O':
		return n > 2
	}
	return n > 1
}

// altKey reports whether ESC and the next byte are a whole key: not if that byte begins a
// longer sequence or a character.
func altKey(b []byte) bool {
	if len(b) < 2 {
		return false
	}
	switch b[1] {
	case '[', 'O', ']', 'P', '_', '^', 'X', 0x1b:
		return false
	}
	return utf8.FullRune(b[1:])
}

func (d *Decoder) event(ev uv.Event, emit func(Event)) {
	switch ev := ev.(type) {
	case nil:
	case uv.PasteStartEvent:
		d.pasting = true
	case uv.MultiEvent:
		for _, e := range ev {
			d.event(e, emit)
		}
	default:
		emit(Event{Event: ev})
	}
}
