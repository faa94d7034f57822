package wire

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"

	"ccdir/internal/tune/rawio"
)

// Display is the terminal that a person looks at (a *rawio.File).
type Display interface {
	// Control calls f with the descriptor, which is valid meanwhile.
	Control(f func(fd uintptr)) error
}

// sendDisplay writes a Line with the display's descriptor.
func sendDisplay(conn *net.UnixConn, display Display) error {
	b, err := AppendMessage(nil, &Line{})
	if err != nil {
		return err
	}
	bad := display.Control(func(fd uintptr) { _, _, err = conn.WriteMsgUnix(b, syscall.UnixRights(int(fd)), nil) })
	return errors.Join(err, bad)
}

// ReceiveDisplay waits for the Line that a terminal sends after its own, at most
// until the connection's read deadline, and returns the display's descriptor, which
// is the caller's and in the mode that the terminal uses it in.
func ReceiveDisplay(nc *rawio.Conn) (display int, err error) {
	want, err := AppendMessage(nil, &Line{})
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
		err = fmt.Errorf("%w: no display came", ErrMalformed)
	}
	if err != nil {
		return -1, err
	}
	return files[0], nil
}
