package sessions

import (
	"net"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"ccdir/sessions/process"
	"ccdir/wire"
)

// TestVanishedSockets: a client that asks for a host's address can dial it, although
// something removed the sockets and the daemon, which is connected, has not noticed.
func TestVanishedSockets(t *testing.T) {
	usr1 := make(chan os.Signal, 1)
	signal.Notify(usr1, syscall.SIGUSR1)
	done := make(chan struct{})
	defer close(done)
	h := &fakeHost{t: t, serve: func(_ int, c *wire.Conn, _ wire.Hello) { welcome(c); <-done }}
	r, _ := newTestRegistry(t, h)
	var sockets []string
	for range 2 {
		s := r.mustCreate(t)
		r.reach(t, s.ID, func(s *session) bool { return s.link != nil })
		sockets = append(sockets, r.o.Paths.HostSocket(s.ID))
	}
	for _, socket := range sockets {
		if err := os.Remove(socket); err != nil {
			t.Fatal(err)
		}
	}
	again := make(chan struct{})
	go func() { // both hosts are this process
		defer close(again)
		var listening []net.Listener
		defer func() {
			for _, l := range listening {
				_ = l.Close()
			}
		}()
		for range usr1 {
			for _, socket := range sockets {
				if l, err := net.Listen("unix", socket); err == nil {
					listening = append(listening, l)
				}
			}
		}
	}()
	defer func() { signal.Stop(usr1); close(usr1); <-again }()
	first, err := r.find("command-1")
	if err != nil {
		t.Fatal(err)
	}
	a, err := r.HostAddress(t.Context(), first.id)
	if err != nil || a.Socket != sockets[0] || vanished(a.Socket) {
		t.Error(a, err)
	}
	if !process.Poll(t.Context(), 30*time.Second, func() bool { return !vanished(sockets[1]) }) {
		t.Error("nobody told the other host")
	}
}
