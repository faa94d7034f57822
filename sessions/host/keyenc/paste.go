package keyenc

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"ccdir/sessions/screen"
)

// Brackets around a paste.
var (
	PasteStart = []byte("\x1b[200~")
	PasteEnd   = []byte("\x1b[201~")
	// pasteEndC1 is the end bracket with the one-character form of CSI.
	pasteEndC1 = []byte("\u009b201~")
)

// AppendPaste appends pasted text, in brackets if the application has asked for them; else
// line ends become carriage returns. Nothing in the text counts as typed: end brackets are
// removed, and control characters except tabs and line ends. They are removed within
// brackets too, because the PTY makes signals of some before an application sees them.
func AppendPaste(dst, text []byte, m screen.Modes) []byte {
	text = withoutControls(withoutEnds(text))
	if !m.BracketedPaste {
		text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\r"))
		return append(dst, bytes.ReplaceAll(text, []byte("\n"), []byte("\r"))...)
	}
	dst = append(dst, PasteStart...)
	dst = append(dst, text...)
	return append(dst, PasteEnd...)
}

// withoutEnds returns a copy of text without end brackets.
func withoutEnds(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for _, c := range text {
		out = append(out, c)
		// Checked after every byte: removing one end bracket may form another.
		if c == '~' {
			out = bytes.TrimSuffix(bytes.TrimSuffix(out, PasteEnd), pasteEndC1)
		}
	}
	return out
}

// withoutControls removes C0, DEL and C1 from text, which it overwrites; tabs and line ends
// stay. Other bytes that are no UTF-8 stay as they are.
func withoutControls(text []byte) []byte {
	out := text[:0]
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if r == utf8.RuneError && n == 1 && text[0] < 0xa0 {
			r = rune(text[0]) // C1 as one byte
		}
		if !unicode.IsControl(r) || r == '\t' || r == '\n' || r == '\r' {
			out = append(out, text[:n]...)
		}
		text = text[n:]
	}
	return out
}
