package machines

import (
	"context"

	"ccdir/api"
	"ccdir/client"
	"ccdir/nodes/merge"
)

// Work trees of all machines: a directory is NODE/PATH, an entry of a trash NODE/ID.

// onTree makes a call about a work tree on the machine of its directory.
func onTree[Out any](ms *Client, ctx context.Context, dir string, call func(ctx context.Context, c *client.Client, node, dir string) (Out, error)) (Out, error) {
	ctx, c, node, dir, err := ms.at(ctx, dir)
	if err != nil {
		var none Out
		return none, err
	}
	return call(ctx, c, node, dir)
}

// MergeWorktree merges the branch of a work tree, or plans that.
func (ms *Client) MergeWorktree(ctx context.Context, in api.MergeWorktree) (api.MergedWorktree, error) {
	return onTree(ms, ctx, in.Dir, func(ctx context.Context, c *client.Client, node, dir string) (api.MergedWorktree, error) {
		in.Dir = dir
		m, err := c.MergeWorktree(ctx, in)
		for i, id := range m.Sessions {
			m.Sessions[i] = merge.Of(node, id)
		}
		return m, err
	})
}

// RemoveWorktree moves a work tree into the trash of its machine.
func (ms *Client) RemoveWorktree(ctx context.Context, in api.RemoveWorktree) (api.RemovedWorktree, error) {
	return onTree(ms, ctx, in.Dir, func(ctx context.Context, c *client.Client, node, dir string) (api.RemovedWorktree, error) {
		in.Dir = dir
		gone, err := c.RemoveWorktree(ctx, in)
		gone.ID = merge.Of(node, gone.ID)
		return gone, err
	})
}

// WorktreeTrash lists what lies in the trash, of the repository around a directory.
func (ms *Client) WorktreeTrash(ctx context.Context, dir string) ([]api.RemovedWorktree, error) {
	return onTree(ms, ctx, dir, func(ctx context.Context, c *client.Client, node, dir string) ([]api.RemovedWorktree, error) {
		list, err := c.WorktreeTrash(ctx, dir)
		for i := range list {
			list[i].ID = merge.Of(node, list[i].ID)
		}
		return list, err
	})
}

// RestoreWorktree brings a work tree back from the trash of a machine.
func (ms *Client) RestoreWorktree(ctx context.Context, in api.RestoreWorktree) (api.RestoredWorktree, error) {
	return onTree(ms, ctx, in.ID, func(ctx context.Context, c *client.Client, _, id string) (api.RestoredWorktree, error) {
		in.ID = id
		return c.RestoreWorktree(ctx, in)
	})
}

// CommitWorktree commits what is in a work tree.
func (ms *Client) CommitWorktree(ctx context.Context, in api.CommitWorktree) (api.CommittedWorktree, error) {
	return onTree(ms, ctx, in.Dir, func(ctx context.Context, c *client.Client, _, dir string) (api.CommittedWorktree, error) {
		in.Dir = dir
		return c.CommitWorktree(ctx, in)
	})
}

// PushWorktree pushes the branch of a work tree.
func (ms *Client) PushWorktree(ctx context.Context, in api.PushWorktree) (api.PushedWorktree, error) {
	return onTree(ms, ctx, in.Dir, func(ctx context.Context, c *client.Client, _, dir string) (api.PushedWorktree, error) {
		in.Dir = dir
		return c.PushWorktree(ctx, in)
	})
}
