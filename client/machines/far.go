package machines

import (
	"context"
	"time"

	"ccdir/api"
	"ccdir/client"
	"ccdir/nodes/merge"
	"ccdir/wire"
)

// What a program needs that shows the nodes alone, and calls in the names of others: the daemon's page.

// WatchNodes has tell called with what happens on the nodes, as Watch does, without this machine. It is called
// before Nodes, and does not block.
func (ms *Client) WatchNodes(tell func(api.WatchMessage)) {
	ms.tell.Store(&tell)
	ms.merger.Take("", api.WatchMessage{Snapshot: &api.Snapshot{}})
}

// as makes a call about something of a node in a name of its own, which the node's ledger keeps.
func as[T any](ctx context.Context, ms *Client, name, id string, call func(context.Context, *client.Client, string) (T, error)) (T, error) {
	return about(ms, ctx, id, func(ctx context.Context, c *client.Client, id string) (T, error) {
		named := c.Named(viaHere(name))
		defer named.Close()
		return call(ctx, named, id)
	})
}

// AnswerAs is Answer in the name of a program.
func (ms *Client) AnswerAs(ctx context.Context, name, request string, a api.Answer) (api.Decision, error) {
	node, _ := merge.Split(request)
	d, err := as(ctx, ms, name, request, func(ctx context.Context, c *client.Client, id string) (api.Decision, error) {
		return c.Answer(ctx, id, a)
	})
	d.Request = merge.Request(node, d.Request)
	return d, err
}

// HostAs is Host in the name of a program.
func (ms *Client) HostAs(ctx context.Context, name, id string, o client.HostOptions) (*wire.Conn, wire.Welcome, error) {
	var welcome wire.Welcome
	conn, err := as(ctx, ms, name, id, func(ctx context.Context, c *client.Client, id string) (conn *wire.Conn, err error) {
		conn, welcome, err = c.Host(ctx, id, o)
		return conn, err
	})
	return conn, welcome, err
}

// PendingOf lists the prompts that wait for one session.
func (ms *Client) PendingOf(ctx context.Context, id string) ([]api.PendingPrompt, error) {
	node, _ := merge.Split(id)
	list, err := about(ms, ctx, id, func(ctx context.Context, c *client.Client, id string) ([]api.PendingPrompt, error) {
		return c.Pending(ctx, id)
	})
	for i := range list {
		list[i] = merge.Pending(node, list[i])
	}
	return list, err
}

// UsageOf is what was used on a node, and what is left of limits there.
func (ms *Client) UsageOf(ctx context.Context, node string, by api.UsageBy, since time.Time) (api.Usage, error) {
	return about(ms, ctx, merge.Of(node, "usage"), func(ctx context.Context, c *client.Client, _ string) (api.Usage, error) {
		return c.Usage(ctx, by, since)
	})
}

// SumOf sums the decisions about one session.
func (ms *Client) SumOf(ctx context.Context, id string, since time.Time) (api.LedgerSum, error) {
	return about(ms, ctx, id, func(ctx context.Context, c *client.Client, id string) (api.LedgerSum, error) {
		return c.SumDecisions(ctx, id, since)
	})
}
