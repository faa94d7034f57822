package client

import (
	"context"
	"errors"
	"fmt"

	"ccdir/internal/hostwire"
	"ccdir/internal/textsafe"
)

// HostOptions say how to connect to a session's host.
type HostOptions struct {
	// ReadOnly connections send no input and claim no size.
	ReadOnly bool
	// Evidence subscribes to evidence after that number; nil does not.
	Evidence *uint64
}

// Host connects to the host of a session that runs, past the daemon: frames
// and input go straight between the two. The daemon is asked for address and
// ticket only. The caller closes the connection.
func (c *Client) Host(ctx context.Context, ref string, opts HostOptions) (*hostwire.Conn, hostwire.Welcome, error) {
	addr, err := c.HostAddress(ctx, ref)
	if err != nil {
		return nil, hostwire.Welcome{}, err
	}
	conn, welcome, err := hostwire.Dial(ctx, addr.Socket, hostwire.Hello{
		Ticket:   addr.Ticket,
		Client:   "ccdir " + c.opts.Version + " (" + c.opts.Name + ")",
		ReadOnly: opts.ReadOnly,
		Evidence: opts.Evidence,
	})
	var refused *hostwire.Error
	switch {
	case err == nil:
		return conn, welcome, nil
	case ctx.Err() != nil:
		return nil, welcome, ctx.Err()
	case errors.As(err, &refused):
		return nil, welcome, fmt.Errorf("the host of session %s refused the connection: %s", textsafe.Line(ref), textsafe.Line(refused.Message))
	}
	return nil, welcome, fmt.Errorf("the host of session %s cannot be reached (%w): it may just be ending; see `ccdir show %[1]s`", textsafe.Line(ref), err)
}
