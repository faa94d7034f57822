package mcpserver

import (
	"fmt"
	"sync"
)

const (
	// maxMessage bounds one message of a client, in bytes, and maxUnderWay the messages
	// of one session in flight, over all its connections; guests share one such bound.
	maxMessage  = 32 << 20
	maxUnderWay = 64 << 20
	// maxValues bounds the values in a message: parsing one costs the daemon a hundred
	// times what sending it costs the client.
	maxValues = 100_000
)

// tooManyValues is the error for the client.
var tooManyValues = fmt.Sprintf("the message has more than %d values", maxValues)

// budget limits the bytes of messages in flight.
type budget struct {
	most int

	mu   sync.Mutex
	used int
}

// take reserves n bytes, or fails.
func (b *budget) take(n int) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.used+n > b.most {
		return fmt.Errorf("the messages that are under way have more than %d bytes", b.most)
	}
	b.used += n
	return nil
}

// give releases n bytes.
func (b *budget) give(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= n
}

// values returns an upper bound of the values in a text that may be JSON.
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
