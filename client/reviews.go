package client

import (
	"context"
	"crypto/rand"
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
	if ask.Patch {
		q.Set("patch", "1")
	}
	err = c.on(ctx, http.MethodGet, ref, "/diff", q, nil, &out)
	return out, err
}

// Looked tells that a person has seen a session's changes up to a snapshot, the head of a
// difference.
func (c *Client) Looked(ctx context.Context, ref, head string) error {
	return c.on(ctx, http.MethodPost, ref, "/diff/seen", nil, api.DiffSeenUpTo{Head: head}, nil)
}

// Comments lists what was said of a session's work, oldest first.
func (c *Client) Comments(ctx context.Context, ref string) (out []api.ReviewComment, err error) {
	err = c.on(ctx, http.MethodGet, ref, "/review/comments", nil, nil, &out)
	return out, err
}

// AddComment keeps a comment on a session's work as a draft. One on lines that are not in the difference is refused, with
// what stands there.
func (c *Client) AddComment(ctx context.Context, ref string, n api.NewComment) (out api.ReviewComment, err error) {
	err = c.onKeyed(ctx, http.MethodPost, ref, "/review/comments", nil, n, &out)
	return out, err
}

// EditComment changes a draft.
func (c *Client) EditComment(ctx context.Context, ref, id string, e api.EditComment) (out api.ReviewComment, err error) {
	err = c.onKeyed(ctx, http.MethodPatch, ref, "/review/comments/"+url.PathEscape(id), nil, e, &out)
	return out, err
}

// DropComment removes a draft.
func (c *Client) DropComment(ctx context.Context, ref, id string) error {
	return c.onKeyed(ctx, http.MethodDelete, ref, "/review/comments/"+url.PathEscape(id), nil, nil, nil)
}

// SendComments sends the drafts on a session's work as one prompt, and returns once it is on disk. Calls with the same Request send
// once.
func (c *Client) SendComments(ctx context.Context, ref string, in api.SendComments) (out api.SentComments, err error) {
	path, err := session(ref, "/review/send")
	if err != nil {
		return out, err
	}
	if in.Request == "" {
		in.Request = rand.Text()
	}
	err = c.retry(ctx, "", http.MethodPost, path, nil, in, &out)
	return out, err
}

// Change stages changes of a file, or puts them back.
func (c *Client) Change(ctx context.Context, ref string, in api.ReviewChange) (out api.ReviewChanged, err error) {
	err = c.onKeyed(ctx, http.MethodPost, ref, "/review/changes", nil, in, &out)
	return out, err
}

// UndoChange undoes what was staged or put back last.
func (c *Client) UndoChange(ctx context.Context, ref string) (out api.ReviewChanged, err error) {
	err = c.onKeyed(ctx, http.MethodPost, ref, "/review/undo", nil, nil, &out)
	return out, err
}

// Viewed notes that a person has seen a file as it is in a difference, or not.
func (c *Client) Viewed(ctx context.Context, ref string, v api.ReviewViewed) error {
	return c.on(ctx, http.MethodPost, ref, "/review/viewed", nil, v, nil)
}
