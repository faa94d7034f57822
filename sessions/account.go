package sessions

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/sessions/launch"
	"ccdir/usage"
)

// RestartWith is Restart with another account of the agent's kind (api.Restart). The agent's file
// of the conversation is copied once its process has gone; what is there stays. It is refused
// before the process is ended where the conversation could not go along.
func (r *Registry) RestartWith(ctx context.Context, ref, account string) (api.Session, error) {
	s, err := r.paned(ref)
	if err != nil {
		return api.Session{}, err
	}
	var refused error
	if err := s.do(ctx, func() { refused = s.checkMove(account) }); err != nil {
		return api.Session{}, err
	}
	if refused != nil {
		return api.Session{}, refused
	}
	return r.startAgain(ctx, ref, how{account: account})
}

// checkMove returns why the session cannot have another account; in the actor.
func (s *session) checkMove(account string) error {
	if s.spec.Plain() {
		return api.Errorf(api.CodeConflict, "session %s runs no agent, so it has no account", s.cur.Name)
	}
	if err := launch.CheckAccount(s.r.o.Config(), s.spec.Kind, account); err != nil {
		return err
	}
	if _, can := s.adapter.(agents.Mover); !can && s.talked && s.cur.Conversation != "" {
		return api.Errorf(api.CodeConflict, "ccdir cannot move a conversation of %s: `ccdir new --account %s` starts another one there", s.spec.Kind, account)
	}
	return nil
}

// moveAccount copies the conversation that is to be resumed ("": none) and changes the account of
// an ended session; in the actor. kept is the end of a sentence about it.
func (s *session) moveAccount(account, resume string) (kept string, err error) {
	next := s.spec
	next.Env = slices.Clone(s.spec.Env)
	if err := next.MoveTo(s.r.o.Config(), s.adapter, account, s.r.o.Env); err != nil {
		return "", err
	}
	if mover, can := s.adapter.(agents.Mover); can && resume != "" && !slices.Equal(next.Env, s.spec.Env) {
		if kept, err = mover.CopyConversation(agents.Conversation{ID: resume, CWD: s.spec.CWD, Env: s.spec.Env}, next.Env); err != nil {
			return "", api.Errorf(api.CodeConflict, "session %s has ended and keeps its account: %v (`ccdir restart %[1]s` begins it again)", s.cur.Name, err)
		}
		kept = fmt.Sprintf(" (%s)", kept)
	}
	was := s.spec
	s.spec = next
	s.spec.AccountSince = time.Now().UTC()
	if err := s.saveSpec(); err != nil {
		s.spec = was
		return "", err
	}
	s.cur.Account = next.Account
	return kept, nil
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

// Limits learns what agents tell of their accounts' limits. Its methods are safe for concurrent use and
// do not block.
type Limits interface {
	// Told takes the report of a session's agent, which is of that kind: of limits, and of what it has cost;
	// account is the session's.
	Told(session, agent, account string, m agents.Metered)
	// Add takes samples that have the time at which they were true.
	Add(samples ...usage.Sample)
}

// SawLimits takes the samples that a session's agent wrote into its file of a conversation. Those of the time before
// it got another account are of the one before.
func (r *Registry) SawLimits(ctx context.Context, id string, samples []usage.Sample) error {
	s, err := r.find(id)
	if err != nil || r.o.Limits == nil || len(samples) == 0 {
		return nil
	}
	account, since := "", time.Time{}
	if err := s.do(ctx, func() { account, since = s.cur.Account, s.spec.AccountSince }); err != nil {
		return err
	}
	for _, sample := range samples {
		if sample.At.After(since) {
			sample.Agent, sample.Account = s.adapter.Kind(), account
			r.o.Limits.Add(sample)
		}
	}
	return nil
}

// metered takes an agent's report of its usage. It is no event: the next one replaces it.
func (s *session) metered(ctx context.Context, meter agents.Meter, at time.Time, payload []byte) error {
	m, err := meter.ReadMeter(at, payload)
	if err != nil {
		return api.Errorf(api.CodeInvalid, "%s", err)
	}
	if s.r.o.Limits != nil && (len(m.Samples) > 0 || m.CostUSD != nil) {
		account := ""
		if err := s.do(ctx, func() { account = s.cur.Account }); err != nil {
			return err
		}
		s.r.o.Limits.Told(s.id, s.adapter.Kind(), account, m)
	}
	return s.commit(ctx, func() (<-chan error, error) {
		if m.Conversation != "" && s.cur.Conversation != "" && m.Conversation != s.cur.Conversation {
			return s.publish(change{}, false), nil // of one that it has left
		}
		before := s.cur
		if m.ContextLeft != nil && m.ContextTokens > 0 {
			s.cur.ContextLeft, s.cur.ContextTokens, s.meter.context = m.ContextLeft, m.ContextTokens, true
		}
		if m.CostUSD != nil {
			s.cur.CostUSD, s.cur.CostEstimate, s.meter.cost = *m.CostUSD, false, true
		}
		if s.cur.Model == "" {
			s.cur.Model = agents.Visible(m.Model, maxModelShown)
		}
		return s.publish(change{}, !sameSession(before, s.cur)), nil
	})
}

// meter is what the agent's process tells by itself since it started: its file of the conversation knows
// that later, or not as well.
type meter struct{ context, cost bool }
