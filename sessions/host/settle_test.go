package host

import (
	"testing"
	"time"
)

// TestSettle: what is read in bulk waits for its rest, a small read ends the
// wait, and a flood is shown all the same.
func TestSettle(t *testing.T) {
	now := time.Unix(1000, 0)
	waits := func(h *host) bool { return h.settled.After(now) }
	h := &host{}
	if h.settle(10, now); waits(h) {
		t.Error("a key's echo waits")
	}
	if h.settle(4095, now); !waits(h) {
		t.Error("the first half of a picture is shown")
	}
	if h.settle(45, now); waits(h) {
		t.Error("a whole picture waits")
	}
	shown, began := 0, now
	for now.Sub(began) < 100*time.Millisecond {
		h.settle(4095, now)
		now = now.Add(100 * time.Microsecond)
		if !waits(h) {
			shown++
		}
	}
	if shown < 20 {
		t.Errorf("a flood of 100 ms was shown %d times", shown)
	}
	h.settle(4095, now)
	if now = now.Add(settleFor); waits(h) {
		t.Error("a picture whose rest does not come is not shown")
	}
}
