package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"ccdir/api"
)

// Decisions reads the ledger: the newest rows that the filter selects, oldest
// first. f.Session may be a session's name.
func (c *Client) Decisions(ctx context.Context, f api.LedgerFilter) ([]api.LedgerRow, error) {
	q := url.Values{}
	for key, value := range map[string]string{"session": f.Session, "tool": f.Tool, "by": f.By, "decision": f.Decision, "request": f.Request} {
		if value != "" {
			q.Set(key, value)
		}
	}
	if !f.Since.IsZero() {
		q.Set("since", f.Since.UTC().Format(time.RFC3339Nano))
	}
	if f.Limit > 0 {
		q.Set("limit", strconv.Itoa(f.Limit))
	}
	var out []api.LedgerRow
	err := c.call(ctx, http.MethodGet, "/v1/decisions", q, nil, &out)
	return out, err
}

// SumDecisions counts what agents did since a moment, in one session (id or name) or in all.
func (c *Client) SumDecisions(ctx context.Context, session string, since time.Time) (api.LedgerSum, error) {
	q := url.Values{}
	if session != "" {
		q.Set("session", session)
	}
	if !since.IsZero() {
		q.Set("since", since.UTC().Format(time.RFC3339Nano))
	}
	var out api.LedgerSum
	err := c.call(ctx, http.MethodGet, "/v1/decisions/sum", q, nil, &out)
	return out, err
}

// VerifyDecisions recomputes the ledger's chain of hashes. head, if not nil, is one that the
// caller kept: without it, rows removed from the end are not detected.
func (c *Client) VerifyDecisions(ctx context.Context, head *api.LedgerHead) (api.LedgerCheck, error) {
	q := url.Values{}
	if head != nil {
		q.Set("head", strconv.FormatInt(head.Seq, 10)+":"+head.Hash)
	}
	var out api.LedgerCheck
	err := c.call(ctx, http.MethodGet, "/v1/decisions/verify", q, nil, &out)
	return out, err
}

// SessionPolicy returns the rules that hold for a session.
func (c *Client) SessionPolicy(ctx context.Context, ref string) (api.SessionPolicy, error) {
	var out api.SessionPolicy
	err := c.on(ctx, http.MethodGet, ref, "/policy", nil, nil, &out)
	return out, err
}

// SetRole gives a session another role, from its next use of a tool on.
func (c *Client) SetRole(ctx context.Context, ref, role string) (api.Session, error) {
	var out api.Session
	err := c.onKeyed(ctx, http.MethodPost, ref, "/role", nil, api.SetRole{Role: role}, &out)
	return out, err
}

// AllowInSandbox lets a path or a host through a session's walls.
func (c *Client) AllowInSandbox(ctx context.Context, ref, what string) (api.Session, error) {
	var out api.Session
	err := c.onKeyed(ctx, http.MethodPost, ref, "/sandbox", nil, api.AllowInSandbox{Allow: what}, &out)
	return out, err
}

// SetOverride replaces the policy's default for a session for a while.
func (c *Client) SetOverride(ctx context.Context, ref string, o api.SetOverride) (api.Session, error) {
	var out api.Session
	err := c.onKeyed(ctx, http.MethodPost, ref, "/override", nil, o, &out)
	return out, err
}

// NewRule writes a rule and returns its row of the ledger.
func (c *Client) NewRule(ctx context.Context, n api.NewRule) (api.LedgerRow, error) {
	var out api.LedgerRow
	err := c.keyed(ctx, "", http.MethodPost, "/v1/rules", nil, n, &out)
	return out, err
}

// RevokeRule takes a session's rule back.
func (c *Client) RevokeRule(ctx context.Context, ref, rule string) error {
	return c.onKeyed(ctx, http.MethodDelete, ref, "/rules", url.Values{"rule": {rule}}, nil, nil)
}

// Personal fails with CodeForbidden if this process runs inside a session. what is the
// change that it is about to make, for the record of the refusal. It starts no daemon.
func (c *Client) Personal(ctx context.Context, what string) error {
	return c.callOnce(ctx, http.MethodGet, "/v1/caller", url.Values{"for": {what}}, nil, nil)
}

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
