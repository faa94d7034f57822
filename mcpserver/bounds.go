package mcpserver

import (
	"fmt"
	"sync"
)

const (
	// maxMessage bounds one message of a client, in bytes, and maxUnderWay those of a
	// session that are read or answered, whatever number of connections it has; those of
	// all guests together.
	maxMessage  = 32 << 20
	maxUnderWay = 64 << 20
	// maxValues bounds the values in a message: each costs the daemon a hundred times
	// what it costs the client.
	maxValues = 100_000
)

// tooManyValues is what a client is told.
var tooManyValues = fmt.Sprintf("the message has more than %d values", maxValues)

// budget counts the bytes of messages under way.
type budget struct {
	most int

	mu   sync.Mutex
	used int
}

// take takes n bytes; the error says that there are too many.
func (b *budget) take(n int) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.used+n > b.most {
		return fmt.Errorf("the messages that are under way have more than %d bytes", b.most)
	}
	b.used += n
	return nil
}

// give gives n bytes back.
func (b *budget) give(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= n
}

// values counts the values in a text that may be JSON, and some more.
func values(text []byte) (n int) {
	inText := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			inText = !inText
		case c == '\\':
			i++
		case !inText && (c == ',' || c == '[' || c == '{' || c == ':'):
			n++
		}
	}
	return n
}
