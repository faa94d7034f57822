package machines

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"ccdir/api"
	"ccdir/client"
	"ccdir/internal/contain"
	"ccdir/nodes/merge"
)

// What has ended, and the ledgers, are asked of all machines at once. This machine's answer does
// not wait long for those of others.

// pastPatience bounds the wait for the answers of nodes.
const pastPatience = 3 * time.Second

// ofAll asks this machine, and the nodes that can be reached. named puts the node into what it
// returned. without are the nodes that have not answered. The error is this machine's.
func ofAll[T any](ctx context.Context, ms *Client, call func(context.Context, *client.Client) ([]T, error), named func(string, T) T) (all []T, without []string, err error) {
	var mu sync.Mutex
	var wg contain.Group
	bounded, cancel := context.WithTimeout(ctx, pastPatience)
	defer cancel()
	ms.mu.Lock()
	for name, n := range ms.far {
		if !n.watching.Load() {
			without = append(without, name)
			continue
		}
		wg.Go(func() {
			list, err := call(bounded, n.Client)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				without = append(without, name)
			}
			for _, v := range list {
				all = append(all, named(name, v))
			}
		})
	}
	ms.mu.Unlock()
	here, err := call(ctx, ms.Client)
	wg.Wait()
	slices.Sort(without)
	return append(here, all...), without, err
}

// History lists what has ended on all machines.
func (ms *Client) History(ctx context.Context, limit int) ([]api.HistoryEntry, error) {
	list, _, err := ofAll(ctx, ms, func(ctx context.Context, c *client.Client) ([]api.HistoryEntry, error) { return c.History(ctx, limit) }, merge.Entry)
	slices.SortStableFunc(list, func(x, y api.HistoryEntry) int { return y.Ended.Compare(x.Ended) })
	return list[:min(len(list), limit)], err
}

// Search searches on all machines.
func (ms *Client) Search(ctx context.Context, text string, limit int) ([]api.SearchHit, error) {
	list, without, err := ofAll(ctx, ms, func(ctx context.Context, c *client.Client) ([]api.SearchHit, error) {
		return c.Search(ctx, text, limit)
	}, merge.Hit)
	order := func(h api.SearchHit) int { // as each machine orders them
		switch h.Kind {
		case api.HitPane:
			return 0
		case "event":
			return 2
		case api.HitLeftOut:
			return 3
		}
		return 1
	}
	slices.SortStableFunc(list, func(x, y api.SearchHit) int { return cmp.Or(cmp.Compare(order(x), order(y)), y.At.Compare(x.At)) })
	list = list[:min(len(list), limit)]
	for _, name := range without {
		list = append(list, api.SearchHit{Kind: api.HitLeftOut, Line: "node " + name + " was not searched: it does not answer"})
	}
	return list, err
}

// RestoreOffer tells what ran before on all machines; an older arrangement is
// this machine's.
func (ms *Client) RestoreOffer(ctx context.Context, from int) (api.RestoreOffer, error) {
	if from != 0 {
		return ms.Client.RestoreOffer(ctx, from)
	}
	list, _, err := ofAll(ctx, ms, func(ctx context.Context, c *client.Client) ([]api.RestoreOffer, error) {
		o, err := c.RestoreOffer(ctx, 0)
		return []api.RestoreOffer{o}, err
	}, merge.Offer)
	var all api.RestoreOffer
	for _, o := range list { // this machine's is the first
		all.Reason, all.Kept = cmp.Or(all.Reason, o.Reason), append(all.Kept, o.Kept...)
		if all.At.IsZero() {
			all.At = o.At
		}
		all.Sessions = append(all.Sessions, o.Sessions...)
	}
	return all, err
}

// Restore begins sessions of one machine again.
func (ms *Client) Restore(ctx context.Context, q api.Restore) ([]api.Restored, error) {
	if len(q.Sessions) == 0 {
		return ms.Client.Restore(ctx, q)
	}
	node, _ := merge.Split(q.Sessions[0])
	own := make([]string, len(q.Sessions))
	for i, id := range q.Sessions {
		_, own[i] = merge.Split(id)
	}
	q.Sessions = own
	list, err := about(ms, ctx, merge.Of(node, "offer"), func(ctx context.Context, c *client.Client, _ string) ([]api.Restored, error) {
		return c.Restore(ctx, q)
	})
	for i := range list {
		list[i].ID, list[i].Name = merge.Of(node, list[i].ID), merge.Of(node, list[i].Name)
		if v := list[i].Session; v != nil {
			named := merge.Session(node, *v)
			list[i].Session = &named
		}
	}
	return list, err
}

// RefuseRestore withdraws the offers of all machines.
func (ms *Client) RefuseRestore(ctx context.Context) error {
	_, _, err := ofAll(ctx, ms, func(ctx context.Context, c *client.Client) ([]struct{}, error) { return nil, c.RefuseRestore(ctx) }, func(_ string, v struct{}) struct{} { return v })
	return err // a machine that is away offers it again when it is back
}

// AllWorktrees lists the work trees of all repositories that the machines know.
func (ms *Client) AllWorktrees(ctx context.Context) (list []api.Worktree, without []string, err error) {
	return ofAll(ctx, ms, func(ctx context.Context, c *client.Client) ([]api.Worktree, error) {
		return c.Worktrees(ctx, "", false)
	}, merge.Worktree)
}

// Decisions reads the ledgers of all machines, or that of a session's or request's, oldest row first.
func (ms *Client) Decisions(ctx context.Context, q api.LedgerFilter) ([]api.LedgerRow, error) {
	if of, _ := merge.Split(q.Request); q.Session != "" || of != "" {
		ctx, c, node, _, err := ms.at(ctx, cmp.Or(q.Session, q.Request))
		if err != nil {
			return nil, err
		}
		_, q.Session = merge.Split(q.Session)
		_, q.Request = merge.Split(q.Request)
		list, err := c.Decisions(ctx, q)
		for i := range list {
			list[i] = merge.Row(node, list[i])
		}
		return list, err
	}
	list, _, err := ofAll(ctx, ms, func(ctx context.Context, c *client.Client) ([]api.LedgerRow, error) { return c.Decisions(ctx, q) }, merge.Row)
	slices.SortStableFunc(list, func(x, y api.LedgerRow) int { return x.At.Compare(y.At) })
	return list[max(0, len(list)-max(q.Limit, 1)):], err
}

// NewRule writes a rule on the machine of the row that it is made of.
func (ms *Client) NewRule(ctx context.Context, n api.NewRule) (api.LedgerRow, error) {
	return about(ms, ctx, merge.Of(n.Node, "row"), func(ctx context.Context, c *client.Client, _ string) (api.LedgerRow, error) { return c.NewRule(ctx, n) })
}
