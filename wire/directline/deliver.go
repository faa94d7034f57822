package directline

import (
	"bytes"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"ccdir/internal/proc"
	"ccdir/internal/tune/rawio"
	"ccdir/wire"
)

// A line's descriptors travel over a connection of their own (SCM_RIGHTS): the client
// greets with the token (Hello.Line), the host answers with a wire.Line that carries
// page and PTY, and the client may send its own terminal with another wire.Line.

// Terminal is an open terminal: a session's PTY, or the one that a person looks at
// (a *rawio.File).
type Terminal interface {
	// Control calls f with the descriptor, which stays valid until f returns.
	Control(f func(fd uintptr)) error
}

const (
	// dialWithin bounds the whole hand-over at the client.
	dialWithin = 5 * time.Second
	// displayWithin bounds the wait for the client's terminal at the host.
	displayWithin = 5 * time.Second
	// lineFiles is how many descriptors come with the host's wire.Line.
	lineFiles = 2
)

// Dial fetches the line that hello.Line stands for from the host at socket. display is
// the terminal that may be lent to the host; nil lends nothing. The caller closes the
// line.
func Dial(ctx context.Context, socket string, hello wire.Hello, display Terminal) (*Line, error) {
	ctx, cancel := context.WithTimeout(ctx, dialWithin)
	defer cancel()
	nc, err := new(net.Dialer).DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, err
	}
	defer nc.Close()
	stop := context.AfterFunc(ctx, func() { _ = nc.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	conn := nc.(*net.UnixConn)
	if err := proc.CheckDialled(conn, os.Getuid()); err != nil {
		return nil, err
	}
	hello.ProtocolMin, hello.ProtocolMax, hello.Display = wire.ProtocolMin, wire.ProtocolMax, display != nil
	in := &lineConn{UnixConn: conn}
	if err := in.fetch(&hello); err != nil {
		closeAll(in.files)
		return nil, err
	}
	if display != nil {
		_ = sendDisplay(conn, display) // without it the line still takes text
	}
	return open(in.files[0], in.files[1])
}

// lineConn collects the descriptors that come with the bytes that it reads.
type lineConn struct {
	*net.UnixConn
	files []int
}

// fetch greets the host and reads its answer.
func (c *lineConn) fetch(hello *wire.Hello) error {
	conn := wire.NewConn(c)
	if err := conn.Send(hello); err != nil {
		return err
	}
	m, err := conn.Receive()
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	} else if err != nil {
		return err
	}
	switch m := m.(type) {
	case *wire.Line:
		if len(c.files) != lineFiles {
			return fmt.Errorf("%w: a line with %d descriptors", wire.ErrMalformed, len(c.files))
		}
		return nil
	case *wire.Error:
		return m
	}
	return fmt.Errorf("%w: message kind %d instead of a line", wire.ErrMalformed, m.Kind())
}

// Read is io.Reader's.
func (c *lineConn) Read(p []byte) (int, error) {
	control := make([]byte, syscall.CmsgSpace(4*lineFiles))
	n, nc, _, _, err := c.ReadMsgUnix(p, control)
	n, nc = max(n, 0), max(nc, 0) // -1 with an error of the system
	files, bad := rights(control[:nc])
	c.files = append(c.files, files...)
	switch {
	case bad != nil:
		return 0, bad
	case err == nil && n == 0:
		return 0, io.EOF
	}
	return n, err
}

// sendDisplay sends a wire.Line with the terminal's descriptor.
func sendDisplay(conn *net.UnixConn, display Terminal) error {
	b, err := wire.AppendMessage(nil, &wire.Line{})
	if err != nil {
		return err
	}
	bad := display.Control(func(fd uintptr) { _, _, err = conn.WriteMsgUnix(b, syscall.UnixRights(int(fd)), nil) })
	return errors.Join(err, bad)
}

// Deliver answers a client that fetches its line: it sends the descriptors of the page
// and of the session's PTY, and receives the client's terminal if hello announces one.
// An error is the answer that the client has to get; nothing was sent.
func (l *Lines) Deliver(nc *rawio.Conn, hello *wire.Hello, pty Terminal) error {
	p := l.redeem(hello.Line)
	if p == nil {
		return wire.NewError(wire.CodeForbidden, "no direct line waits to be fetched with this token")
	}
	if err := p.send(nc, pty); err != nil || !hello.Display {
		return err
	}
	_ = nc.SetReadDeadline(time.Now().Add(displayWithin))
	if display, err := receiveDisplay(nc); err == nil { // without it the line still takes text
		p.setDisplay(display)
	}
	return nil
}

// redeem returns the page of that token and uses the token up; nil if it is unknown.
func (l *Lines) redeem(token string) *page {
	l.mu.Lock()
	defer l.mu.Unlock()
	for p, t := range l.pages {
		if t != "" && subtle.ConstantTimeCompare([]byte(token), []byte(t)) == 1 {
			l.pages[p] = ""
			return p
		}
	}
	return nil
}

// send sends a wire.Line with the descriptors of the page and the PTY; the receiver gets
// duplicates.
func (p *page) send(nc *rawio.Conn, pty Terminal) error {
	b, err := wire.AppendMessage(nil, &wire.Line{})
	if err != nil {
		return err
	}
	err = errClosed
	write := func(conn, terminal uintptr) {
		p.mu.RLock()
		defer p.mu.RUnlock()
		if p.w != nil {
			err = os.NewSyscallError("sendmsg", syscall.Sendmsg(int(conn), b, syscall.UnixRights(p.fd, int(terminal)), nil, 0))
		}
	}
	bad := nc.Control(func(conn uintptr) {
		if bad := pty.Control(func(terminal uintptr) { write(conn, terminal) }); bad != nil {
			err = bad
		}
	})
	return errors.Join(err, bad)
}

// errClosed: the client's connection ended while it fetched its line.
var errClosed = errors.New("the direct line is closed")

// receiveDisplay waits for the client's wire.Line, at most until the connection's read
// deadline, and returns the descriptor of its terminal. The caller owns it and must not
// change its mode.
func receiveDisplay(nc *rawio.Conn) (display int, err error) {
	want, err := wire.AppendMessage(nil, &wire.Line{})
	if err != nil {
		return -1, err
	}
	got := make([]byte, len(want))
	control := make([]byte, syscall.CmsgSpace(4))
	var n, oob int
	bad := nc.ReadWith(func(fd uintptr) bool {
		n, oob, _, _, err = syscall.Recvmsg(int(fd), got, control, receiveFlags)
		return !errors.Is(err, syscall.EAGAIN)
	})
	if err = errors.Join(bad, os.NewSyscallError("recvmsg", err)); err != nil {
		return -1, err
	}
	files, err := rights(control[:oob])
	if err == nil && (n != len(want) || !bytes.Equal(got, want) || len(files) != 1) {
		closeAll(files)
		err = fmt.Errorf("%w: no display came", wire.ErrMalformed)
	}
	if err != nil {
		return -1, err
	}
	return files[0], nil
}

// rights returns the descriptors in a control message.
func rights(control []byte) (files []int, err error) {
	messages, err := syscall.ParseSocketControlMessage(control)
	for i := range messages {
		var more []int
		if more, err = syscall.ParseUnixRights(&messages[i]); err != nil {
			break
		}
		files = append(files, more...)
	}
	if err != nil {
		closeAll(files)
		return nil, fmt.Errorf("%w: %v", wire.ErrMalformed, err)
	}
	return files, nil
}

func closeAll(files []int) {
	for _, fd := range files {
		syscall.Close(fd)
	}
}
