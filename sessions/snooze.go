package sessions

import (
	"context"
	"errors"
	"slices"
	"time"

	"ccdir/api"
	"ccdir/sessions/state"
)

// Snooze hides for a while that the session waits for a person. It ends earlier if the
// session waits for something else or no longer, and survives restarts of the daemon. A d
// of 0 ends it. A session that does not wait is refused.
func (r *Registry) Snooze(ctx context.Context, ref string, d time.Duration) (api.Session, error) {
	if d < 0 || d > api.MaxSnooze {
		return api.Session{}, api.Errorf(api.CodeInvalid, "a snooze lasts at most %s", api.MaxSnooze)
	}
	s, err := r.find(ref)
	if err != nil {
		return api.Session{}, err
	}
	var committed <-chan error
	doErr := s.do(ctx, func() {
		switch {
		case d == 0 && s.cur.SnoozedUntil.IsZero():
		case d == 0:
			committed = s.snoozeTo(time.Time{}, "asks again: no longer put off")
		case !s.waits():
			err = api.Errorf(api.CodeConflict, "session %s waits for nobody: there is nothing to snooze", s.cur.Name)
		default:
			until := s.r.now().Add(d) // with its monotonic part: the clock may be set
			committed = s.snoozeTo(until, "put off until "+until.Local().Format(time.DateTime))
		}
	})
	if err := errors.Join(doErr, err); err != nil {
		return api.Session{}, err
	}
	unsaved, err := answer(ctx, committed)
	if err := errors.Join(err, inForce(unsaved)); err != nil {
		return api.Session{}, err
	}
	return s.value(ctx)
}

// waits reports whether the session waits for a person: by its state, or because a request
// is open whose evidence the state lacks. In the actor.
func (s *session) waits() bool {
	open, _ := s.requests.Waiting()
	return s.fold.State.NeedsPerson() || !s.fold.State.Ended() && open > 0
}

// snoozeTo publishes the end of the snooze; zero: no snooze.
func (s *session) snoozeTo(until time.Time, message string) <-chan error {
	s.cur.SnoozedUntil = until
	return s.publish(s.plain(api.EventSessionSnoozed, message), true)
}

// unsnooze ends a snooze whose time has passed; in the actor.
func (s *session) unsnooze() {
	end, now := s.cur.SnoozedUntil, s.r.now()
	// The clock was set back while no daemon ran if more is left than there ever was.
	if !end.IsZero() && (!now.Before(end) || end.Sub(now) > api.MaxSnooze) {
		s.snoozeTo(time.Time{}, "asks again: it was put off until now")
	}
}

// waitsForElse reports whether the session waits for something else than in was, or no longer.
// Requests that open or end are handled by their own events. In the actor.
func (s *session) waitsForElse(was *state.Fold) bool {
	if s.fold.State != was.State || !s.fold.Since.Equal(was.Since) {
		open, _ := s.requests.Waiting()
		behind := !was.State.NeedsPerson() && s.fold.State.NeedsPerson() && open > 0
		return !behind
	}
	before, now := was.Dialogs, s.fold.Dialogs
	if len(before) == 0 && len(now) == 0 {
		return was.Question != "" && s.fold.Question != "" && was.Question != s.fold.Question
	}
	// The first hook may be about the dialog that other evidence reported before.
	return len(before) > 0 && !slices.EqualFunc(before, now, state.SameDialog)
}
