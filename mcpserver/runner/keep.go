package runner

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Streams of a Piece.
const (
	Stdout = "stdout"
	Stderr = "stderr"
	// Note is a remark of this package about what was left out.
	Note = "ccdir"
)

// maxPieces bounds the pieces of a beginning, and those of an end.
const maxPieces = 200

// Piece is text that a command wrote to one stream before it wrote to the other.
type Piece struct {
	Stream string `json:"stream" jsonschema:"stdout, stderr, or ccdir: a note on what was left out"`
	Text   string `json:"text"`
}

// Gap is the part of an output that was left out; the zero Gap is none.
type Gap struct {
	At    int64 `json:"at" jsonschema:"bytes of output before the part that was left out"`
	Bytes int64 `json:"bytes" jsonschema:"length of that part"`
}

// chunk is a Piece in bytes, which may end within a character; off is its place in the
// whole output.
type chunk struct {
	stream string
	text   []byte
	off    int64
}

// keeper keeps the beginning and the end of an output, in memory of bounded size.
type keeper struct {
	// headSize and tailSize are how many bytes it keeps of each.
	headSize, tailSize int
	head, tail         []chunk
	headLen, tailLen   int
	total              int64
}

func (k *keeper) add(stream string, p []byte) {
	off := k.total
	k.total += int64(len(p))
	if room := min(k.headSize-k.headLen, len(p)); room > 0 {
		var full bool
		if k.head, full = extend(k.head, stream, p[:room], off); full {
			k.headSize = k.headLen // closed: all the rest belongs to the end
		} else {
			k.headLen += room
			p, off = p[room:], off+int64(room)
		}
	}
	if cut := len(p) - k.tailSize; cut > 0 {
		p, off = p[cut:], off+int64(cut)
		k.tail, k.tailLen = k.tail[:0], 0
	}
	if len(p) == 0 {
		return
	}
	var full bool
	if k.tail, full = extend(k.tail, stream, p, off); full {
		k.tailLen -= len(k.tail[0].text)
		k.tail = append(k.tail[:0], k.tail[1:]...)
		k.tail, _ = extend(k.tail, stream, p, off)
	}
	if k.tailLen += len(p); k.tailLen > 2*k.tailSize {
		k.trim()
	}
}

// extend adds bytes to the last chunk if it is of the same stream, else as a new one;
// full: there are too many already.
func extend(list []chunk, stream string, p []byte, off int64) (_ []chunk, full bool) {
	if n := len(list); n > 0 && list[n-1].stream == stream && list[n-1].off+int64(len(list[n-1].text)) == off {
		list[n-1].text = append(list[n-1].text, p...)
		return list, false
	}
	if len(list) == maxPieces {
		return list, true
	}
	return append(list, chunk{stream, append([]byte{}, p...), off}), false
}

// trim drops bytes from the beginning of the tail until it has tailSize.
func (k *keeper) trim() {
	for k.tailLen > k.tailSize {
		c := &k.tail[0]
		n := min(k.tailLen-k.tailSize, len(c.text))
		k.tailLen -= n
		if n == len(c.text) {
			k.tail = append(k.tail[:0], k.tail[1:]...)
			continue
		}
		c.text, c.off = append([]byte{}, c.text[n:]...), c.off+int64(n)
	}
}

// pieces returns what was kept of the output from an offset on, with a Note where
// something is missing, and that Gap.
func (k *keeper) pieces(from int64) (list []Piece, gap Gap) {
	k.trim()
	at := from
	for _, part := range [2][]chunk{k.head, k.tail} {
		for i, c := range part {
			text := c.text
			if c.off+int64(len(text)) <= at {
				continue
			}
			if c.off < at {
				text = text[at-c.off:]
			} else if missing := c.off - at; missing > 0 {
				for i == 0 && len(text) > 0 && !utf8.RuneStart(text[0]) { // the rest of a character
					text, missing = text[1:], missing+1
				}
				gap = Gap{At: at, Bytes: missing}
				list = append(list, Piece{Note, fmt.Sprintf("\n… %d bytes left out …\n", missing)})
			}
			at = c.off + int64(len(c.text))
			if n := len(list); n > 0 && list[n-1].Stream == c.stream {
				list[n-1].Text += string(text)
			} else {
				list = append(list, Piece{c.stream, string(text)})
			}
		}
	}
	for i := range list { // only now: a character may have come in two chunks
		list[i].Text = strings.ToValidUTF8(list[i].Text, "\uFFFD")
	}
	return list, gap
}

// text joins the pieces.
func (k *keeper) text() (string, Gap) {
	list, gap := k.pieces(0)
	var b strings.Builder
	for _, p := range list {
		b.WriteString(p.Text)
	}
	return b.String(), gap
}
