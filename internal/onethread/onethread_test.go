package onethread

import (
	"runtime"
	"testing"
)

// TestLeave: one processor at the beginning, and then those that there were.
func TestLeave(t *testing.T) {
	if n := runtime.GOMAXPROCS(0); n != 1 {
		t.Fatalf("it begins with %d", n)
	}
	want := before
	defer func() { before = want; runtime.GOMAXPROCS(1) }()
	for _, n := range []int{want, want + 2} { // what GOMAXPROCS may have said
		before = n
		if Leave(); runtime.GOMAXPROCS(0) != n {
			t.Errorf("%d, want %d", runtime.GOMAXPROCS(0), n)
		}
	}
}
