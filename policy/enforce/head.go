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
	"ccdir/internal/contain"
	"ccdir/internal/disk/atomicfile"
)

// headKeeper writes number and hash of the newest row to a file, so that a truncated ledger
// is detected. Writes are asynchronous and only the latest head is written: after a crash the
// file may be behind the ledger, never ahead of it.
type headKeeper struct {
	file  string
	ended chan struct{}

	mu     sync.Mutex
	head   api.LedgerHead
	wake   chan struct{} // capacity 1
	closed bool
}

func newHeadKeeper(file string) *headKeeper {
	k := &headKeeper{file: file, wake: make(chan struct{}, 1), ended: make(chan struct{})}
	contain.Go(nil, k.run)
	return k
}

// set is called after each commit. Calls may arrive out of order.
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
			_ = writeHead(k.file, head) // the next commit writes again
		}
	}
}

// close writes the pending head.
func (k *headKeeper) close() {
	k.mu.Lock()
	if !k.closed {
		k.closed = true
		close(k.wake)
	}
	k.mu.Unlock()
	<-k.ended
}

// writeHead replaces the file, with mode 0600.
func writeHead(file string, head api.LedgerHead) error {
	data, err := json.Marshal(head)
	if err != nil {
		return err
	}
	return atomicfile.Replace(file, append(data, '\n'))
}

// maxHead bounds the file, in bytes. A head is much smaller.
const maxHead = 4 << 10

// ReadHead reads a file that writeHead wrote; nil if there is none. An incomplete head is an
// error, because a truncated ledger would pass the comparison with it.
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
