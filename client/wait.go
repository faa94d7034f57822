package client

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"ccdir/api"
)

// waitChunk bounds one wait call. A longer wait makes several, which no proxy or timeout
// cuts off.
const waitChunk = 5 * time.Minute

// Wait blocks until the session is in one of the states, or timeout is over
// (api.CodeTimeout; 0 or less: no bound). It goes on through restarts of the
// daemon.
func (c *Client) Wait(ctx context.Context, ref string, states []api.State, timeout time.Duration) (out api.Session, err error) {
	path, err := session(ref, "/wait")
	if err != nil {
		return out, err
	}
	err = c.wait(ctx, path, joined(states), timeout, &out)
	return out, err
}

// wait calls a wait route until its target is in one of the states (out), it fails, or
// timeout is over.
func (c *Client) wait(ctx context.Context, path, states string, timeout time.Duration, out any) error {
	deadline := time.Now().Add(timeout)
	q := url.Values{"state": {states}}
	retry := backoff{}
	for {
		chunk := waitChunk
		if left := time.Until(deadline); timeout > 0 && left < chunk {
			chunk = max(left, 0)
		}
		q.Set("timeout", chunk.Round(time.Millisecond).String())
		err := c.callOnce(ctx, http.MethodGet, path, q, nil, out)
		over := timeout > 0 && time.Until(deadline) <= time.Millisecond
		switch {
		case err == nil || over || ctx.Err() != nil:
			return err
		case api.CodeOf(err) == api.CodeTimeout:
			continue
		case !retryable(err):
			return err
		}
		if err := c.resume(ctx, &retry); err != nil {
			return err
		}
	}
}

// joined returns states for a query.
func joined[S ~string](states []S) string {
	names := make([]string, len(states))
	for i, s := range states {
		names[i] = string(s)
	}
	return strings.Join(names, ",")
}
