package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"ccdir/api"
)

// RestoreOffer tells what ran before and does not run now; from is the number
// of a generation, 0 what the daemon offers.
func (c *Client) RestoreOffer(ctx context.Context, from int) (out api.RestoreOffer, err error) {
	q := url.Values{}
	if from != 0 {
		q.Set("from", strconv.Itoa(from))
	}
	err = c.call(ctx, http.MethodGet, "/v1/restore", q, nil, &out)
	return out, err
}

// Restore begins sessions of the past again and returns when all run or have
// failed.
func (c *Client) Restore(ctx context.Context, q api.Restore) (out []api.Restored, err error) {
	err = c.act(ctx, "", http.MethodPost, "/v1/restore", nil, q, &out)
	return out, err
}

// RefuseRestore withdraws the daemon's offer.
func (c *Client) RefuseRestore(ctx context.Context) error {
	return c.repeat(ctx, "", http.MethodDelete, "/v1/restore", nil, nil, nil)
}
