package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"ccdir/api"
)

// Turns calls each with the turns of a session's conversations, oldest first: the last ones
// by number, 0: all. ref may also be a session of the past, or a task.
func (c *Client) Turns(ctx context.Context, ref string, last int, each func(api.Turn) error) error {
	path, err := session(ref, "/transcript")
	if err != nil {
		return err
	}
	resp, err := c.request(ctx, http.MethodGet, path, lastTurns(last), nil)
	if err != nil {
		return err
	}
	body := newQuietBody(resp.Body, c.quiet)
	defer body.Close()
	dec := json.NewDecoder(body)
	if _, err := dec.Token(); err != nil {
		return brokenTurns(ctx, err)
	}
	for dec.More() {
		var t api.Turn
		if err := dec.Decode(&t); err != nil {
			return brokenTurns(ctx, err)
		}
		if err := each(t); err != nil {
			return err
		}
	}
	if _, err := dec.Token(); err != nil {
		return brokenTurns(ctx, err)
	}
	return nil
}

func brokenTurns(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("the conversation came only in part (%w): the daemon's log says why", err)
}

// FollowTurns calls each with the turns of a session's conversations as they grow, until the
// session has ended, ctx ends or each fails. A turn comes again when it has changed, with the
// items from api.Turn.From on. When the daemon restarts, all turns come again.
func (c *Client) FollowTurns(ctx context.Context, ref string, last int, each func(api.Turn) error) error {
	path, err := session(ref, "/transcript/stream")
	if err != nil {
		return err
	}
	retry := backoff{}
	for {
		var stop error
		err := c.stream(ctx, path, lastTurns(last), func(data []byte) error {
			retry.reset()
			if bytes.Equal(data, []byte("null")) {
				return errEnded
			}
			var t api.Turn
			if err := json.Unmarshal(data, &t); err != nil {
				return api.Errorf(api.CodeBadVersion, "the daemon's stream is not understood (%v): run `ccdir daemon restart`", err)
			}
			stop = each(t)
			return stop
		})
		switch {
		case stop != nil:
			return stop
		case errors.Is(err, errEnded):
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case !retryable(err):
			return err
		}
		if err := c.resume(ctx, &retry); err != nil {
			return err
		}
	}
}

// errEnded: the stream said that nothing follows.
var errEnded = errors.New("the session has ended")

func lastTurns(last int) url.Values {
	if last <= 0 {
		return nil
	}
	return url.Values{"turns": {strconv.Itoa(last)}}
}
