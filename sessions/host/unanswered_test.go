package host

import (
	"encoding/json"
	"errors"
	"net"
	"os"
	"testing"
	"time"

	"ccdir/wire"
)

// TestUnanswered: a client that asks on and on and takes no answer is disconnected:
// as many requests wait as may, then nothing more is read from it, and the answer
// that it does not take ends the connection. Others do not notice.
func TestUnanswered(t *testing.T) {
	r := startSpec(t, specFor(t, "sh", "-c", "i=0; while [ $i -lt 400 ]; do echo $i 0123456789012345678901234567890123456789012345678901234567890123456789; i=$((i+1)); done; echo all; cat"),
		func(o *Options) { o.WriteTimeout = 50 * time.Millisecond })
	other := r.dial()
	other.view(80, 24)
	other.shows("all")
	nc, err := net.Dial("unix", r.spec.Socket)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	greedy := wire.NewConn(nc)
	if err := greedy.Send(&wire.Hello{ProtocolMin: 1, ProtocolMax: 1, Ticket: ticket}); err != nil {
		t.Fatal(err)
	}
	other.until("both clients", func() bool { return other.status.Clients == 2 })
	params, err := json.Marshal(wire.OutputParams{Format: wire.FormatText, Scrollback: true})
	if err != nil {
		t.Fatal(err)
	}
	// It sends until the host lets go of it.
	greedy.SetWriteTimeout(patience)
	sent := 0
	for ; err == nil; sent++ {
		err = greedy.Send(&wire.Request{ID: uint64(sent), Method: wire.MethodOutput, Params: params})
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("still connected after %d requests", sent)
	}
	if sent < maxRequests {
		t.Errorf("disconnected after %d requests: %v", sent, err)
	}
	other.until("the end of the greedy client", func() bool { return other.status.Clients == 1 })
	if a := other.request(wire.MethodStats, nil); a.Error != nil {
		t.Errorf("the other one: %v", a.Error)
	}
}
