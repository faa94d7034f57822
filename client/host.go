package client

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
	"ccdir/wire"
	"ccdir/wire/directline"
)

// HostOptions say how to connect to a session's host.
type HostOptions struct {
	// ReadOnly connections send no input and claim no size.
	ReadOnly bool
	// Evidence subscribes to evidence after that number; nil does not.
	Evidence *uint64
	// View is sent to the host together with the greeting; nil: none.
	View *wire.View
}

// Host connects to the host of a running session; frames and input do not pass the daemon.
// Address and ticket are taken from the last snapshot of Watch, once each, or else the
// daemon is asked. The caller closes the connection.
func (c *Client) Host(ctx context.Context, ref string, opts HostOptions) (*wire.Conn, wire.Welcome, error) {
	if addr, ok := c.hosts.take(ref); ok {
		if conn, welcome, err := c.dialHost(ctx, addr, opts); err == nil {
			return conn, welcome, nil
		}
		// The address is stale: ask the daemon.
	}
	addr, err := c.HostAddress(ctx, ref)
	if err != nil {
		return nil, wire.Welcome{}, err
	}
	conn, welcome, err := c.dialHost(ctx, addr, opts)
	var refused *wire.Error
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

// Line fetches a direct line to the session's program, with the token that its host
// gave on a connection (wire.MethodLine). The caller closes it. display is the terminal
// that shows the session and may be lent to the host; nil lends nothing.
func (c *Client) Line(ctx context.Context, ref, token string, display directline.Terminal) (*directline.Line, error) {
	if c.opts.Far != nil {
		return nil, errNoLine
	}
	addr, err := c.HostAddress(ctx, ref)
	if err != nil {
		return nil, err
	}
	hello := wire.Hello{Ticket: addr.Ticket, Client: c.name(), Looks: true, Line: token}
	return directline.Dial(ctx, addr.Socket, hello, display)
}

// name returns the name of this program for hosts.
func (c *Client) name() string { return "ccdir " + c.opts.Version + " (" + c.opts.Name + ")" }

// dialHost connects to a host.
func (c *Client) dialHost(ctx context.Context, addr api.HostAddress, opts HostOptions) (*wire.Conn, wire.Welcome, error) {
	var follow []wire.Message
	if opts.View != nil {
		follow = append(follow, opts.View)
	}
	hello := wire.Hello{
		Ticket:   addr.Ticket,
		Client:   c.name(),
		ReadOnly: opts.ReadOnly,
		Looks:    opts.View != nil,
		Evidence: opts.Evidence,
	}
	if c.opts.Far == nil {
		return wire.Dial(ctx, addr.Socket, hello, follow...)
	}
	hello.Far = true
	nc, err := c.opts.Far.Dial(ctx, filepath.Base(addr.Socket))
	if err != nil {
		return nil, wire.Welcome{}, err
	}
	return wire.Greet(ctx, nc, hello, follow...)
}

// hostBook has the addresses of hosts that were not used yet.
type hostBook struct {
	mu   sync.Mutex
	byID map[string]api.HostAddress
}

func (b *hostBook) set(all map[string]api.HostAddress) {
	b.mu.Lock()
	b.byID = all
	b.mu.Unlock()
}

// take removes and returns the address: it may be stale the next time.
func (b *hostBook) take(id string) (api.HostAddress, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	a, ok := b.byID[id]
	delete(b.byID, id)
	return a, ok
}
