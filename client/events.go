package client

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"ccdir/api"
)

// EventFilter selects events of the log. The zero value selects the newest ones.
type EventFilter struct {
	// Since selects the first events after that number; -1: from the beginning of the
	// log; 0: the newest events.
	Since int64
	// Before leaves out events from that number on, with Since 0 only; 0: none.
	Before int64
	// Session is an id, a unique prefix or a name; "" is every session.
	Session string
	// Type is one kind of event; "" is every kind.
	Type string
	// Limit bounds one answer; 0 is the daemon's default. Above the daemon's own bound
	// (10,000) it has no effect: see PageEvents.
	Limit int
}

func (f EventFilter) query() url.Values {
	q := url.Values{}
	if f.Since != 0 {
		q.Set("since", strconv.FormatInt(max(f.Since, 0), 10))
	}
	if f.Before > 0 {
		q.Set("before", strconv.FormatInt(f.Before, 10))
	}
	if f.Session != "" {
		q.Set("session", f.Session)
	}
	if f.Type != "" {
		q.Set("type", f.Type)
	}
	if f.Limit > 0 {
		q.Set("limit", strconv.Itoa(f.Limit))
	}
	return q
}

// Events returns events in the order of their numbers, oldest first.
func (c *Client) Events(ctx context.Context, f EventFilter) ([]api.Event, error) {
	var out []api.Event
	err := c.call(ctx, http.MethodGet, "/v1/events", f.query(), nil, &out)
	return out, err
}

// eventPage is how many events PageEvents asks for at once.
const eventPage = 1000

// PageEvents calls each for all events that f selects, oldest first, up to f.Limit (0: to
// the end of the log). It asks for them page by page, so their number is not bounded.
func (c *Client) PageEvents(ctx context.Context, f EventFilter, each func(api.Event) error) error {
	if f.Since == 0 && f.Limit > 0 {
		list, err := c.newestEvents(ctx, f)
		return errors.Join(err, eachEvent(list, each))
	}
	if f.Since == 0 {
		f.Since = -1
	}
	for left, all := f.Limit, f.Limit == 0; all || left > 0; {
		f.Limit = eventPage
		if !all {
			f.Limit = min(left, eventPage)
		}
		list, err := c.Events(ctx, f)
		if err != nil || len(list) == 0 {
			return err
		}
		if err := eachEvent(list, each); err != nil {
			return err
		}
		left, f.Since = left-len(list), list[len(list)-1].Seq
	}
	return nil
}

func eachEvent(list []api.Event, each func(api.Event) error) error {
	for _, e := range list {
		if err := each(e); err != nil {
			return err
		}
	}
	return nil
}

// newestEvents returns the newest f.Limit events, oldest first.
func (c *Client) newestEvents(ctx context.Context, f EventFilter) ([]api.Event, error) {
	var pages [][]api.Event
	for left := f.Limit; left > 0; {
		f.Limit = min(left, eventPage)
		list, err := c.Events(ctx, f)
		if err != nil {
			return nil, err
		}
		if len(list) == 0 {
			break
		}
		pages = append(pages, list)
		left, f.Before = left-len(list), list[0].Seq
	}
	slices.Reverse(pages)
	return slices.Concat(pages...), nil
}
