package client

import (
	"context"
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
