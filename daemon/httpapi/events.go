package httpapi

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"ccdir/api"
	"ccdir/internal/contain"
)

// filter reads the query of the event routes. In the result Since -1 is the beginning of
// the log, 0: not given.
func (s *server) filter(r *http.Request) (f api.EventFilter, err error) {
	q := r.URL.Query()
	f.Type = q.Get("type")
	since := q.Get("since")
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		since = last // a broken stream is resumed, whatever its first query was
	}
	if since != "" {
		f.Since, err = strconv.ParseInt(since, 10, 64)
		if err != nil || f.Since < 0 {
			return f, api.Errorf(api.CodeInvalid, "since must be an event's number, found %.40q", since)
		}
		if f.Since == 0 {
			f.Since = -1
		}
	}
	if f.Before, err = numberOf(r, "before", 1, math.MaxInt64); err != nil {
		return f, err
	}
	if f.Before > 0 && f.Since != 0 {
		return f, api.Errorf(api.CodeInvalid, "give one of since and before")
	}
	if f.Limit, err = limitOf(r); err != nil {
		return f, err
	}
	f.Session, err = s.sessionOf(r)
	return f, err
}

// events lists events; with wait it waits for the first one.
func (s *server) events(w http.ResponseWriter, r *http.Request) error {
	f, err := s.filter(r)
	if err != nil {
		return err
	}
	wait, err := durationOf(r, "wait", 0)
	if err != nil {
		return err
	}
	if wait > 0 && f.Since == 0 && f.Before == 0 {
		if f.Since = s.Log.Server().EventSeq; f.Since == 0 {
			f.Since = -1
		}
	}
	list, err := s.Log.Events(r.Context(), f)
	if err == nil && len(list) == 0 && wait > 0 && f.Before == 0 {
		if err = s.awaitEvent(r.Context(), f, wait); err == nil {
			list, err = s.Log.Events(r.Context(), f)
		}
	}
	if f.Limit > 0 && len(list) == f.Limit {
		if f.Since != 0 {
			next(w, r, "since", strconv.FormatInt(list[len(list)-1].Seq, 10))
		} else if list[0].Seq > 1 {
			next(w, r, "before", strconv.FormatInt(list[0].Seq, 10))
		}
	}
	return ok(w, s.viewer(r).events(list), err)
}

// errSeen ends a wait.
var errSeen = errors.New("seen")

// awaitEvent waits for an event that the filter selects, at most for d.
func (s *server) awaitEvent(ctx context.Context, f api.EventFilter, d time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	f.Since = max(f.Since, 0)
	err := s.Log.Tail(ctx, f, func(api.Event) error { return errSeen })
	if errors.Is(err, errSeen) || errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}

// eventStream streams events from since on; without since only new ones.
func (s *server) eventStream(w http.ResponseWriter, r *http.Request) error {
	f, err := s.filter(r)
	if err != nil {
		return err
	}
	return s.streamEvents(w, r, f)
}

// sessionEvents streams one session's events.
func (s *server) sessionEvents(w http.ResponseWriter, r *http.Request) error {
	f, err := s.filter(r)
	if err != nil {
		return err
	}
	if f.Session, err = s.Sessions.Resolve(ref(r)); err != nil {
		return err
	}
	return s.streamEvents(w, r, f)
}

func (s *server) streamEvents(w http.ResponseWriter, r *http.Request, f api.EventFilter) error {
	switch {
	case f.Before != 0 || f.Limit != 0:
		return api.Errorf(api.CodeInvalid, "a stream has neither before nor limit")
	case f.Since == 0:
		f.Since = s.Log.Server().EventSeq
	case f.Since < 0, f.Since > s.Log.Server().EventSeq:
		// A number above the newest one is of a log that was damaged and started anew.
		// Events below it would be missed.
		f.Since = 0
	}
	out, err := s.newSSE(w)
	if err != nil {
		return nil // the client is gone
	}
	viewer := s.viewer(r)
	events := make(chan api.Event, 64)
	ctx, cancel := context.WithCancel(r.Context())
	ended := make(chan struct{})
	defer func() { cancel(); <-ended }()
	contain.Go(s.log, func() {
		defer close(ended)
		defer close(events)
		_ = s.Log.Tail(ctx, f, func(e api.Event) error {
			select {
			case events <- e:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	})
	beat := s.Alarms.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		select {
		case e, open := <-events:
			if !open {
				return nil
			}
			if out.add(e.Seq, viewer.event(e)) != nil || len(events) == 0 && out.flush() != nil {
				return nil
			}
		case <-beat.C:
			if out.beat() != nil {
				return nil
			}
		}
	}
}
