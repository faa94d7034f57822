package client

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"ccdir/api"
)

// History lists ended sessions and tasks, newest first; limit 0 is the daemon's
// default.
func (c *Client) History(ctx context.Context, limit int) ([]api.HistoryEntry, error) {
	var out []api.HistoryEntry
	err := c.call(ctx, http.MethodGet, "/v1/history", limited(url.Values{}, limit), nil, &out)
	return out, err
}

// Transcript returns what an ended session showed. ref is a session's id, or a
// task's, whose last session is meant.
func (c *Client) Transcript(ctx context.Context, ref string) (out api.Transcript, err error) {
	if ref == "" || ref == "." || ref == ".." {
		return out, api.Errorf(api.CodeNotFound, "no session %q: `ccdir history` lists them", ref)
	}
	err = c.call(ctx, http.MethodGet, "/v1/history/"+url.PathEscape(ref), nil, nil, &out)
	return out, err
}

// Search finds tasks, transcripts and events that have all words of text, newest
// first.
func (c *Client) Search(ctx context.Context, text string, limit int) ([]api.SearchHit, error) {
	var out []api.SearchHit
	err := c.call(ctx, http.MethodGet, "/v1/search", limited(url.Values{"q": {text}}, limit), nil, &out)
	return out, err
}

func limited(q url.Values, limit int) url.Values {
	if limit > 0 {
		q.Set("limit", strconv.Itoa(limit))
	}
	return q
}

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
// items from api.Turn.From on. A turn without a number says that all that was there has come.
// When the daemon restarts, all turns come again.
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

// Ask delivers a prompt and calls each with what comes of it: the prompt's turn as it grows,
// and last its end. When the daemon restarts, the turn comes again from its beginning.
func (c *Client) Ask(ctx context.Context, ref string, a api.Ask, each func(api.AskEvent) error) error {
	path, err := session(ref, "/ask")
	if err != nil {
		return err
	}
	if a.ID == "" {
		a.ID = rand.Text()
	}
	retry := backoff{}
	for {
		var stop error
		err := c.streamOf(ctx, http.MethodPost, path, nil, a, func(data []byte) error {
			retry.reset()
			var e api.AskEvent
			if err := json.Unmarshal(data, &e); err != nil {
				return api.Errorf(api.CodeBadVersion, "the daemon's stream is not understood (%v): run `ccdir daemon restart`", err)
			}
			a.After = cmp.Or(a.After, e.After)
			if stop = each(e); stop == nil && e.End != "" {
				return errEnded
			}
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
var errEnded = errors.New("nothing follows")

func lastTurns(last int) url.Values {
	if last <= 0 {
		return nil
	}
	return url.Values{"turns": {strconv.Itoa(last)}}
}
