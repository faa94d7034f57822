package client

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"ccdir/api"
)

// Usage returns what is left of limits, and what was used since a time (zero: all that is kept),
// summed by something ("": by day).
func (c *Client) Usage(ctx context.Context, by api.UsageBy, since time.Time) (out api.Usage, err error) {
	q := url.Values{}
	if by != "" {
		q.Set("by", string(by))
	}
	if !since.IsZero() {
		q.Set("since", since.UTC().Format(time.RFC3339))
	}
	err = c.call(ctx, http.MethodGet, "/v1/usage", q, nil, &out)
	return out, err
}
