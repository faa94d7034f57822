package demo

import (
	"strings"
	"unicode/utf8"
)

// input is one event from the terminal.
type input struct {
	// key is a named key ("enter", "esc", "up", "ctrl-c", …), "" for text.
	key string
	// text was typed or, with paste, pasted.
	text  string
	paste bool
	// osc is the body of an OSC reply.
	osc string
}

// maxPending bounds the bytes of an incomplete sequence.
const maxPending = 1 << 20

// decoder decodes the terminal's bytes. An escape alone at the end of a read is the
// key; longer incomplete sequences are kept for the next read.
type decoder struct {
	pending []byte
	pasting bool
	pasted  []byte
}

const pasteEnd = "\x1b[201~"

// feed takes the bytes of one read.
func (d *decoder) feed(p []byte) (out []input) {
	d.pending = append(d.pending, p...)
	for len(d.pending) > 0 {
		if d.pasting {
			i := strings.Index(string(d.pending), pasteEnd)
			if i < 0 {
				// The end mark may be cut in two.
				keep := min(len(d.pending), len(pasteEnd)-1)
				d.pasted = append(d.pasted, d.pending[:len(d.pending)-keep]...)
				d.pending = d.pending[len(d.pending)-keep:]
				return out
			}
			text := string(append(d.pasted, d.pending[:i]...))
			out = append(out, input{text: strings.ReplaceAll(text, "\r", "\n"), paste: true})
			d.pending, d.pasted, d.pasting = d.pending[i+len(pasteEnd):], nil, false
			continue
		}
		in, n := decodeOne(d.pending)
		if n == 0 {
			if len(d.pending) > maxPending {
				d.pending = nil
			}
			return out
		}
		d.pending = d.pending[n:]
		if in.key == "paste-start" {
			d.pasting = true
		} else if in != (input{}) {
			out = append(out, in)
		}
	}
	return out
}

var controlKeys = map[byte]string{
	'\r': "enter", '\n': "newline", '\t': "tab", 0x7f: "backspace", 0x08: "backspace",
	0x01: "home", 0x03: "ctrl-c", 0x04: "ctrl-d", 0x05: "end", 0x0b: "ctrl-k",
	0x0c: "ctrl-l", 0x15: "ctrl-u", 0x17: "ctrl-w",
}

var csiKeys = map[string]string{
	"A": "up", "B": "down", "C": "right", "D": "left", "H": "home", "F": "end",
	"3~": "delete", "200~": "paste-start",
	"27u": "esc", "13u": "enter", "99;5u": "ctrl-c", "100;5u": "ctrl-d", "117;5u": "ctrl-u",
}

// decodeOne decodes the first input of p; n is 0 when p is only its beginning.
func decodeOne(p []byte) (in input, n int) {
	if p[0] != 0x1b {
		if name, ok := controlKeys[p[0]]; ok {
			return input{key: name}, 1
		}
		if p[0] < 0x20 {
			return input{}, 1
		}
		if !utf8.FullRune(p) {
			return input{}, 0
		}
		r, size := utf8.DecodeRune(p)
		return input{text: string(r)}, size
	}
	if len(p) == 1 || p[1] == 0x1b {
		return input{key: "esc"}, 1
	}
	switch p[1] {
	case '[':
		for i := 2; i < len(p); i++ {
			if p[i] < 0x40 || p[i] > 0x7e {
				continue
			}
			return input{key: csiKeys[string(p[2:i+1])]}, i + 1
		}
		return input{}, 0
	case 'O':
		if len(p) < 3 {
			return input{}, 0
		}
		return input{key: csiKeys[string(p[2:3])]}, 3
	case ']', 'P', '_':
		for i := 2; i < len(p); i++ {
			switch {
			case p[i] == 0x07:
				return stringReply(p[1], p[2:i]), i + 1
			case p[i] == '\\' && p[i-1] == 0x1b:
				return stringReply(p[1], p[2:i-1]), i + 1
			}
		}
		return input{}, 0
	case '\r':
		return input{key: "newline"}, 2 // Alt-Enter
	}
	return input{}, 2
}

func stringReply(kind byte, body []byte) input {
	if kind != ']' {
		return input{}
	}
	return input{osc: string(body)}
}
