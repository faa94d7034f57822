package wire

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// stream is a connection that gives in and keeps what is written.
type stream struct {
	net.Conn
	in  []byte
	r   io.Reader
	out bytes.Buffer
}

func (s *stream) Read(p []byte) (int, error) {
	if s.r == nil {
		s.r = bytes.NewReader(s.in)
	}
	return s.r.Read(p)
}
func (s *stream) Write(p []byte) (int, error) { return s.out.Write(p) }
func (s *stream) Close() error                { return nil }

// TestConnSplit: messages come out the same however the bytes are cut.
func TestConnSplit(t *testing.T) {
	var wire []byte
	sent := goldenMessages()
	for _, m := range sent {
		var err error
		if wire, err = AppendMessage(wire, m); err != nil {
			t.Fatal(err)
		}
	}
	for name, r := range map[string]io.Reader{
		"whole": bytes.NewReader(wire), "bytes": iotest.OneByteReader(bytes.NewReader(wire)),
		"halves": iotest.HalfReader(bytes.NewReader(wire)), "data with error": iotest.DataErrReader(bytes.NewReader(wire)),
	} {
		c := NewConn(&stream{r: r})
		for i, want := range sent {
			got, err := c.Receive()
			if err != nil {
				t.Fatalf("%s: message %d: %v", name, i, err)
			}
			a, _ := AppendMessage(nil, want)
			b, _ := AppendMessage(nil, got)
			if !bytes.Equal(a, b) {
				t.Errorf("%s: message %d is %+v", name, i, got)
			}
		}
		if _, err := c.Receive(); err != io.EOF {
			t.Errorf("%s: at the end: %v", name, err)
		}
	}
}

func frameOf(n uint32, rest ...byte) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, n), rest...)
}

func TestConnHostile(t *testing.T) {
	for _, test := range []struct {
		name string
		in   []byte
		want error
	}{
		{"empty", nil, io.EOF},
		{"torn header", []byte{1, 0}, io.ErrUnexpectedEOF},
		{"torn body", frameOf(10, byte(KindError), 'x'), io.ErrUnexpectedEOF},
		{"no kind", frameOf(0, 0), ErrMalformed},
		{"too large", frameOf(MaxMessage+1, byte(KindError)), ErrTooLarge},
		{"huge", frameOf(1<<32-1, byte(KindError)), ErrTooLarge},
		{"no JSON", frameOf(2, byte(KindHello), '{'), ErrMalformed},
		{"empty frame", frameOf(1, byte(KindFrame)), ErrMalformed},
		{"empty input", frameOf(1, byte(KindInput)), ErrMalformed},
		{"unknown kinds are skipped", append(frameOf(3, 99, 1, 2), frameOf(1, 200)...), io.EOF},
	} {
		if m, err := NewConn(&stream{in: test.in}).Receive(); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, %v", test.name, m, err)
		}
	}
}

// TestConnClaim: a header that promises much costs what arrives.
func TestConnClaim(t *testing.T) {
	in := frameOf(MaxMessage, byte(KindHello), '{')
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 100 {
		if _, err := NewConn(&stream{in: in}).Receive(); err == nil {
			t.Fatal("no error")
		}
	}
	runtime.ReadMemStats(&after)
	if per := (after.TotalAlloc - before.TotalAlloc) / 100; per > 64<<10 {
		t.Errorf("a claim of %d bytes allocates %d", MaxMessage, per)
	}
}

func TestSendTooLarge(t *testing.T) {
	s := &stream{}
	c := NewConn(s)
	if err := c.Send(&Input{Type: InputPaste, Text: make([]byte, MaxMessage)}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("Send: %v", err)
	}
	if s.out.Len() != 0 {
		t.Errorf("%d bytes were written", s.out.Len())
	}
}

func TestWriteTimeout(t *testing.T) {
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	c := NewConn(a)
	c.SetWriteTimeout(10 * time.Millisecond)
	if err := c.Send(&View{}); err == nil || !strings.Contains(err.Error(), "timeout") {
		t.Errorf("a write that nobody takes: %v", err)
	}
}

// socketPath is where a socket can be: t.TempDir is too long for one on some
// machines.
func socketPath(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "hostwire")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return filepath.Join(dir, "s")
}

func TestDial(t *testing.T) {
	path := socketPath(t)
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	answer := make(chan Message, 1)
	go func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			c := NewConn(nc)
			if m, err := c.Receive(); err == nil {
				if h, ok := m.(*Hello); !ok || h.ProtocolMax != ProtocolMax {
					t.Errorf("hello: %+v", m)
				}
				if a := <-answer; a != nil {
					_ = c.Send(a)
				} else {
					_, _ = c.Receive() // says nothing
				}
			}
			nc.Close()
		}
	}()
	answer <- &Welcome{Session: "s", Protocol: 1}
	c, w, err := Dial(t.Context(), path, Hello{Ticket: "t"})
	if err != nil || w.Session != "s" {
		t.Fatalf("%+v, %v", w, err)
	}
	c.Close()

	answer <- NewError(CodeForbidden, "no")
	var e *Error
	if _, _, err := Dial(t.Context(), path, Hello{}); !errors.As(err, &e) || e.Code != CodeForbidden {
		t.Errorf("refused: %v", err)
	}
	answer <- &Status{}
	if _, _, err := Dial(t.Context(), path, Hello{}); !errors.Is(err, ErrMalformed) {
		t.Errorf("no welcome: %v", err)
	}
	answer <- nil
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, _, err := Dial(ctx, path, Hello{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("silence: %v", err)
	}
	if _, _, err := Dial(t.Context(), path+"x", Hello{}); err == nil {
		t.Error("no socket, no error")
	}
}

func TestNegotiate(t *testing.T) {
	for _, test := range []struct {
		lo, hi, want int
		ok           bool
	}{{1, 1, 1, true}, {1, 9, 1, true}, {2, 9, 1, false}, {0, 0, 0, false}, {-5, 3, 1, true}} {
		if v, ok := Negotiate(test.lo, test.hi); ok != test.ok || ok && v != test.want {
			t.Errorf("Negotiate(%d, %d): %d, %v", test.lo, test.hi, v, ok)
		}
	}
}

// TestDialSendsWhatFollows: what follows the Hello is there before the Welcome is
// sent.
func TestDialSendsWhatFollows(t *testing.T) {
	socket := socketPath(t)
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	got := make(chan error, 1)
	go func() {
		nc, err := l.Accept()
		if err != nil {
			got <- err
			return
		}
		peer := NewConn(nc)
		defer peer.Close()
		hello, err := peer.Receive()
		if h, ok := hello.(*Hello); err == nil && (!ok || h.Ticket != "t") {
			err = fmt.Errorf("greeted by %v", hello)
		}
		if err == nil {
			var m Message
			if m, err = peer.Receive(); err == nil && *m.(*View) != (View{Visible: true, Cols: 7, Rows: 3}) {
				err = fmt.Errorf("followed by %v", m)
			}
		}
		got <- errors.Join(err, peer.Send(&Welcome{Protocol: ProtocolMax, Session: "s"}))
	}()
	c, w, err := Dial(t.Context(), socket, Hello{Ticket: "t"}, &View{Visible: true, Cols: 7, Rows: 3})
	if err != nil || w.Session != "s" {
		t.Fatal(w, err)
	}
	c.Close()
	if err := <-got; err != nil {
		t.Error(err)
	}
}
