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

// Calls that change something are repeated while the daemon is away, and carried out
// once: under a key, by which the daemon knows a repeat, or because what they ask for
// is the same however often it is done.

// defaultPatience is how long such a call is repeated: as long as a daemon may take to
// start.
const defaultPatience = defaultStartTimeout

// mostBreaks bounds how many daemons may die in the middle of one call: it might be
// what kills them. inAll is how many times the patience a call may take in all.
const (
	mostBreaks = 20
	inAll      = 4
)

// actPause is the longest pause before a call is repeated.
const actPause = 300 * time.Millisecond

// errLost is errBroken for who has been told to try again often enough.
var errLost = &api.Error{Code: api.CodeUnavailable, Message: "the daemon ended in the middle of the call; `ccdir daemon status` names its log"}

// act is a call under a key; key may be "": then one is made.
func (c *Client) act(ctx context.Context, key, method, path string, query url.Values, in, out any) error {
	if key == "" {
		key = rand.Text()
	}
	return c.repeat(ctx, key, method, path, query, in, out)
}

// onAct is act on a session's resource.
func (c *Client) onAct(ctx context.Context, method, ref, rest string, query url.Values, in, out any) error {
	path, err := session(ref, rest)
	if err != nil {
		return err
	}
	return c.act(ctx, "", method, path, query, in, out)
}

// repeat makes a call until it is answered. Without a key it must be one that may be
// carried out more than once. If it ends without an answer, and may have been carried
// out, the error is an api.UnsureError.
func (c *Client) repeat(ctx context.Context, key, method, path string, query url.Values, in, out any) error {
	retry, began, away, sent := backoff{}, time.Now(), time.Now(), false
	for breaks := 0; ; {
		under := key
		err := c.acquaint(ctx, key)
		if !c.takesKeys() {
			under = "" // a daemon of before there were keys
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
		// net/http sends a call with a key again by itself: then it begins twice.
		sent = sent || begun() > 1 || begun() > 0 && (lost || ctx.Err() != nil)
		unsure := func(err error) error {
			if errors.Is(err, errBroken) {
				err = errLost
			}
			if sent {
				err = &api.UnsureError{Err: err, Look: lookAt(path)}
			}
			return err
		}
		switch {
		case ctx.Err() != nil:
			return unsure(err)
		case api.CodeOf(err) == api.CodePrecondition:
			return unsure(err) // a lost attempt may be what changed the target
		case !lost && !c.comesBack(err):
			return err
		case sent && key != "" && under == "", breaks >= mostBreaks, time.Since(away) > c.opts.Patience, time.Since(began) > inAll*c.opts.Patience, retry.wait(ctx) != nil:
			return unsure(err)
		}
		retry.next = min(retry.next, actPause) // somebody waits for it
		switch _, failed := c.Reconnect(ctx); {
		case failed == nil:
			away = time.Now()
		case !retryable(failed) && !passes(failed):
			return unsure(failed)
		}
	}
}

// acquaint has the client know whether the daemon takes keys before it makes its first
// call under one. The error is that nobody answers: without its key the call could be
// carried out, and once more when it is repeated to a daemon that takes them.
func (c *Client) acquaint(ctx context.Context, key string) error {
	if key == "" || c.met.Load() != nil {
		return nil
	}
	_, err := c.Health(ctx)
	if errors.Is(err, errBroken) || errors.Is(err, ErrNotRunning) || ctx.Err() != nil {
		return err
	}
	return nil // if it is not to be talked with, the call says so
}

// begins returns a context for a call, and begun, which counts how many connections the
// call has had: without one it was not carried out.
func begins(ctx context.Context) (call context.Context, begun func() int32) {
	var had atomic.Int32
	trace := httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { had.Add(1) }}
	return httptrace.WithClientTrace(ctx, &trace), had.Load
}

// comesBack reports whether a daemon that was not there is worth waiting for: one
// that crashed is started again, and one that was there a moment ago is being
// restarted, or was stopped by somebody.
func (c *Client) comesBack(err error) bool {
	return errors.Is(err, errCrashed) && c.opts.Exe != "" || errors.Is(err, ErrNotRunning) && c.met.Load() != nil
}

// meet notes who the daemon is.
func (c *Client) meet(srv api.Server) { c.met.Store(&srv) }

// takesKeys reports whether the daemon that answered last knows keys. To one that
// does not, none is told: net/http takes a call that has one for one that may be
// sent twice.
func (c *Client) takesKeys() bool {
	srv := c.met.Load()
	return srv != nil && srv.Keys
}

type keyOfCall struct{}

// withKey has the calls of ctx go under a key.
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

// lookAt names the command that shows what became of a call.
func lookAt(path string) string {
	for prefix, verb := range map[string]string{"/v1/tasks": "ccdir task ls", "/v1/queue": "ccdir task ls", "/v1/approvals": "ccdir approvals",
		"/v1/rules": "ccdir rules", "/v1/messages": "ccdir events --type message"} {
		if strings.HasPrefix(path, prefix) {
			return verb
		}
	}
	return "ccdir ls"
}
