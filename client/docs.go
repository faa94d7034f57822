package client

import (
	"context"
	"net/http"
	"net/url"

	"ccdir/api"
)

// Docs asks the documentation of what the work tree around q.Dir uses.
func (c *Client) Docs(ctx context.Context, q api.DocsQuestion) (out api.DocsAnswer, err error) {
	err = c.call(ctx, http.MethodGet, "/v1/docs", url.Values{"dir": {q.Dir}, "q": {q.Query}, "package": {q.Package}, "ecosystem": {q.Ecosystem}}, nil, &out)
	return out, err
}

// DocsPiece returns one piece of documentation whole.
func (c *Client) DocsPiece(ctx context.Context, dir, id string) (out api.DocsHit, err error) {
	err = c.call(ctx, http.MethodGet, "/v1/docs/piece", url.Values{"dir": {dir}, "id": {id}}, nil, &out)
	return out, err
}
