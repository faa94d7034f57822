package client

import (
	"context"
	"net/http"
	"net/url"

	"ccdir/api"
)

// Worktrees lists the work trees of the repository around dir, the main one first, or of all
// repositories that are known for ""; sizes: with what they take on disk.
func (c *Client) Worktrees(ctx context.Context, dir string, sizes bool) ([]api.Worktree, error) {
	var out []api.Worktree
	q := url.Values{}
	if dir != "" {
		q.Set("dir", dir)
	}
	if sizes {
		q.Set("sizes", "1")
	}
	err := c.call(ctx, http.MethodGet, "/v1/worktrees", q, nil, &out)
	return out, err
}

// AddWorktree makes a work tree, or returns the one that the branch has.
func (c *Client) AddWorktree(ctx context.Context, n api.NewWorktree) (out api.WorktreeMade, err error) {
	err = c.keyed(ctx, "", http.MethodPost, "/v1/worktrees", nil, n, &out)
	return out, err
}

// RemoveWorktree moves a work tree into the trash. Without in.Yes a question is an error with
// api.CodeAsks.
func (c *Client) RemoveWorktree(ctx context.Context, in api.RemoveWorktree) (out api.RemovedWorktree, err error) {
	err = c.keyed(ctx, "", http.MethodPost, "/v1/worktrees/remove", nil, in, &out)
	return out, err
}

// WorktreeTrash lists what lies in the trash, of the repository around dir.
func (c *Client) WorktreeTrash(ctx context.Context, dir string) ([]api.RemovedWorktree, error) {
	var out []api.RemovedWorktree
	err := c.call(ctx, http.MethodGet, "/v1/worktrees/trash", url.Values{"dir": {dir}}, nil, &out)
	return out, err
}

// RestoreWorktree brings a work tree back from the trash.
func (c *Client) RestoreWorktree(ctx context.Context, in api.RestoreWorktree) (out api.RestoredWorktree, err error) {
	err = c.keyed(ctx, "", http.MethodPost, "/v1/worktrees/restore", nil, in, &out)
	return out, err
}

// MoveWorktree moves a work tree to another path.
func (c *Client) MoveWorktree(ctx context.Context, in api.MoveWorktree) (out api.Worktree, err error) {
	err = c.keyed(ctx, "", http.MethodPost, "/v1/worktrees/move", nil, in, &out)
	return out, err
}

// PruneWorktrees forgets work trees whose directory is gone and empties the trash of what is
// old.
func (c *Client) PruneWorktrees(ctx context.Context, dir string) (out api.PrunedWorktrees, err error) {
	err = c.keyed(ctx, "", http.MethodPost, "/v1/worktrees/prune", nil, api.PruneWorktrees{Dir: dir}, &out)
	return out, err
}

// WorktreeSetup returns the setup command that the work tree of a new session would have.
func (c *Client) WorktreeSetup(ctx context.Context, n api.NewSession) (out api.WorktreeSetup, err error) {
	err = c.call(ctx, http.MethodGet, "/v1/worktrees/setup", url.Values{"dir": {n.CWD}, "branch": {n.Worktree}, "base": {n.Base}}, nil, &out)
	return out, err
}

// Checks are the checks of the project around a directory.
func (c *Client) Checks(ctx context.Context, dir string) (out []api.ProjectCheck, err error) {
	err = c.call(ctx, http.MethodGet, "/v1/worktrees/checks", url.Values{"dir": {dir}}, nil, &out)
	return out, err
}

// ConsentToCheck records that the person agrees to the exact text of a check.
func (c *Client) ConsentToCheck(ctx context.Context, command string) error {
	return c.keyed(ctx, "", http.MethodPost, "/v1/worktrees/consent", nil, api.SetupConsent{Command: command, Check: true}, nil)
}

// ConsentToSetup records that the person agrees to the exact text of a setup command.
func (c *Client) ConsentToSetup(ctx context.Context, command string) error {
	return c.keyed(ctx, "", http.MethodPost, "/v1/worktrees/consent", nil, api.SetupConsent{Command: command}, nil)
}

// MergeWorktree merges the branch of a work tree, or plans that.
func (c *Client) MergeWorktree(ctx context.Context, in api.MergeWorktree) (out api.MergedWorktree, err error) {
	err = c.keyed(ctx, "", http.MethodPost, "/v1/worktrees/merge", nil, in, &out)
	return out, err
}

// CommitWorktree commits what is in a work tree.
func (c *Client) CommitWorktree(ctx context.Context, in api.CommitWorktree) (out api.CommittedWorktree, err error) {
	err = c.keyed(ctx, "", http.MethodPost, "/v1/worktrees/commit", nil, in, &out)
	return out, err
}

// PushWorktree pushes the branch of a work tree, or plans that.
func (c *Client) PushWorktree(ctx context.Context, in api.PushWorktree) (out api.PushedWorktree, err error) {
	err = c.keyed(ctx, "", http.MethodPost, "/v1/worktrees/push", nil, in, &out)
	return out, err
}

// Conflicts lists the pairs of sessions whose work would collide, in the repository around
// dir, or in all for "".
func (c *Client) Conflicts(ctx context.Context, dir string) ([]api.Conflict, error) {
	var out []api.Conflict
	q := url.Values{}
	if dir != "" {
		q.Set("dir", dir)
	}
	err := c.call(ctx, http.MethodGet, "/v1/conflicts", q, nil, &out)
	return out, err
}

// PullRequest pushes a work tree's branch and makes its pull request, or only looks.
func (c *Client) PullRequest(ctx context.Context, n api.NewPullRequest) (out api.BranchPullRequest, err error) {
	err = c.keyed(ctx, "", http.MethodPost, "/v1/worktrees/pr", nil, n, &out)
	return out, err
}
