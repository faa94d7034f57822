package access

import (
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"testing"
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
