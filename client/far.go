package client

import (
	"context"
	"errors"
	"net"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
)

// Far leads to the daemon and the hosts of another machine (package nodes).
type Far interface {
	// Node is the name that the person gave the machine.
	Node() string
	// Ready waits until the machine can be reached, and returns its daemon as it was when the
	// connection began. An error that may pass by itself has api.CodeUnavailable.
	Ready(ctx context.Context) (api.Server, error)
	// Dial connects to a socket of ccdir there, named by the last element of its path. Its
	// errors are those of Ready.
	Dial(ctx context.Context, socket string) (net.Conn, error)
}

// errNoLine: no descriptor travels to another machine.
var errNoLine = errors.New("a session on another machine has no direct line")

// Node returns the name of the machine that the client is connected with; "" is this one.
func (c *Client) Node() string {
	if c.opts.Far == nil {
		return ""
	}
	return c.opts.Far.Node()
}

// ready is Connect for another machine: versions may differ while the API is the same.
func (c *Client) ready(ctx context.Context) (api.Server, error) {
	srv, err := c.opts.Far.Ready(ctx)
	if err != nil {
		return srv, err
	}
	if err := c.checkFar(srv); err != nil {
		return srv, err
	}
	if c.met.Load() == nil {
		c.meet(srv)
	}
	return srv, nil
}

// fromNode is err, in words for another machine if its connection broke.
func (c *Client) fromNode(err error) error {
	if c.opts.Far == nil || !errors.Is(err, errBroken) {
		return err
	}
	return api.Errorf(api.CodeUnavailable, "node %s does not answer: the connection ended in the middle of the call: try again, or `ccdir node doctor %[1]s`", c.Node())
}

// checkFar fails if the daemon of another machine has another API.
func (c *Client) checkFar(srv api.Server) error {
	if srv.Revision == api.Revision {
		return nil
	}
	return api.Errorf(api.CodeBadVersion, "node %s runs ccdir %s with revision %d of the API, this ccdir has %d: run `ccdir node update %[1]s`",
		c.Node(), textsafe.Line(srv.Version), srv.Revision, api.Revision)
}

// withoutEnv returns the body of a call without the caller's environment, which has the
// tokens of this machine: sessions there get their daemon's. What the person named by -e
// (ExtraEnv) stays.
func withoutEnv(in any) any {
	switch v := in.(type) {
	case api.NewSession:
		v.Env = nil
		return v
	case api.Restore:
		v.Env = nil
		return v
	case []api.NewTask:
		list := make([]api.NewTask, len(v))
		for i, t := range v {
			t.Env = nil
			list[i] = t
		}
		return list
	}
	return in
}
