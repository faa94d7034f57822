package client

import (
	"context"
	"net/http"
	"net/url"

	"ccdir/api"
)

// Worktrees lists the work trees of the repository around dir, the main one first; sizes:
// with what they take on disk.
func (c *Client) Worktrees(ctx context.Context, dir string, sizes bool) ([]api.Worktree, error) {
	var out []api.Worktree
	q := url.Values{"dir": {dir}}
	if sizes {
		q.Set("sizes", "1")
	}
	err := c.call(ctx, http.MethodGet, "/v1/worktrees", q, nil, &out)
	return out, err
}
