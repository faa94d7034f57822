package enforce

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"ccdir/api"
	"ccdir/internal/disk/atomicfile"
)

// headKeeper writes the newest row's number and hash into a file, the latest
// wins, so that a cut-off end of the ledger can be seen. It is behind the
// ledger by what is being written.
type headKeeper struct {
	file  string
	ended chan struct{}

	mu     sync.Mutex
	head   api.LedgerHead
	wake   chan struct{} // one slot
	closed bool
}

func newHeadKeeper(file string) *headKeeper {
	k := &headKeeper{file: file, wake: make(chan struct{}, 1), ended: make(chan struct{})}
	go k.run()
	return k
}

// set is called after each commit; commits may overtake one another.
func (k *headKeeper) set(head api.LedgerHead) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed || head.Seq <= k.head.Seq {
		return
	}
	k.head = head
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

func (k *headKeeper) run() {
	defer close(k.ended)
	for range k.wake {
		k.mu.Lock()
		head := k.head
		k.mu.Unlock()
		if k.file != "" {
			_ = writeHead(k.file, head) // the next one tries again
		}
	}
}

// close writes what is left.
func (k *headKeeper) close() {
	k.mu.Lock()
	if !k.closed {
		k.closed = true
		close(k.wake)
	}
	k.mu.Unlock()
	<-k.ended
}

// writeHead replaces the file, readable by its owner alone.
func writeHead(file string, head api.LedgerHead) error {
	data, err := json.Marshal(head)
	if err != nil {
		return err
	}
	return atomicfile.Replace(file, append(data, '\n'))
}

// maxHead is more than a head takes, in bytes.
const maxHead = 4 << 10

// ReadHead reads a file that writeHead wrote; nil if there is none. What is no whole
// head is an error: against half of one a ledger whose end was cut off would look
// whole.
func ReadHead(file string) (*api.LedgerHead, error) {
	f, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxHead))
	if err != nil {
		return nil, err
	}
	var head api.LedgerHead
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", filepath.Base(file), err)
	}
	if head.Seq < 1 || head.Hash == "" {
		return nil, fmt.Errorf("%s is damaged: it names no row", filepath.Base(file))
	}
	return &head, nil
}
