package host

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestTidy: memory is given back once after much output, when the session is
// quiet, and not after little.
func TestTidy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &host{}
		h.tidy.init(h)
		var released atomic.Int32
		h.tidy.release = func() { released.Add(1) }
		sleep := func(d time.Duration) {
			time.Sleep(d)
			synctest.Wait()
		}
		print := func(n int) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.lastRead = time.Now()
			h.tidy.note(n)
		}
		print(tidyBytes - 1)
		sleep(10 * tidyQuiet)
		if n := released.Load(); n != 0 {
			t.Errorf("released %d times after little", n)
		}
		for range 10 { // it goes on printing
			print(tidyBytes)
			sleep(tidyQuiet / 2)
		}
		if n := released.Load(); n != 0 {
			t.Errorf("released %d times while it prints", n)
		}
		sleep(tidyQuiet)
		if n := released.Load(); n != 1 {
			t.Errorf("released %d times when it is quiet", n)
		}
		sleep(time.Hour)
		if n := released.Load(); n != 1 {
			t.Errorf("released %d times after an hour of rest", n)
		}
		print(tidyBytes)
		h.mu.Lock()
		h.reaped = true
		h.mu.Unlock()
		sleep(tidyQuiet)
		if n := released.Load(); n != 2 {
			t.Errorf("released %d times at the end", n)
		}
	})
}
