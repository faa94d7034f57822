package textsafe

import (
	"fmt"
	"io"
	"unicode/utf8"
)

// JSONWriter passes JSON on and escapes characters that must not reach a terminal (C1
// controls, DEL, bidirectional ones); the JSON keeps its meaning. JSON itself has
// escaped those below U+0020. A character may be split between two writes. Not safe for
// concurrent use.
type JSONWriter struct {
	w    io.Writer
	rest []byte // incomplete UTF-8 sequence of the last write
}

// NewJSONWriter returns a JSONWriter that writes to w.
func NewJSONWriter(w io.Writer) *JSONWriter { return &JSONWriter{w: w} }

// Write implements io.Writer.
func (j *JSONWriter) Write(p []byte) (int, error) {
	in := append(j.rest, p...)
	out := make([]byte, 0, len(in))
	for len(in) > 0 && (in[0] < utf8.RuneSelf || utf8.FullRune(in)) {
		r, n := utf8.DecodeRune(in)
		switch {
		case r == '\n', r == '\r', r == '\t': // layout between values
			out = append(out, in[0])
		case r == utf8.RuneError && n == 1:
			out = append(out, `\ufffd`...)
		case unsafe(r) && r > 0xffff:
			r -= 0x10000
			out = fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		case unsafe(r):
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			out = append(out, in[:n]...)
		}
		in = in[n:]
	}
	j.rest = append([]byte(nil), in...)
	_, err := j.w.Write(out)
	return len(p), err
}
