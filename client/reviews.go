package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"ccdir/api"
)

// Diff returns what differs in a session's work tree.
func (c *Client) Diff(ctx context.Context, ref string, ask api.DiffQuestion) (out api.ReviewDiff, err error) {
	q := url.Values{"path": ask.Paths}
	if ask.Scope != "" {
		q.Set("scope", string(ask.Scope))
	}
	if ask.Turn != 0 {
		q.Set("turn", strconv.Itoa(ask.Turn))
	}
	if ask.Stat {
		q.Set("stat", "1")
	}
	err = c.on(ctx, http.MethodGet, ref, "/diff", q, nil, &out)
	return out, err
}

// Looked tells that a person has seen a session's changes up to a snapshot, the head of a
// difference.
func (c *Client) Looked(ctx context.Context, ref, head string) error {
	return c.on(ctx, http.MethodPost, ref, "/diff/seen", nil, api.DiffSeenUpTo{Head: head}, nil)
}
