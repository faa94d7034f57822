package web

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"ccdir/api"
)

// eventFilter is what the page of events selects.
func eventFilter(c call) (f api.EventFilter, err error) {
	q := c.URL.Query()
	f = api.EventFilter{Session: q.Get("session"), Type: q.Get("type"), Limit: portionLen}
	if f.Since, err = numberField(c.URL, "after"); err != nil {
		return f, err
	}
	if f.Since == 0 {
		f.Before, err = numberField(c.URL, "before")
	}
	return f, err
}

// eventRow is an event as the page shows it.
type eventRow struct {
	api.Event
	// Name is the session's, as far as it is known; Data is set in lines.
	Name, Data string
}

// maxNewEvents bounds the events that a page shows which has missed many: older ones are on the next.
const maxNewEvents = 1000

// eventRows is which events a page that follows the log has: none that has come is left out for those that
// came after it. The zero value is a page without any.
type eventRows struct {
	// seen is the number of the last event that it has, 0 for none; most is how many it shows.
	seen int64
	most int
}

// newest are the newest events that the filter selects: all after the last one, and as many as before.
func (r *eventRows) newest(ctx context.Context, log Log, f api.EventFilter) ([]api.Event, error) {
	r.most = max(r.most, portionLen)
	if r.seen > 0 {
		f.Limit = min(maxNewEvents, r.most+int(max(0, log.Server().EventSeq-r.seen)))
	}
	events, err := log.Events(ctx, f)
	if err != nil {
		return nil, err
	}
	if first := slices.IndexFunc(events, func(e api.Event) bool { return e.Seq > r.seen }); r.seen > 0 && first >= 0 {
		r.most = max(r.most, len(events)-first)
	}
	events = events[max(0, len(events)-r.most):]
	if n := len(events); n > 0 {
		r.seen = events[n-1].Seq
	}
	return events, nil
}

// names are the names of the sessions, by id.
func (s *server) names() map[string]string {
	names := map[string]string{}
	for _, v := range s.Log.Sessions() {
		names[v.ID] = short(v.Name, maxHeadline)
	}
	return names
}

// eventBlocks are the newest events that the filter selects, newest first, or those from a number on
// or before one.
func (s *server) eventBlocks(ctx context.Context, c call, rows *eventRows) ([]block, error) {
	f, err := eventFilter(c)
	if err != nil {
		return nil, err
	}
	events, err := rows.newest(ctx, s.Log, f)
	if err != nil {
		return nil, err
	}
	slices.Reverse(events)
	names := s.names()
	list := make([]block, 0, len(events)+1)
	for _, e := range events {
		row := eventRow{Event: e, Name: names[e.Session]}
		if len(e.Data) > 0 && string(e.Data) != "null" {
			row.Data, _ = bounded(pretty(e.Data), 0)
		}
		b, err := blockOf("e-"+strconv.FormatInt(e.Seq, 10), "event", row)
		if err != nil {
			return nil, err
		}
		list = append(list, b)
	}
	end := pager{}
	if len(events) >= portionLen {
		u := *c.URL
		u.Path = "/events" // the stream has an address of its own
		q := u.Query()
		for _, field := range []string{"view", "ref", "after", "seen"} {
			q.Del(field)
		}
		u.RawQuery = q.Encode()
		end.Older = with(&u, "before", strconv.FormatInt(events[len(events)-1].Seq, 10))
	}
	b, err := blockOf("pages", "eventsend", map[string]any{"Part": end, "Empty": len(events) == 0})
	return append(list, b), err
}

// eventTypes are those that can be chosen: a hook's own word can be typed.
func eventTypes() []string {
	return []string{api.EventSessionState, api.EventPrompt, api.EventPermissionOpen, api.EventPermissionEnded, api.EventSessionCreated, api.EventSessionExited,
		api.EventMCPCall, api.EventWeb, api.EventWorktree, api.EventReview, api.EventPending, api.EventLimitMet, api.EventLimitOver}
}

func (s *server) events(w http.ResponseWriter, c call) error {
	blocks, err := s.eventBlocks(c.Context(), c, &eventRows{})
	if err != nil {
		return err
	}
	live := ""
	if q := c.URL.Query(); q.Get("before") == "" && q.Get("after") == "" { // the past does not change
		live = liveAddress(c, "events")
	}
	s.render(w, c, http.StatusOK, page{Title: "Events", Nav: "events", Body: "events", Live: live,
		Data: map[string]any{"Blocks": blocks, "Kind": c.URL.Query().Get("type"), "Session": c.URL.Query().Get("session"), "Types": eventTypes(), "Sessions": s.Log.Sessions(), "Past": live == ""}})
	return nil
}
