package client

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestCrowded: a call waits for its place where the socket's queue is full, and says why it got none.
func TestCrowded(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(syscall.Bind(fd, &syscall.SockaddrUnix{Name: socket}), syscall.Listen(fd, 0)); err != nil {
		t.Fatal(err)
	}
	file := os.NewFile(uintptr(fd), socket)
	l, err := net.FileListener(file)
	_ = file.Close()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	for err == nil { // until the queue is full
		var c net.Conn
		if c, err = net.Dial("unix", socket); err == nil {
			t.Cleanup(func() { _ = c.Close() })
		}
	}
	if !errors.Is(err, syscall.EAGAIN) {
		t.Fatal(err)
	}
	if err := callError(dialError(socket, errCrowded)); !errors.Is(err, errCrowded) {
		t.Errorf("the reason: %v", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := dialQueued(gone, socket); !errors.Is(err, context.Canceled) {
		t.Errorf("a call that is over: %v", err)
	}
	done := make(chan error, 1)
	go func() {
		c, err := dialQueued(t.Context(), socket)
		if err == nil {
			_ = c.Close()
		}
		done <- err
	}()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return // the test is over
			}
			defer c.Close()
		}
	}()
	if err := <-done; err != nil {
		t.Errorf("with a place: %v", err)
	}
}
