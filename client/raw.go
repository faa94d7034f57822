package client

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"ccdir/api"
)

// Raw makes one call: target is a path with its query, body is JSON (nil: none). It returns
// the answer whatever its status; the caller closes its body. It is not retried.
func (c *Client) Raw(ctx context.Context, method, target string, body []byte) (*http.Response, error) {
	u, err := url.ParseRequestURI(target)
	if err != nil || u.IsAbs() || u.Host != "" || strings.Contains(u.Path, "//") {
		return nil, api.Errorf(api.CodeInvalid, "%.200q is no path of the API: it is like /v1/sessions", target)
	}
	resp, err := c.send(ctx, method, u, body)
	if err != nil && ctx.Err() == nil && !errors.Is(err, context.Canceled) {
		return nil, callError(err)
	}
	return resp, err
}
