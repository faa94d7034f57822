package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"ccdir/api"
)

// Screen returns the last lines of a session's history and screen as cells; lines 0: the
// screen.
func (c *Client) Screen(ctx context.Context, ref string, lines int) (api.Screen, error) {
	q := url.Values{"format": {"json"}}
	if lines > 0 {
		q.Set("lines", strconv.Itoa(lines))
	}
	var out api.Screen
	err := c.on(ctx, http.MethodGet, ref, "/buffer", q, nil, &out)
	return out, err
}
