package access

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"

	"ccdir/api"
)

// lines takes what is written to it, a line each.
type lines chan string

func (l lines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}

// boundedListener is a TCPListener with few places; dial returns both ends of a connection.
func boundedListener(t *testing.T, unauthenticated, authenticated int, told lines) (l *TCPListener, dial func() (client, server net.Conn)) {
	t.Helper()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { inner.Close() })
	l = NewTCPListener(inner, slog.New(slog.NewTextHandler(told, nil)))
	l.mostUnauthenticated, l.mostAuthenticated = unauthenticated, authenticated
	return l, func() (client, server net.Conn) {
		t.Helper()
		client, err := net.Dial("tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { client.Close() })
		if server, err = l.Accept(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { server.Close() })
		return client, server
	}
}

// isOpen reports whether the server has not closed a connection.
func isOpen(client, server net.Conn) bool {
	_, _ = server.Write([]byte("x")) // fails if it is closed, and so does the read
	_, err := io.ReadFull(client, make([]byte, 1))
	return err == nil
}

// TestTCPListenerEvicts: a new connection closes the oldest one without the token, never one
// with it, which is logged once.
func TestTCPListenerEvicts(t *testing.T) {
	told := make(lines, 8)
	l, dial := boundedListener(t, 2, 2, told)
	known, knownEnd := dial()
	if err := Authenticated(ConnContext(t.Context(), knownEnd)); err != nil {
		t.Fatal(err)
	}
	var clients, servers []net.Conn
	for range 6 {
		c, s := dial()
		clients, servers = append(clients, c), append(servers, s)
	}
	for i, c := range clients {
		if got, want := isOpen(c, servers[i]), i >= 4; got != want {
			t.Errorf("connection %d: open %t, want %t", i, got, want)
		}
	}
	if !isOpen(known, knownEnd) {
		t.Error("the authenticated connection was closed")
	}
	if line := <-told; !strings.Contains(line, "too many are open") || len(told) > 0 {
		t.Errorf("told %q and %d more", line, len(told))
	}
	for _, c := range append(servers, knownEnd) {
		c.Close()
		c.Close() // once more changes nothing
	}
	if len(l.unauthenticated) != 0 || l.authenticated != 0 {
		t.Errorf("%d and %d connections are left", len(l.unauthenticated), l.authenticated)
	}
}

// TestTCPListenerBounds: connections with the token are bounded too, and one that is closed
// makes room.
func TestTCPListenerBounds(t *testing.T) {
	l, dial := boundedListener(t, 2, 1, make(lines, 8))
	_, first := dial()
	_, second := dial()
	one, two := ConnContext(t.Context(), first), ConnContext(t.Context(), second)
	for range 2 {
		if err := Authenticated(one); err != nil {
			t.Error(err)
		}
	}
	if err := Authenticated(two); err == nil || err.Code != api.CodeLimit {
		t.Errorf("beyond the bound: %v", err)
	}
	first.Close()
	if err := Authenticated(two); err != nil || l.authenticated != 1 || len(l.unauthenticated) != 0 {
		t.Errorf("%v; %d with the token, %d without", err, l.authenticated, len(l.unauthenticated))
	}
	if err := Authenticated(context.Background()); err != nil {
		t.Error("a call of the socket:", err)
	}
}

// TestTCPListenerEnds: Accept returns the error of a listener that was closed.
func TestTCPListenerEnds(t *testing.T) {
	l, _ := boundedListener(t, 1, 1, make(lines, 8))
	l.Close()
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("got %v", err)
	}
}
