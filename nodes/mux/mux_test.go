package mux

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestGolden: the bytes of every kind are fixed.
func TestGolden(t *testing.T) {
	for want, f := range map[string]frame{
		"010000000104000064656d6f":         {1, kindOpen, []byte("demo")},
		"0200010002020000ff00":             {0x10002, kindData, []byte{0xff, 0}},
		"030000000304000000200000":         {3, kindCredit, []byte{0, 0x20, 0, 0}},
		"0400000004000000":                 {4, kindClose, nil},
		"00000000050800000102030405060708": {0, kindPing, []byte{1, 2, 3, 4, 5, 6, 7, 8}},
		"00000000060800000102030405060708": {0, kindPong, []byte{1, 2, 3, 4, 5, 6, 7, 8}},
	} {
		if got := hex.EncodeToString(appendFrame(nil, f)); got != want {
			t.Errorf("%+v is %s, not %s", f, got, want)
		}
		data, err := hex.DecodeString(want)
		if err != nil {
			t.Fatal(err)
		}
		back, err := readFrame(bytes.NewReader(data), new([headerLen + maxBody]byte))
		if err != nil || back.stream != f.stream || back.kind != f.kind || !bytes.Equal(back.body, f.body) {
			t.Errorf("%s is read as %+v, %v", want, back, err)
		}
	}
}

// ends are two ends over pipes.
type ends struct {
	near, far *Mux
	hangUp    func() // ends the connection
	over      chan error
}

func join(t *testing.T, dial func(string) (net.Conn, error), near Options) *ends {
	t.Helper()
	hereR, thereW := io.Pipe()
	thereR, hereW := io.Pipe()
	e := &ends{over: make(chan error, 2)}
	e.hangUp = func() { hereR.Close(); thereR.Close(); hereW.Close(); thereW.Close() }
	near.Ended = e.hangUp
	e.near = New(hereR, hereW, near)
	e.far = New(thereR, thereW, Options{Dial: dial, Ended: e.hangUp})
	go func() { e.over <- e.near.Run() }()
	go func() { e.over <- e.far.Run() }()
	t.Cleanup(func() {
		e.hangUp()
		<-e.over
		<-e.over
	})
	return e
}

// pair is a connected pair of unix sockets, because net.Pipe has no buffers.
func pair(t testing.TB) (a, b net.Conn) {
	t.Helper()
	l, err := net.Listen("unix", filepath.Join(shortDir(t), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if a, err = net.Dial("unix", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if b, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close(); b.Close() })
	return a, b
}

func shortDir(t testing.TB) string {
	dir, err := os.MkdirTemp("", "mux")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// TestEcho: many streams at once carry their own bytes, whole and in order.
func TestEcho(t *testing.T) {
	e := join(t, func(string) (net.Conn, error) {
		a, b := pair(t)
		go func() { _, _ = io.Copy(b, b); b.Close() }()
		return a, nil
	}, Options{})
	var wg sync.WaitGroup
	for i := range 8 {
		a, b := pair(t)
		if err := e.near.Open("echo", a); err != nil {
			t.Fatal(err)
		}
		text := []byte(strings.Repeat(fmt.Sprintf("stream %d ", i), 40_000))
		wg.Go(func() { _, _ = b.Write(text) })
		wg.Go(func() {
			got := make([]byte, len(text))
			if _, err := io.ReadFull(b, got); err != nil || !bytes.Equal(got, text) {
				t.Errorf("stream %d: %v, equal %t", i, err, bytes.Equal(got, text))
			}
			b.Close()
		})
	}
	wg.Wait()
}

// TestStuckStream: a stream that is not read holds up no other.
func TestStuckStream(t *testing.T) {
	e := join(t, func(name string) (net.Conn, error) {
		a, b := pair(t)
		go func() {
			if name == "flood" {
				for {
					if _, err := b.Write(make([]byte, 64<<10)); err != nil {
						return
					}
				}
			}
			_, _ = io.Copy(b, b)
		}()
		return a, nil
	}, Options{})
	for range 3 {
		a, _ := pair(t)
		_ = e.near.Open("flood", a) // nobody reads its other end
	}
	a, b := pair(t)
	_ = e.near.Open("echo", a)
	for range 200 {
		if _, err := b.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(b, make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCloses: the end of either connection ends the other one, after what was sent before.
func TestCloses(t *testing.T) {
	far := make(chan net.Conn, 1)
	e := join(t, func(name string) (net.Conn, error) {
		if name == "none" {
			return nil, errors.New("nothing there")
		}
		a, b := pair(t)
		far <- b
		return a, nil
	}, Options{})
	a, b := pair(t)
	_ = e.near.Open("x", a)
	there := <-far
	_, _ = there.Write([]byte("last words"))
	there.Close()
	if got, err := io.ReadAll(b); string(got) != "last words" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	a, b = pair(t)
	_ = e.near.Open("x", a)
	there = <-far
	_, _ = b.Write([]byte("bye"))
	b.Close()
	if got, err := io.ReadAll(there); string(got) != "bye" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	a, b = pair(t)
	_ = e.near.Open("none", a)
	if got, err := io.ReadAll(b); len(got) > 0 || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// TestEnd: the end of the connection closes every stream.
func TestEnd(t *testing.T) {
	e := join(t, func(string) (net.Conn, error) { a, _ := pair(t); return a, nil }, Options{})
	a, b := pair(t)
	_ = e.near.Open("x", a)
	e.hangUp()
	if _, err := io.ReadAll(b); err != nil {
		t.Error(err)
	}
	a, b = pair(t)
	for e.near.Open("x", a) == nil {
		a, b = pair(t)
	}
	if _, err := io.ReadAll(b); err != nil {
		t.Error(err)
	}
}

// TestPing: pongs tell the round trip.
func TestPing(t *testing.T) {
	round := make(chan time.Duration, 1)
	e := join(t, func(string) (net.Conn, error) { return nil, io.EOF }, Options{Pong: func(d time.Duration) { round <- d }})
	e.near.Ping()
	if d := <-round; d < 0 {
		t.Error(d)
	}
}

// hostile runs one end against frames and returns why it ended.
func hostile(t *testing.T, o Options, open int, frames ...frame) error {
	t.Helper()
	var in []byte
	for _, f := range frames {
		in = appendFrame(in, f)
	}
	m := New(bytes.NewReader(in), io.Discard, o)
	for range open {
		a, _ := pair(t)
		_ = m.Open("x", a)
	}
	return m.Run()
}

// TestHostile: what breaks the protocol ends the connection.
func TestHostile(t *testing.T) {
	if err := hostile(t, Options{}, 0, frame{1, kindOpen, []byte("daemon.sock")}); !errors.Is(err, errOpen) {
		t.Errorf("an open from the node: %v", err)
	}
	dial := func(string) (net.Conn, error) { a, _ := pair(t); return a, nil }
	if err := hostile(t, Options{Dial: dial}, 0, frame{1, kindOpen, []byte("a")}, frame{1, kindOpen, []byte("a")}); !errors.Is(err, errStream) {
		t.Errorf("two opens of one number: %v", err)
	}
	if err := hostile(t, Options{Dial: dial}, 0, frame{1, kindOpen, make([]byte, 300)}); !errors.Is(err, errStream) {
		t.Errorf("a long name: %v", err)
	}
	full := make([]byte, maxBody)
	flood := []frame{}
	for range 200 { // the socket's buffer takes some, and what it takes is credited
		flood = append(flood, frame{1, kindData, full})
	}
	if err := hostile(t, Options{}, 1, flood...); !errors.Is(err, errWindow) {
		t.Errorf("more than the window: %v", err)
	}
	if err := hostile(t, Options{}, 1, frame{1, kindCredit, []byte{1, 0, 0, 0}}); !errors.Is(err, errCredit) {
		t.Errorf("credit for nothing: %v", err)
	}
	if err := hostile(t, Options{}, 1, frame{9, kindData, full}, frame{1, 200, full}, frame{1, kindCredit, nil}); !errors.Is(err, io.EOF) {
		t.Errorf("frames that have no effect: %v", err)
	}
	long := New(bytes.NewReader([]byte{1, 0, 0, 0, 2, 0xff, 0xff, 0xff}), io.Discard, Options{})
	if err := long.Run(); !errors.Is(err, errTooLong) {
		t.Errorf("a frame of 16 MiB: %v", err)
	}
}

// TestFirst: of several streams with data, the one that was sent data last goes first.
func TestFirst(t *testing.T) {
	m := New(strings.NewReader(""), io.Discard, Options{First: func(name string) bool { return name != "daemon.sock" }})
	mk := func(id uint32, name string) *stream {
		return &stream{m: m, id: id, name: name, arrived: make(chan struct{}, 1)}
	}
	api, a, b := mk(1, "daemon.sock"), mk(2, "h-a.sock"), mk(3, "h-b.sock")
	for _, s := range []*stream{a, b, api} {
		if err := s.dataLocked([]byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	m.ready = []*stream{api, a, b}
	for _, want := range []*stream{b, api, a, nil} {
		if got := m.pickLocked(); got != want {
			t.Errorf("%+v instead of %+v", got, want)
		}
	}
}

// FuzzNear and FuzzFar: whatever arrives, an end neither panics nor hangs.
func FuzzNear(f *testing.F) { fuzz(f, false) }
func FuzzFar(f *testing.F)  { fuzz(f, true) }

func fuzz(f *testing.F, far bool) {
	f.Add(appendFrame(nil, frame{1, kindOpen, []byte("a")}))
	f.Add(appendFrame(appendFrame(nil, frame{1, kindData, []byte("hello")}), frame{1, kindClose, nil}))
	f.Add(appendFrame(appendFrame(nil, frame{1, kindCredit, []byte{1, 0, 0, 0}}), frame{0, kindPing, []byte("12345678")}))
	f.Fuzz(func(t *testing.T, data []byte) {
		o := Options{Pong: func(time.Duration) {}}
		if far {
			o.Dial = func(name string) (net.Conn, error) {
				if len(name)%2 == 1 {
					return nil, io.EOF
				}
				a, b := net.Pipe()
				go func() { _, _ = io.Copy(io.Discard, b); b.Close() }()
				return a, nil
			}
		}
		m := New(bytes.NewReader(data), io.Discard, o)
		if !far {
			a, b := net.Pipe()
			go func() { _, _ = io.Copy(io.Discard, b); b.Close() }()
			_ = m.Open("a", a)
		}
		if m.Run() == nil {
			t.Error("it ended without a reason")
		}
	})
}
