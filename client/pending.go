package client

import (
	"context"
	"net/http"
	"net/url"

	"ccdir/api"
)

// SendLater keeps a prompt until the session can take it. It is on disk when SendLater
// returns. Calls with the same key, unless that is "", keep one.
func (c *Client) SendLater(ctx context.Context, ref, text, key string) (out api.PendingPrompt, err error) {
	path, err := session(ref, "/pending")
	if err != nil {
		return out, err
	}
	err = c.keyed(ctx, key, http.MethodPost, path, nil, api.NewPending{Text: text}, &out)
	return out, err
}

// Pending lists the prompts that wait for their sessions, and the newest that were delivered
// or failed, oldest first; ref "": of every session.
func (c *Client) Pending(ctx context.Context, ref string) (out []api.PendingPrompt, err error) {
	q := url.Values{}
	if ref != "" {
		q.Set("session", ref)
	}
	err = c.call(ctx, http.MethodGet, "/v1/pending", q, nil, &out)
	return out, err
}

// EditPending gives a pending prompt another text.
func (c *Client) EditPending(ctx context.Context, id, text string) (out api.PendingPrompt, err error) {
	err = c.keyed(ctx, "", http.MethodPost, "/v1/pending/"+url.PathEscape(id)+"/edit", nil, api.NewPending{Text: text}, &out)
	return out, err
}

// CancelPending takes a pending prompt back, or one that is not pending out of the list.
func (c *Client) CancelPending(ctx context.Context, id string) error {
	return c.keyed(ctx, "", http.MethodDelete, "/v1/pending/"+url.PathEscape(id), nil, nil, nil)
}
