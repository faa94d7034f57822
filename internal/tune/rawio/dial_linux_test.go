package rawio

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestDialFullQueue: Dial waits for a listener that does not accept, as long as it
// may, and gets in when that goes on.
func TestDialFullQueue(t *testing.T) {
	dir, err := os.MkdirTemp("/tmp", "rawio")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "s")
	listener, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(listener)
	if err := errors.Join(unix.Bind(listener, &unix.SockaddrUnix{Name: path}), unix.Listen(listener, 0)); err != nil {
		t.Fatal(err)
	}
	waiting := 0
	for ; ; waiting++ {
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		c, err := Dial(ctx, path)
		cancel()
		if errors.Is(err, context.DeadlineExceeded) {
			break
		}
		if err != nil || waiting > 8 {
			t.Fatalf("%d wait: %v", waiting, err)
		}
		defer c.Close()
	}
	got := make(chan error, 1)
	go func() {
		c, err := Dial(t.Context(), path)
		if err == nil {
			err = c.Close()
		}
		got <- err
	}()
	for range waiting + 1 {
		fd, _, err := unix.Accept(listener)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(fd)
	}
	if err := <-got; err != nil {
		t.Error(err)
	}
}
