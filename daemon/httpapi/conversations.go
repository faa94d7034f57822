package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"

	"ccdir/api"
)

// Conversations are what the agents of sessions said.
type Conversations interface {
	// Turns passes on the turns of a session, which may be one of the past, in order: the
	// last ones by number, 0: all. An error of each ends it.
	Turns(ctx context.Context, ref string, last int, each func(api.Turn) error) error
	// FollowTurns is Turns, and goes on with what is new or has changed until the session has
	// ended: turns with the items from api.Turn.From on.
	FollowTurns(ctx context.Context, ref string, last int, each func(api.Turn) error) error
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
		return errAnswered
	case !begun:
		if err := begin(); err != nil {
			return errAnswered
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
	ctx, cancel := context.WithCancel(r.Context())
	turns, failed := make(chan []byte), make(chan error, 1)
	defer func() { cancel(); <-failed }()
	go func() {
		defer close(failed)
		failed <- s.Conversations.FollowTurns(ctx, ref(r), last, func(t api.Turn) error {
			data, err := json.Marshal(t)
			if err != nil {
				return err
			}
			select {
			case turns <- data:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
	var out *sse // begins with the first turn or heartbeat, so that an unknown session is an error
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
		case data := <-turns:
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
			if err == nil { // the session has ended: a stream that breaks has no such event
				return errors.Join(out.addJSON(0, []byte("null")), out.flush())
			}
			return nil
		}
		if err != nil {
			return nil // the client is gone
		}
	}
}
