package faults

import (
	"testing"
	"time"

	"ccdir/internal/api"
	"ccdir/internal/hostwire"
)

// followFrames attaches to a host for half a second, as a grid's pane does, and
// counts its frames.
func followFrames(t *testing.T, host api.HostAddress) (n int) {
	t.Helper()
	conn, _, err := hostwire.Dial(t.Context(), host.Socket, hostwire.Hello{Ticket: host.Ticket, Client: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Send(&hostwire.View{Visible: true, Cols: 80, Rows: 24}); err != nil {
		t.Fatal(err)
	}
	if err := conn.SetReadDeadline(time.Now().Add(500 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	for {
		m, err := conn.Receive()
		if err != nil {
			return n
		}
		if _, frame := m.(*hostwire.Frame); frame {
			n++
		}
	}
}
