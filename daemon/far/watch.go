package far

import (
	"context"
	"sync"

	"ccdir/api"
	"ccdir/internal/contain"
)

// watcher is one subscriber of messages of the nodes.
type watcher struct {
	mu    sync.Mutex // guards queue
	queue []api.WatchMessage
	wake  chan struct{} // one slot
}

// tell tells the watchers. f.mu is held.
func (f *Far) tell(m api.WatchMessage) {
	for w := range f.watchers {
		w.mu.Lock()
		if w.queue = append(w.queue, m); len(w.queue) > maxWaiting {
			w.queue = []api.WatchMessage{{Snapshot: &api.Snapshot{}}}
		}
		w.mu.Unlock()
		select {
		case w.wake <- struct{}{}:
		default:
		}
	}
}

// take returns what has come.
func (w *watcher) take() []api.WatchMessage {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := w.queue
	w.queue = nil
	return list
}

// watch joins the messages of the nodes with those of this machine.
func (f *Far) watch(next func(context.Context) ([]api.WatchMessage, error), stop func()) (func(context.Context) ([]api.WatchMessage, error), func()) {
	w := &watcher{wake: make(chan struct{}, 1)}
	f.mu.Lock()
	f.watchers[w] = true
	f.mu.Unlock()
	both := func(ctx context.Context) ([]api.WatchMessage, error) {
		if list := w.take(); len(list) > 0 {
			return list, nil
		}
		wait, cancel := context.WithCancel(ctx)
		done := make(chan struct{})
		contain.Go(f.o.Logger, func() {
			defer close(done)
			select {
			case <-w.wake:
				cancel()
			case <-wait.Done():
			}
		})
		list, err := next(wait)
		woken := wait.Err() != nil && ctx.Err() == nil
		cancel()
		<-done
		if woken && err != nil {
			err = nil
		}
		return append(list, w.take()...), err
	}
	return both, func() {
		f.mu.Lock()
		delete(f.watchers, w)
		f.mu.Unlock()
		stop()
	}
}
