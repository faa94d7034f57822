package diag

import (
	"io"
	"iter"
)

// lineCutter cleans lines and cuts each at maxPatternLine bytes: errorformat stops for
// good at a line of more than 64 KiB.
type lineCutter struct {
	next func() ([]byte, bool)
	rest []byte
}

func newLineCutter(r io.Reader) *lineCutter {
	// The iterator holds no resource but memory, so it needs no stop.
	next, _ := iter.Pull(lines(r))
	return &lineCutter{next: next}
}

func (c *lineCutter) Read(p []byte) (int, error) {
	if len(c.rest) == 0 {
		line, ok := c.next()
		if !ok {
			return 0, io.EOF
		}
		c.rest = append([]byte(Clean(string(line[:min(len(line), maxPatternLine)]))), '\n')
	}
	n := copy(p, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}
