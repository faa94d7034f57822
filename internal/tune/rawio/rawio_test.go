package rawio

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

var _ net.Conn = (*Conn)(nil)

// pair is a connection with a Conn at one end.
func pair(t *testing.T) (*Conn, *net.UnixConn) {
	t.Helper()
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	far, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	near, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewConn(near.(*net.UnixConn))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(); far.Close() })
	return c, far.(*net.UnixConn)
}

// TestBothWays: far more than the buffers hold goes through in both directions
// at the same time, and the end of the stream is io.EOF.
func TestBothWays(t *testing.T) {
	c, far := pair(t)
	sent := make([]byte, 8<<20)
	for i := range sent {
		sent[i] = byte(i * 7 >> 3)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		if n, err := c.Write(sent); n != len(sent) || err != nil {
			t.Errorf("Write: %d, %v", n, err)
		}
	})
	wg.Go(func() {
		_, err := far.Write(sent)
		if err == nil {
			err = far.CloseWrite()
		}
		if err != nil {
			t.Error(err)
		}
	})
	wg.Go(func() {
		got := make([]byte, len(sent))
		if _, err := io.ReadFull(far, got); err != nil || !bytes.Equal(got, sent) {
			t.Errorf("the other end got something else (%v)", err)
		}
	})
	hash := sha256.New()
	n, err := io.Copy(hash, struct{ io.Reader }{c})
	wg.Wait()
	if err != nil || n != int64(len(sent)) || [32]byte(hash.Sum(nil)) != sha256.Sum256(sent) {
		t.Errorf("read %d bytes of %d, or others (%v)", n, len(sent), err)
	}
}

// TestDeadlines: a read and a write that wait end at their deadline, work again
// once it is lifted, and a partial write says how much it wrote.
func TestDeadlines(t *testing.T) {
	c, far := pair(t)
	if err := c.SetReadDeadline(time.Now().Add(20 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("Read: %v", err)
	}
	if err := c.SetDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
	big := make([]byte, 4<<20)
	wrote := 0
	for range 2 { // with and without the waiter being there
		if err := c.SetWriteDeadline(time.Now().Add(20 * time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		n, err := c.Write(big)
		if wrote += n; n == len(big) || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("Write: %d, %v", n, err)
		}
	}
	if err := c.SetWriteDeadline(time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if n, err := c.Write([]byte("x")); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("Write after the deadline: %d, %v", n, err)
	}
	_ = c.SetWriteDeadline(time.Time{})
	go func() { _, _ = c.Write([]byte("end")) }()
	got := make([]byte, wrote+3)
	if _, err := io.ReadFull(far, got); err != nil || string(got[wrote:]) != "end" {
		t.Errorf("the other end: %v, %q", err, got[wrote:])
	}
}

// TestClose: Close ends calls that wait, and later ones fail.
func TestClose(t *testing.T) {
	c, _ := pair(t)
	errs := make(chan error, 2)
	go func() {
		_, err := c.Read(make([]byte, 1))
		errs <- err
	}()
	go func() {
		_, err := c.Write(make([]byte, 8<<20))
		errs <- err
	}()
	time.Sleep(10 * time.Millisecond) // either order is fine; this makes waiting likely
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := <-errs; !errors.Is(err, os.ErrClosed) {
			t.Errorf("a call that waited: %v", err)
		}
	}
	if err := c.Close(); !errors.Is(err, os.ErrClosed) && !errors.Is(err, net.ErrClosed) {
		t.Errorf("Close again: %v", err)
	}
	if _, err := c.Write([]byte("x")); err == nil {
		t.Error("a write after Close succeeded")
	}
	if c.Control(func(uintptr) {}) == nil {
		t.Error("Control after Close succeeded")
	}
}

// TestTerminal: a PTY's master works, its slave's last close is an end, and the
// one that hung up is seen by a reader that waits.
func TestTerminal(t *testing.T) {
	ptm, pts, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	f, err := NewFile(ptm)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write([]byte("line\n")); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 16)
	if n, err := pts.Read(line); err != nil || string(line[:n]) != "line\n" {
		t.Errorf("slave: %q, %v", line[:n], err)
	}
	go func() {
		_, _ = pts.Write([]byte("back"))
		pts.Close()
	}()
	all, err := io.ReadAll(struct{ io.Reader }{f})
	if !bytes.Contains(all, []byte("back")) {
		t.Errorf("master read %q (%v)", all, err)
	}
}

// TestNoPoll: what cannot be waited for is refused, not read in a busy loop.
func TestNoPoll(t *testing.T) {
	plain, err := os.Create(filepath.Join(t.TempDir(), "plain"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := NewFile(plain)
	if err == nil { // other systems use the file as it is
		f.Close()
		return
	}
	if _, err := plain.Write(nil); !errors.Is(err, os.ErrClosed) {
		t.Errorf("the file was not closed: %v", err)
	}
}

// BenchmarkPingPong is one byte there and back.
func BenchmarkPingPong(b *testing.B) {
	for _, kind := range []string{"net", "rawio"} {
		b.Run(kind, func(b *testing.B) {
			l, err := net.Listen("unix", filepath.Join(b.TempDir(), "s"))
			if err != nil {
				b.Fatal(err)
			}
			far, _ := net.Dial("unix", l.Addr().String())
			near, err := l.Accept()
			if err != nil {
				b.Fatal(err)
			}
			var x, y net.Conn = near, far
			if kind == "rawio" {
				x, _ = NewConn(near.(*net.UnixConn))
				y, _ = NewConn(far.(*net.UnixConn))
			}
			defer x.Close()
			defer y.Close()
			go func() { _, _ = io.Copy(struct{ io.Writer }{y}, struct{ io.Reader }{y}) }()
			b.ReportAllocs()
			p := []byte{1}
			for b.Loop() {
				if _, err := x.Write(p); err != nil {
					b.Fatal(err)
				}
				if _, err := x.Read(p); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
