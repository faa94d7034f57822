package host

import (
	"testing"
	"testing/synctest"
	"time"

	"ccdir/wire"
)

// TestResizeIsNoNews: what a program prints because its size has changed does not
// count as activity after silence; what it prints later does.
func TestResizeIsNoNews(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := quietHost(engineVT, 80, 24)
		active := func() (n int) {
			h.mu.Lock()
			defer h.mu.Unlock()
			for _, e := range h.evidence.all() {
				if e.Name == wire.EvidenceActive {
					n++
				}
			}
			return n
		}
		resize := func(cols int) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.size.pin(cols, 24)
		}
		time.Sleep(time.Hour)
		resize(100)
		time.Sleep(50 * time.Millisecond)
		h.output([]byte("drawn anew"))
		if n := active(); n != 0 {
			t.Errorf("a resize is told as activity %d times", n)
		}
		time.Sleep(2 * silence)
		h.output([]byte("news"))
		if n := active(); n != 1 {
			t.Errorf("news is told %d times", n)
		}
		time.Sleep(2 * silence)
		resize(100) // as it is
		h.output([]byte("more"))
		if n := active(); n != 2 {
			t.Errorf("more news is told %d times", n)
		}
	})
}
