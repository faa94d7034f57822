package client

import (
	"context"
	"net/http"
	"net/url"

	"ccdir/api"
)

// Approvals lists the open permission requests, oldest first.
func (c *Client) Approvals(ctx context.Context) ([]api.Request, error) {
	var out []api.Request
	err := c.call(ctx, http.MethodGet, "/v1/approvals", nil, nil, &out)
	return out, err
}

// Answer answers a permission request by a.Behavior. ref is its id or a unique
// prefix of one.
func (c *Client) Answer(ctx context.Context, ref string, a api.Answer) (api.Decision, error) {
	var out api.Decision
	// An empty element, "." and ".." would select another route.
	if ref == "" || ref == "." || ref == ".." {
		return out, api.Errorf(api.CodeNotFound, "no open request %q: `ccdir approvals` lists them", ref)
	}
	verb := map[api.AnswerBehavior]string{api.AnswerAllow: "approve", api.AnswerDeny: "deny"}[a.Behavior]
	if verb == "" {
		return out, api.Errorf(api.CodeInvalid, "an answer is %q or %q, found %q", api.AnswerAllow, api.AnswerDeny, a.Behavior)
	}
	err := c.keyed(ctx, "", http.MethodPost, "/v1/approvals/"+url.PathEscape(ref)+"/"+verb, nil, a, &out)
	return out, err
}
