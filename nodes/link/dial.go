package link

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"

	"ccdir/internal/proc"
)

// maxStatus bounds a status line, in bytes.
const maxStatus = 64 << 10

// ErrNone: no link runs for the node.
var ErrNone = errors.New("no link runs")

// dialLink connects to a link's socket and sends a request.
func dialLink(ctx context.Context, socket string, r Request) (net.Conn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", socket)
	if err != nil {
		if gone(err) {
			return nil, ErrNone
		}
		return nil, err
	}
	if err := proc.CheckDialled(conn.(*net.UnixConn), os.Getuid()); err != nil {
		conn.Close()
		return nil, fmt.Errorf("%s: %w", socket, err)
	}
	if err := writeLine(conn, r); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// Call makes one request and returns the status, and with Request.Open the connection, if
// Status.Opened. The error is ErrNone if no link runs.
func Call(ctx context.Context, socket string, r Request) (net.Conn, Status, error) {
	var s Status
	conn, err := dialLink(ctx, socket, r)
	if err != nil {
		return nil, s, err
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	if err := readLine(conn, maxStatus, &s); err != nil || !stop() {
		conn.Close()
		if ctx.Err() != nil {
			return nil, s, ctx.Err()
		}
		return nil, s, ErrNone // it has just ended
	}
	if !s.Opened {
		conn.Close()
		return nil, s, nil
	}
	return conn, s, nil
}

// Watch calls changed with the status of the link now and whenever it changes, until ctx or the
// link ends.
func Watch(ctx context.Context, socket string, r Request, changed func(Status)) error {
	r.Watch = true
	conn, err := dialLink(ctx, socket, r)
	if err != nil {
		return err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	for {
		var s Status
		if err := readLine(conn, maxStatus, &s); err != nil {
			return err
		}
		changed(s)
	}
}
