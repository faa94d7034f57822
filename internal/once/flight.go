package once

import (
	"context"
	"sync"
)

// Flight lets one caller at a time work under a key. The zero value is ready.
type Flight[K comparable] struct {
	mu sync.Mutex
	// busy has a channel for each key that is held, closed when it is released.
	busy map[K]chan struct{}
}

// Enter waits until nobody else holds the key, and takes it. The caller calls leave
// exactly once. The only error is ctx's, if it ended while another caller held the key.
func (f *Flight[K]) Enter(ctx context.Context, key K) (leave func(), err error) {
	for {
		f.mu.Lock()
		other, taken := f.busy[key]
		if !taken {
			mine := make(chan struct{})
			if f.busy == nil {
				f.busy = map[K]chan struct{}{}
			}
			f.busy[key] = mine
			f.mu.Unlock()
			return func() { f.leave(key, mine) }, nil
		}
		f.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (f *Flight[K]) leave(key K, mine chan struct{}) {
	f.mu.Lock()
	delete(f.busy, key)
	f.mu.Unlock()
	close(mine)
}
