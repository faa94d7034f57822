package nodes

import (
	"testing"

	"ccdir/nodes/link"
)

// TestLostAgain: whoever loses a connection that held waits for no pause, the first time and the
// next ones: from the kill of one ssh until the node is online by another, ssh is tried all the
// time.
func TestLostAgain(t *testing.T) {
	r := newRig(t)
	r.addHere()
	changes := make(chan link.Status, 1000)
	go func() {
		_ = link.Watch(t.Context(), r.near.NodeSocket("box"), link.Request{}, func(s link.Status) { changes <- s })
	}()
	for range 4 {
		var now link.Status
		for pongs := 0; pongs < 3; { // it has held for some pings
			if now = <-changes; now.State == link.StateOnline && now.Round > 0 {
				pongs++
			}
		}
		kill(now.SSH)
		for s := range changes {
			if s.State == link.StateOnline && s.SSH != now.SSH {
				break
			}
			if s.State != link.StateOnline && !s.Trying {
				t.Errorf("after a connection that held it waits until %s: %s", s.Next, s.Reason)
			}
		}
	}
}
