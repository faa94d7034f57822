package realcli

import (
	"sync"
	"testing"
	"time"
)

// stood is how long a machine stands still that a state may be wrong on: the CLI
// tells late what it does there.
const stood = 100 * time.Millisecond

// watchStalls measures by how much a sleeper wakes up late, at most, until what it
// returns is called.
func watchStalls() func() time.Duration {
	var (
		watcher sync.WaitGroup
		end     = make(chan struct{})
		most    time.Duration
	)
	watcher.Go(func() {
		const nap = 10 * time.Millisecond
		for {
			began := time.Now()
			select {
			case <-time.After(nap):
				most = max(most, time.Since(began)-nap)
			case <-end:
				return
			}
		}
	})
	return func() time.Duration {
		close(end)
		watcher.Wait()
		return most
	}
}

func TestWatchStalls(t *testing.T) {
	stop := watchStalls()
	time.Sleep(30 * time.Millisecond)
	if late := stop(); late < 0 || late > time.Minute {
		t.Errorf("%v late", late)
	}
}
