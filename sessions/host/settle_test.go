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

	// The first part of a picture, of a program that draws large ones; its rest
	// ends the wait. A program that draws small ones does not wait.
	now = now.Add(10 * time.Millisecond)
	if h.settle(1500, now); !waits(h) {
		t.Error("the beginning of a picture is shown at once")
	}
	if h.settle(1500, now); waits(h) {
		t.Error("a read that is not full does not end the wait")
	}
	if h.settle(part-1, now); waits(h) {
		t.Error("a small read waits")
	}
	now = now.Add(bulkSpan + time.Millisecond)
	if h.settle(1500, now); waits(h) {
		t.Error("a program that draws small pictures waits")
	}
}
