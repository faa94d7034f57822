package client

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"ccdir/api"
)

// healthPath is the address of Health.
const healthPath = "/v1/health"

// Health returns the identity of the running daemon. It starts none and accepts every
// version.
func (c *Client) Health(ctx context.Context) (api.Server, error) {
	var out api.Server
	err := c.callOnce(ctx, http.MethodGet, healthPath, nil, nil, &out)
	for end := time.Now().Add(wakeTime); errors.Is(err, ErrNotRunning) && time.Now().Before(end) && c.wake(); {
		if again := (&backoff{}).wait(ctx); again != nil {
			return out, again
		}
		err = c.callOnce(ctx, http.MethodGet, healthPath, nil, nil, &out)
	}
	switch {
	case err == nil:
		c.meet(out)
	case api.CodeOf(err) == api.CodeTimeout:
		err = c.hung()
	}
	return out, err
}

// Shutdown asks the daemon to stop, and does not wait for its end as Stop does.
func (c *Client) Shutdown(ctx context.Context, stop api.Stop) error {
	return c.callOnce(ctx, http.MethodPost, "/v1/shutdown", nil, stop, nil)
}

// Agents lists the agents that can be started.
func (c *Client) Agents(ctx context.Context) ([]api.AgentInfo, error) {
	var out []api.AgentInfo
	err := c.call(ctx, http.MethodGet, "/v1/agents", nil, nil, &out)
	return out, err
}

// Accounts lists the sign-ins of agents.
func (c *Client) Accounts(ctx context.Context) ([]api.Account, error) {
	var out []api.Account
	err := c.call(ctx, http.MethodGet, "/v1/accounts", nil, nil, &out)
	return out, err
}

// Directories lists configured repositories and directories used lately.
func (c *Client) Directories(ctx context.Context) ([]api.Directory, error) {
	var out []api.Directory
	err := c.call(ctx, http.MethodGet, "/v1/directories", nil, nil, &out)
	return out, err
}

// Config returns the daemon's configuration as JSON, without secrets.
func (c *Client) Config(ctx context.Context) (json.RawMessage, error) {
	var out json.RawMessage
	err := c.call(ctx, http.MethodGet, "/v1/config", nil, nil, &out)
	return out, err
}

// Grid returns the arrangement of the grid.
func (c *Client) Grid(ctx context.Context) (api.Grid, error) {
	var out api.Grid
	err := c.call(ctx, http.MethodGet, "/v1/grid", nil, nil, &out)
	return out, err
}

// SetGrid replaces the arrangement of the grid; the last call wins.
func (c *Client) SetGrid(ctx context.Context, g api.Grid) error {
	return c.call(ctx, http.MethodPut, "/v1/grid", nil, g, nil)
}

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
