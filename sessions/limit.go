package sessions

import (
	"cmp"
	"context"
	"reflect"
	"slices"

	"ccdir/api"
)

// SetLimit shows that a session rests because of a usage limit; nil: it does not. One that is not
// known any more is no error.
func (r *Registry) SetLimit(ctx context.Context, id string, limit *api.SessionLimit) error {
	s, err := r.find(id)
	if err != nil {
		return nil
	}
	return s.commit(ctx, func() (<-chan error, error) {
		changed := !reflect.DeepEqual(s.cur.Limit, limit)
		s.cur.Limit = limit
		return s.publish(change{}, changed), nil
	})
}

// maxPriority bounds api.Resume.Priority, as that of tasks.
const maxPriority = 100

// SetResume says whether a session goes on after usage limits, this one and later ones.
func (r *Registry) SetResume(ctx context.Context, ref string, how api.Resume) (api.Session, error) {
	how.Mode = cmp.Or(how.Mode, api.ResumeOn)
	switch {
	case !slices.Contains(api.ResumeModes, how.Mode):
		return api.Session{}, api.Errorf(api.CodeInvalid, "mode %.20q is unknown: on, own, ask or off", string(how.Mode))
	case how.Priority != nil && (*how.Priority < -maxPriority || *how.Priority > maxPriority):
		return api.Session{}, api.Errorf(api.CodeInvalid, "priority %d is not between -%d and %[2]d", *how.Priority, maxPriority)
	}
	s, err := r.paned(ref)
	if err != nil {
		return api.Session{}, err
	}
	err = s.commit(ctx, func() (<-chan error, error) {
		if s.spec.Plain() {
			return nil, api.Errorf(api.CodeConflict, "session %s runs no agent that could go on", s.cur.Name)
		}
		was := s.spec
		s.spec.Resume = how.Mode
		if how.Priority != nil {
			s.spec.Priority = *how.Priority
		}
		if err := s.saveSpec(); err != nil {
			s.spec = was
			return nil, err
		}
		changed := s.cur.ResumeAfterLimit != s.spec.Resume || s.cur.Priority != s.spec.Priority
		s.cur.ResumeAfterLimit, s.cur.Priority = s.spec.Resume, s.spec.Priority
		return s.publish(change{}, changed), nil
	})
	if err != nil {
		return api.Session{}, err
	}
	return s.value(ctx)
}

// resumes is what becomes of the session after a usage limit; in the actor.
func (s *session) resumes() api.ResumeMode {
	return cmp.Or(s.spec.Resume, api.ResumeMode(s.r.o.Config().ResumeAfterLimit))
}

// limitEnd takes over when a limit ends from the agent's file, which knows it more exactly than the
// agent's words; in the actor.
func (s *session) limitEnd(t *api.Turn) {
	told, f := t.Failure, s.cur.Failure
	if told == nil || f == nil || told.RetryAt.IsZero() || f.RetryAt.Equal(told.RetryAt) || told.At.Before(f.At.Add(-failureTime)) {
		return
	}
	exact := *f
	exact.RetryAt = told.RetryAt
	s.cur.Failure = &exact
}
