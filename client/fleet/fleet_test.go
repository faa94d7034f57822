package fleet

import (
	"testing"
	"time"

	"ccdir/nodes/link"
)

// TestSeen: a node whose link ended, of which nothing more is known, was seen when it was seen:
// each further try does not make it younger.
func TestSeen(t *testing.T) {
	f := &Fleet{far: map[string]*farNode{}}
	n := &farNode{state: Node{Name: "gpu1"}}
	at := time.Now().Add(-time.Minute)
	for _, s := range []link.Status{
		{State: link.StateOnline, Round: time.Millisecond, Seen: at},
		{State: link.StateOffline, Reason: "it was taken down"},
		{State: link.StateOffline, Reason: "it was taken down"},
	} {
		if seen := f.took(n, s); !seen.Equal(at) {
			t.Errorf("%s: seen %s, not %s", s.State, seen, at)
		}
	}
}
