package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"

	"ccdir/api"
	"ccdir/daemon/httpapi/websock"
	"ccdir/internal/contain"
)

// Conversations are what the agents of sessions said.
type Conversations interface {
	// Turns passes on the turns of a session, which may be one of the past, in order: the
	// last ones by number, 0: all. An error of each ends it.
	Turns(ctx context.Context, ref string, last int, each func(api.Turn) error) error
	// FollowTurns is Turns, and goes on with what is new or has changed until the session has
	// ended: turns with the items from api.Turn.From on. A turn without a number says that all
	// that was there has come.
	FollowTurns(ctx context.Context, ref string, last int, each func(api.Turn) error) error
	// Ask delivers a prompt and passes on its turn as it grows, to its end.
	Ask(ctx context.Context, ref string, a api.Ask, each func(api.AskEvent) error) error
}

func turnsOf(r *http.Request) (int, error) {
	n, err := numberOf(r, "turns", 1, math.MaxInt32)
	return int(n), err
}

// chatHistory answers with a list of turns, each sent when it was read: a conversation can be
// long.
func (s *server) chatHistory(w http.ResponseWriter, r *http.Request) error {
	last, err := turnsOf(r)
	if err != nil {
		return err
	}
	begun := false
	begin := func() error {
		mark := ","
		if !begun {
			begun, mark = true, "["
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusOK)
		}
		_, err := w.Write([]byte(mark))
		return err
	}
	err = s.Conversations.Turns(r.Context(), ref(r), last, func(t api.Turn) error {
		data, err := json.Marshal(t)
		if err == nil {
			err = begin()
		}
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	})
	switch {
	case err != nil && !begun:
		return err
	case err != nil: // the list has no end, by which the caller knows
		s.Logger.Error("a conversation cannot be read to its end", "session", ref(r), "error", err)
		return websock.ErrAnswered
	case !begun:
		if err := begin(); err != nil {
			return websock.ErrAnswered
		}
	}
	_, _ = w.Write([]byte("]\n")) // the client is gone if this fails
	return nil
}

// chatStream streams turns as they grow.
func (s *server) chatStream(w http.ResponseWriter, r *http.Request) error {
	last, err := turnsOf(r)
	if err != nil {
		return err
	}
	// A stream that breaks has no null at its end.
	return s.streamed(w, r, []byte("null"), func(ctx context.Context, send func(any) error) error {
		return s.Conversations.FollowTurns(ctx, ref(r), last, func(t api.Turn) error {
			if t.Turn == 0 {
				return send(struct{}{})
			}
			return send(t)
		})
	})
}

// ask streams the answer to a prompt.
func (s *server) ask(w http.ResponseWriter, r *http.Request) error {
	var a api.Ask
	if err := body(w, r, maxNew, &a); err != nil {
		return err
	}
	return s.streamed(w, r, nil, func(ctx context.Context, send func(any) error) error {
		return s.Conversations.Ask(ctx, ref(r), a, func(e api.AskEvent) error { return send(e) })
	})
}

// streamed streams what run passes to send, and end (nil: nothing) if run succeeds. An error
// before the first element is the answer.
func (s *server) streamed(w http.ResponseWriter, r *http.Request, end []byte, run func(ctx context.Context, send func(any) error) error) error {
	ctx, cancel := context.WithCancel(r.Context())
	elements, failed := make(chan []byte), make(chan error, 1)
	defer func() { cancel(); <-failed }()
	each := func(v any) error {
		data, err := json.Marshal(v)
		if err != nil {
			return err
		}
		select {
		case elements <- data:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	contain.Go(s.log, func() {
		defer close(failed)
		failed <- contain.Call(s.log, func() error { return run(ctx, each) })
	})
	var out *sse // begins with the first element or heartbeat, so that an unknown session is an error
	begin := func() (err error) {
		if out == nil {
			out, err = s.newSSE(w)
		}
		return err
	}
	beat := s.Alarms.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		var err error
		select {
		case data := <-elements:
			if err = begin(); err == nil {
				err = errors.Join(out.addJSON(0, data), out.flush())
			}
		case <-beat.C:
			if err = begin(); err == nil {
				err = out.beat()
			}
		case err := <-failed:
			if out == nil && err != nil {
				return err
			}
			if err := begin(); err != nil {
				return nil
			}
			if err == nil && end != nil {
				return errors.Join(out.addJSON(0, end), out.flush())
			}
			return nil
		}
		if err != nil {
			return nil // the client is gone
		}
	}
}
