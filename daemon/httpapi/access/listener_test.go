package access

import (
	"context"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"ccdir/api"
)

// TestListenerRefusesOthers: a connection of another user is closed and told, and
// the next one of the right user is accepted.
func TestListenerRefusesOthers(t *testing.T) {
	dir, err := os.MkdirTemp("", "cc") // the name of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	for _, c := range []struct{ uid, refused int }{{os.Getuid(), 0}, {os.Getuid() + 1, 1}} {
		l, err := net.Listen("unix", filepath.Join(dir, "s"))
		if err != nil {
			t.Fatal(err)
		}
		told := make(chan int, 1)
		accepted := make(chan error, 1)
		go func() {
			conn, err := Listener{Listener: l, UID: c.uid, Logger: slog.New(slog.DiscardHandler), Refused: func(uid int) {
				told <- uid
				l.Close()
			}}.Accept()
			if err == nil {
				conn.Close()
			}
			accepted <- err
		}()
		conn, err := net.Dial("unix", filepath.Join(dir, "s"))
		if err != nil {
			t.Fatal(err)
		}
		err = <-accepted
		conn.Close()
		l.Close()
		if (err != nil) != (c.refused > 0) || len(told) != c.refused {
			t.Errorf("uid %d: %v, told %d times", c.uid, err, len(told))
		}
		if c.refused > 0 {
			if uid := <-told; uid != os.Getuid() {
				t.Errorf("told of uid %d", uid)
			}
		}
	}
}

// whoever answers that each process is of the origin that it has at the moment.
type whoever struct{ origin atomic.Pointer[api.Origin] }

func (w *whoever) Identify(context.Context, int, string) (api.Origin, error) {
	return *w.origin.Load(), nil
}

// TestListenerBoundsSessions: connections of one session are bounded, with a reason, and one that
// is closed makes room; other sessions' and the person's are not touched.
func TestListenerBoundsSessions(t *testing.T) {
	dir, err := os.MkdirTemp("", "cc") // the name of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	inner, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer inner.Close()
	who := &whoever{}
	l := Bounded(Listener{Listener: inner, UID: os.Getuid(), Logger: slog.New(slog.DiscardHandler)}, who)
	l.open.most = 2
	// come connects as a process of an origin and reports whether the server read its byte.
	come := func(o api.Origin) (server net.Conn, ok bool) {
		t.Helper()
		who.origin.Store(&o)
		client, err := net.Dial("unix", filepath.Join(dir, "s"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { client.Close() })
		if _, err := client.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
		if server, err = l.Accept(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { server.Close() })
		if _, err = server.Read(make([]byte, 1)); err == nil {
			return server, true
		}
		server.Close()
		answer, _ := io.ReadAll(client)
		if !strings.HasPrefix(string(answer), "HTTP/1.1 429 ") || !strings.Contains(string(answer), "too many connections") {
			t.Errorf("the answer: %q", answer)
		}
		return server, false
	}
	one, two := api.Origin{Inside: true, Session: "one"}, api.Origin{Inside: true, Session: "two"}
	first, _ := come(one)
	for i, c := range []struct {
		origin api.Origin
		want   bool
	}{{one, true}, {one, false}, {two, true}, {api.Origin{}, true}, {api.Origin{}, true}, {api.Origin{}, true}, {one, false}} {
		if _, ok := come(c.origin); ok != c.want {
			t.Errorf("connection %d: %t, want %t", i, ok, c.want)
		}
	}
	first.Close()
	first.Close() // once more changes nothing
	for i, want := range []bool{true, false} {
		if _, ok := come(one); ok != want {
			t.Errorf("after a close, connection %d: %t, want %t", i, ok, want)
		}
	}
}
