package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"ccdir/api"
)

// RestoreOffer returns the sessions that ran before and do not run now; from is the number
// of a generation, 0 the daemon's present offer.
func (c *Client) RestoreOffer(ctx context.Context, from int) (out api.RestoreOffer, err error) {
	q := url.Values{}
	if from != 0 {
		q.Set("from", strconv.Itoa(from))
	}
	err = c.call(ctx, http.MethodGet, "/v1/restore", q, nil, &out)
	return out, err
}

// Restore starts sessions of an offer and returns when each runs or has failed.
func (c *Client) Restore(ctx context.Context, q api.Restore) (out []api.Restored, err error) {
	err = c.keyed(ctx, "", http.MethodPost, "/v1/restore", nil, q, &out)
	return out, err
}

// RefuseRestore withdraws the daemon's offer.
func (c *Client) RefuseRestore(ctx context.Context) error {
	return c.retry(ctx, "", http.MethodDelete, "/v1/restore", nil, nil, nil)
}
