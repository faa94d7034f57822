package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"ccdir/api"
)

// Screen returns the last lines that a session printed, as cells; 0 is its screen.
func (c *Client) Screen(ctx context.Context, ref string, lines int) (api.Screen, error) {
	q := url.Values{"format": {"json"}}
	if lines > 0 {
		q.Set("lines", strconv.Itoa(lines))
	}
	var out api.Screen
	err := c.on(ctx, http.MethodGet, ref, "/buffer", q, nil, &out)
	return out, err
}
