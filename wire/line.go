package wire

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"ccdir/internal/proc"
)

// LineResult answers MethodLine.
type LineResult struct {
	// Token fetches the line's descriptors, once (Hello.Line).
	Token string `json:"token"`
}

// Line comes instead of a Welcome to who sent Hello.Line, and is the connection's
// last message. With it come two descriptors (SCM_RIGHTS): the line's page and the
// PTY's master, see wire/directline.
type Line struct{}

// lineFiles is how many descriptors come with a Line.
const lineFiles = 2

// SendLine writes a Line with its descriptors to the unix socket conn. The receiver
// gets duplicates.
func SendLine(conn uintptr, page, terminal int) error {
	b, err := AppendMessage(nil, &Line{})
	if err != nil {
		return err
	}
	return os.NewSyscallError("sendmsg", syscall.Sendmsg(int(conn), b, syscall.UnixRights(page, terminal), nil, 0))
}

// DialLine connects to a host's socket and fetches the descriptors of the direct
// line that hello.Line stands for. They are the caller's; the PTY's is non-blocking
// and must stay so, because the host shares that setting.
func DialLine(ctx context.Context, socket string, hello Hello, display Display) (page, terminal int, err error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	nc, err := new(net.Dialer).DialContext(ctx, "unix", socket)
	if err != nil {
		return -1, -1, err
	}
	defer nc.Close()
	stop := context.AfterFunc(ctx, func() { _ = nc.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	conn := nc.(*net.UnixConn)
	if err := proc.CheckDialled(conn, os.Getuid()); err != nil {
		return -1, -1, err
	}
	hello.ProtocolMin, hello.ProtocolMax, hello.Display = ProtocolMin, ProtocolMax, display != nil
	in := &lineConn{UnixConn: conn}
	if err := in.fetch(&hello); err != nil {
		closeAll(in.files)
		return -1, -1, err
	}
	if display != nil {
		_ = sendDisplay(conn, display) // the line is good without it
	}
	return in.files[0], in.files[1], nil
}

// lineConn keeps the descriptors that come with what is read.
type lineConn struct {
	*net.UnixConn
	files []int
}

// fetch says hello and takes the answer.
func (c *lineConn) fetch(hello *Hello) error {
	conn := NewConn(c)
	if err := conn.Send(hello); err != nil {
		return err
	}
	m, err := conn.Receive()
	if err != nil {
		return noEOF(err)
	}
	switch m := m.(type) {
	case *Line:
		if len(c.files) != lineFiles {
			return fmt.Errorf("%w: a line with %d descriptors", ErrMalformed, len(c.files))
		}
		return nil
	case *Error:
		return m
	}
	return fmt.Errorf("%w: message kind %d instead of a line", ErrMalformed, m.Kind())
}

// Read is io.Reader's.
func (c *lineConn) Read(p []byte) (int, error) {
	control := make([]byte, syscall.CmsgSpace(4*lineFiles))
	n, nc, _, _, err := c.ReadMsgUnix(p, control)
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

// rights are the descriptors in a control message.
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
		return nil, fmt.Errorf("%w: %v", ErrMalformed, err)
	}
	return files, nil
}

func closeAll(files []int) {
	for _, fd := range files {
		syscall.Close(fd)
	}
}
