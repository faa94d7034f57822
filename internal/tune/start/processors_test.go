package start

import (
	"runtime"
	"testing"
)

// TestAllProcessors: one processor at the beginning, and then those that there were.
func TestAllProcessors(t *testing.T) {
	if n := runtime.GOMAXPROCS(0); n != 1 {
		t.Fatalf("it begins with %d", n)
	}
	want := processors
	defer func() { processors = want; runtime.GOMAXPROCS(1) }()
	for _, n := range []int{want, want + 2} { // what GOMAXPROCS may have said
		processors = n
		if AllProcessors(); runtime.GOMAXPROCS(0) != n {
			t.Errorf("%d, want %d", runtime.GOMAXPROCS(0), n)
		}
	}
}
