package faults

import (
	"testing"
	"time"

	"ccdir/api"
	"ccdir/wire"
)

// followFrames attaches to a host, as a grid's pane does, and waits for some frames.
func followFrames(t *testing.T, host api.HostAddress, some int) {
	t.Helper()
	conn, _, err := wire.Dial(t.Context(), host.Socket, wire.Hello{Ticket: host.Ticket, Client: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Send(&wire.View{Visible: true, Cols: 80, Rows: 24}); err != nil {
		t.Fatal(err)
	}
	if err := conn.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	for n := 0; n < some; {
		m, err := conn.Receive()
		if err != nil {
			t.Fatalf("%d frames came, then: %v", n, err)
		}
		if _, frame := m.(*wire.Frame); frame {
			n++
		}
	}
}
