package httpapi

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
func boundedListener(t *testing.T, strangers, friends int, told lines) (l *TCPListener, dial func() (client, server net.Conn)) {
	t.Helper()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { inner.Close() })
	l = NewTCPListener(inner, slog.New(slog.NewTextHandler(told, nil)))
	l.mostStrangers, l.mostFriends = strangers, friends
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

// TestTCPListenerEvicts: a new connection takes the place of the first stranger, never
// that of a friend, which is told once.
func TestTCPListenerEvicts(t *testing.T) {
	told := make(lines, 8)
	l, dial := boundedListener(t, 2, 2, told)
	friend, friendEnd := dial()
	if err := Befriend(ConnContext(t.Context(), friendEnd)); err != nil {
		t.Fatal(err)
	}
	var clients, servers []net.Conn
	for range 6 {
		c, s := dial()
		clients, servers = append(clients, c), append(servers, s)
	}
	for i, c := range clients {
		if got, want := isOpen(c, servers[i]), i >= 4; got != want {
			t.Errorf("stranger %d: open %t, want %t", i, got, want)
		}
	}
	if !isOpen(friend, friendEnd) {
		t.Error("the friend lost its place")
	}
	if line := <-told; !strings.Contains(line, "too many are open") || len(told) > 0 {
		t.Errorf("told %q and %d more", line, len(told))
	}
	for _, c := range append(servers, friendEnd) {
		c.Close()
		c.Close() // once more changes nothing
	}
	if len(l.strangers) != 0 || l.friends != 0 {
		t.Errorf("%d strangers and %d friends are left", len(l.strangers), l.friends)
	}
}

// TestTCPListenerBoundsFriends: places of friends are bounded, too, and given back.
func TestTCPListenerBoundsFriends(t *testing.T) {
	l, dial := boundedListener(t, 2, 1, make(lines, 8))
	_, first := dial()
	_, second := dial()
	one, two := ConnContext(t.Context(), first), ConnContext(t.Context(), second)
	for range 2 {
		if err := Befriend(one); err != nil {
			t.Error(err)
		}
	}
	if err := Befriend(two); err == nil || err.Code != api.CodeLimit {
		t.Errorf("beyond the bound: %v", err)
	}
	first.Close()
	if err := Befriend(two); err != nil || l.friends != 1 || len(l.strangers) != 0 {
		t.Errorf("%v; %d friends, %d strangers", err, l.friends, len(l.strangers))
	}
	if err := Befriend(context.Background()); err != nil {
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
