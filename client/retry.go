package client

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"ccdir/api"
)

// Calls that change something are retried while the daemon is away, and carried out once:
// they have an idempotency key, or an id of their own, or they set a value.

// defaultPatience is the default of Options.Patience: as long as a daemon may take to
// start.
const defaultPatience = defaultStartTimeout

// mostBreaks bounds how many daemons may die in the middle of one call, which may be the
// cause. A call may take inAll times the patience in all.
const (
	mostBreaks = 20
	inAll      = 4
)

// actPause is the longest pause before a retry.
const actPause = 300 * time.Millisecond

// errLost is errBroken after the last retry: its message does not suggest another one.
var errLost = &api.Error{Code: api.CodeUnavailable, Message: "the daemon ended in the middle of the call; `ccdir daemon status` names its log"}

// keyed makes a call with an idempotency key, and retries it. With key "" it makes a key.
func (c *Client) keyed(ctx context.Context, key, method, path string, query url.Values, in, out any) error {
	if key == "" {
		key = rand.Text()
	}
	return c.retry(ctx, key, method, path, query, in, out)
}

// onKeyed is keyed for a session's resource.
func (c *Client) onKeyed(ctx context.Context, method, ref, rest string, query url.Values, in, out any) error {
	path, err := session(ref, rest)
	if err != nil {
		return err
	}
	return c.keyed(ctx, "", method, path, query, in, out)
}

// retry makes a call until it is answered. With key "" it must be idempotent by itself. If
// it ends without an answer and may have been carried out, the error is an
// api.UnsureError.
func (c *Client) retry(ctx context.Context, key, method, path string, query url.Values, in, out any) error {
	retry, began, away, sent := backoff{}, time.Now(), time.Now(), false
	for breaks := 0; ; {
		under := key
		err := c.acquaint(ctx, key)
		if !c.takesKeys() {
			under = "" // an older daemon, without keys
		}
		call, begun := begins(withKey(ctx, under))
		if err == nil {
			err = c.callOnce(call, method, path, query, in, out)
		}
		if err == nil {
			return nil
		}
		lost := errors.Is(err, errBroken)
		if lost {
			breaks++
		}
		// net/http retries a call with a key by itself: it then has a second connection.
		hung := errors.Is(err, errHung)
		sent = sent || begun() > 1 || begun() > 0 && (lost || hung || ctx.Err() != nil)
		unsure := func(err error) error {
			if errors.Is(err, errBroken) {
				if err = errLost; c.opts.Far != nil {
					err = c.fromNode(errBroken)
				}
			}
			if sent {
				err = &api.UnsureError{Err: err, Look: lookAt(path)}
			}
			return err
		}
		switch {
		case ctx.Err() != nil, hung:
			return unsure(err)
		case api.CodeOf(err) == api.CodePrecondition:
			return unsure(err) // a lost attempt may be what changed the target
		case !lost && !c.comesBack(err):
			return err
		case sent && key != "" && under == "", breaks >= mostBreaks, time.Since(away) > c.opts.Patience, time.Since(began) > inAll*c.opts.Patience, retry.wait(ctx) != nil:
			return unsure(err)
		}
		retry.next = min(retry.next, actPause) // a person waits for it
		switch _, failed := c.Reconnect(ctx); {
		case failed == nil:
			away = time.Now()
		case !retryable(failed) && !passes(failed):
			return unsure(failed)
		}
	}
}

// acquaint finds out whether the daemon takes keys, before the first call with one. It is
// an error if no daemon answers: sent without its key, the call could be carried out, and
// once more when it is retried with it.
func (c *Client) acquaint(ctx context.Context, key string) error {
	if key == "" || c.met.Load() != nil {
		return nil
	}
	_, err := c.Health(ctx)
	if errors.Is(err, errBroken) || errors.Is(err, ErrNotRunning) || errors.Is(err, errHung) || ctx.Err() != nil {
		return err
	}
	return nil // other errors will be those of the call
}

// begins returns a context for a call, and begun, which counts how many connections the
// call has had: without one it was not carried out.
func begins(ctx context.Context) (call context.Context, begun func() int32) {
	var had atomic.Int32
	trace := httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { had.Add(1) }}
	return httptrace.WithClientTrace(ctx, &trace), had.Load
}

// comesBack reports whether to wait for a daemon that is away: one that crashed is started
// again, and one that has answered before may be restarting.
func (c *Client) comesBack(err error) bool {
	if c.opts.Far != nil && c.met.Load() != nil && api.CodeOf(err) == api.CodeUnavailable {
		return true // the link connects again by itself
	}
	return errors.Is(err, errCrashed) && c.opts.Exe != "" || errors.Is(err, ErrNotRunning) && c.met.Load() != nil
}

// meet stores the identity of the daemon that answered.
func (c *Client) meet(srv api.Server) { c.met.Store(&srv) }

// takesKeys reports whether the daemon that answered last knows keys. Other daemons get
// none, because net/http retries calls with keys by itself.
func (c *Client) takesKeys() bool {
	srv := c.met.Load()
	return srv != nil && srv.Keys
}

type keyOfCall struct{}

// withKey returns a context whose calls have the key.
func withKey(ctx context.Context, key string) context.Context {
	if key == "" {
		return ctx
	}
	return context.WithValue(ctx, keyOfCall{}, key)
}

// setOnce sets the headers of a call's key and of its precondition (api.IfMatch).
func setOnce(req *http.Request) {
	if key, ok := req.Context().Value(keyOfCall{}).(string); ok {
		req.Header.Set(api.HeaderKey, key)
	}
	if match := api.MatchOf(req.Context()); match != "" && req.Method != http.MethodGet {
		req.Header.Set(api.HeaderMatch, `"`+match+`"`)
	}
}

// lookAt returns the command that shows whether a call was carried out.
func lookAt(path string) string {
	for prefix, verb := range map[string]string{"/v1/tasks": "ccdir task ls", "/v1/queue": "ccdir task ls", "/v1/approvals": "ccdir approvals",
		"/v1/rules": "ccdir rules", "/v1/messages": "ccdir events --type message"} {
		if strings.HasPrefix(path, prefix) {
			return verb
		}
	}
	return "ccdir ls"
}

// resume waits for the back-off and connects again, with the next daemon if the old one is
// gone. Without an error the call can be made again; it may fail again.
func (c *Client) resume(ctx context.Context, retry *backoff) error {
	if err := retry.wait(ctx); err != nil {
		return err
	}
	if _, err := c.Reconnect(ctx); err != nil && !retryable(err) {
		return err
	}
	return nil
}
