package linetest

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"testing"

	"ccdir/internal/tune/rawio"
	"ccdir/wire"
	"ccdir/wire/directline"
)

// FD is a descriptor as a [directline.Terminal].
type FD int

// Control is directline.Terminal's.
func (fd FD) Control(f func(fd uintptr)) error { f(uintptr(fd)); return nil }

// Pair is both halves of one line.
type Pair struct {
	Lines directline.Lines
	End   directline.End
	Line  *directline.Line
}

// New joins a line to pty; the client lends display unless it is nil. The lines are
// closed for text until Lines.Allow. Everything is given up when the test ends.
func New(t testing.TB, pty, display directline.Terminal) *Pair {
	t.Helper()
	p := &Pair{}
	p.Line = Join(t, &p.Lines, &p.End, pty, display)
	return p
}

// Join makes a line for end.
func Join(t testing.TB, lines *directline.Lines, end *directline.End, pty, display directline.Terminal) *directline.Line {
	t.Helper()
	token, err := end.Offer(lines)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(end.Close)
	dir, err := os.MkdirTemp("", "line") // t.TempDir may be too long for a socket's name
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	socket := filepath.Join(dir, "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	served := make(chan error, 1)
	go func() { served <- serve(l, lines, pty) }()
	line, err := directline.Dial(context.Background(), socket, wire.Hello{Line: token}, display)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(line.Close)
	if err := <-served; err != nil {
		t.Fatal(err)
	}
	return line
}

// serve is the host that hands one line over.
func serve(l net.Listener, lines *directline.Lines, pty directline.Terminal) error {
	peer, err := l.Accept()
	if err != nil {
		return err
	}
	nc, err := rawio.NewConn(peer.(*net.UnixConn))
	if err != nil {
		return err
	}
	defer nc.Close()
	m, err := wire.NewConn(nc).Receive()
	if err != nil {
		return err
	}
	return lines.Deliver(nc, m.(*wire.Hello), pty)
}
