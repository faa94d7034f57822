package sessions

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/internal/contain"
	"ccdir/sessions/hostlink"
	"ccdir/sessions/launch"
	"ccdir/wire"
)

// requestTimeout bounds one request to a host.
const requestTimeout = 10 * time.Second

// value returns the session once its newest change is visible to everybody.
func (s *session) value(ctx context.Context) (v api.Session, err error) {
	var last <-chan error
	if err := s.do(ctx, func() { v, last = s.shown(), s.committed }); err != nil {
		return v, err
	}
	return v, wait(ctx, last)
}

// Get returns one session.
func (r *Registry) Get(ctx context.Context, ref string) (api.Session, error) {
	s, err := r.find(ref)
	if err != nil {
		return api.Session{}, err
	}
	return s.value(ctx)
}

// Explain returns the evidence behind a session's state.
func (r *Registry) Explain(ctx context.Context, ref string) (x api.Explanation, err error) {
	s, err := r.find(ref)
	if err != nil {
		return x, err
	}
	err = s.do(ctx, func() { x, x.Retry = s.fold.Explain(s.id), s.cur.Retry })
	x.Lacks = []string{}
	if d, ok := s.adapter.(agents.Described); ok {
		x.Lacks = append(x.Lacks, d.Describe().Lacks()...)
	}
	return x, err
}

// HostAddress returns how a local client reaches the session's host. A vanished socket is
// created again first.
func (r *Registry) HostAddress(ctx context.Context, ref string) (a api.HostAddress, err error) {
	s, err := r.paned(ref)
	if err != nil {
		return a, err
	}
	var hf wire.HostFile
	doErr := s.do(ctx, func() {
		if s.fold.State.Stopped() {
			err = s.notRunning()
			return
		}
		hf = s.host
	})
	if err := errors.Join(doErr, err); err != nil {
		return a, err
	}
	r.dialable(ctx, hf.Socket)
	return api.HostAddress{Socket: hf.Socket, Ticket: hf.Spec.Ticket}, nil
}

// linked returns the connection to the session's host; it waits up to two seconds for a
// reconnect.
func (s *session) linked(ctx context.Context) (l *hostlink.Link, err error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	waitErr := s.await(ctx, func() bool {
		l, err = s.link, nil
		if s.fold.State.Stopped() {
			err = s.notRunning()
		}
		return l != nil || err != nil
	})
	if errors.Is(waitErr, context.DeadlineExceeded) {
		return nil, hostlink.ErrNoHost
	}
	return l, errors.Join(waitErr, err)
}

// request sends a request to the session's host.
func (s *session) request(ctx context.Context, method string, params, out any) error {
	l, err := s.linked(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	return l.Call(ctx, method, params, out)
}

// Resize pins the size of a session's terminal.
func (r *Registry) Resize(ctx context.Context, ref string, size api.Resize) error {
	s, err := r.paned(ref)
	if err != nil {
		return err
	}
	if err := launch.CheckSize(size.Cols, size.Rows); err != nil {
		return err
	}
	var st wire.Status
	if err := s.request(ctx, wire.MethodResize, wire.ResizeParams(size), &st); err != nil {
		return err
	}
	return s.do(ctx, func() {
		s.hostStatus(st)
		s.spec.Cols, s.spec.Rows = size.Cols, size.Rows
		if err := s.saveSpec(); err != nil {
			s.r.log.Warn("cannot save the session's size", "session", s.id, "error", err)
		}
	})
}

// Rename gives a session another name.
func (r *Registry) Rename(ctx context.Context, ref, name string) (api.Session, error) {
	s, err := r.paned(ref)
	if err != nil {
		return api.Session{}, err
	}
	if err := launch.CheckName(name); err != nil {
		return api.Session{}, err
	}
	err = s.change(ctx, func() (<-chan error, error) {
		old := s.cur.Name
		if old == name {
			return nil, nil
		}
		if err := r.rename(s.id, old, name); err != nil {
			return nil, err
		}
		s.cur.Name, s.spec.Name = name, name
		if err := s.saveSpec(); err != nil {
			r.log.Warn("cannot save the session's name", "session", s.id, "error", err)
		}
		return s.publish(s.plain(api.EventSessionRenamed, old+" is now "+name), true), nil
	})
	if err != nil {
		return api.Session{}, err
	}
	return s.value(ctx)
}

// Mark changes what a person has noted of a session.
func (r *Registry) Mark(ctx context.Context, ref string, m api.SetMarks) (api.Session, error) {
	s, err := r.find(ref)
	if err != nil {
		return api.Session{}, err
	}
	err = s.change(ctx, func() (<-chan error, error) {
		next, err := m.Over(s.cur.Marks)
		if err != nil || next == s.cur.Marks {
			return nil, err
		}
		s.cur.Marks = next
		return s.publish(change{}, true), nil
	})
	if err != nil {
		return api.Session{}, err
	}
	return s.value(ctx)
}

// plain is a change with an event and no change of state.
func (s *session) plain(eventType, message string) change {
	return change{event: &api.Event{Type: eventType, Source: "daemon", Message: message,
		StateFrom: s.fold.State, StateTo: s.fold.State}}
}

// Focus asks every attached grid to move the focus to the session.
func (r *Registry) Focus(ctx context.Context, ref string) error {
	s, err := r.find(ref)
	if err != nil {
		return err
	}
	return s.commit(ctx, func() (<-chan error, error) {
		c := s.plain(api.EventSessionFocus, "focus "+s.cur.Name)
		c.event.Session, c.event.At = s.id, r.now()
		return s.append(api.WatchMessage{Focus: s.id, Event: c.event}, nil, ""), nil
	})
}

// Seen clears the unread mark.
func (r *Registry) Seen(ctx context.Context, ref string) error {
	s, err := r.find(ref)
	if err != nil {
		return err
	}
	return s.commit(ctx, func() (<-chan error, error) {
		if !s.cur.Unread {
			return nil, nil
		}
		s.cur.Unread = false
		return s.publish(change{}, true), nil
	})
}

// Remove deletes an ended session: its row, name and files. Its events stay.
func (r *Registry) Remove(ctx context.Context, ref string) error {
	s, err := r.find(ref)
	if err != nil {
		return err
	}
	var committed <-chan error
	doErr := s.do(ctx, func() {
		if s.fold.State == api.StateParked {
			err = api.Errorf(api.CodeConflict, "session %s is parked and goes on when it is needed: `ccdir kill %s` first", s.cur.Name, s.cur.Name)
			return
		}
		if !s.fold.State.Ended() {
			err = api.Errorf(api.CodeConflict, "session %s still runs: `ccdir kill %s` first", s.cur.Name, s.cur.Name)
			return
		}
		if !s.hostGone(killMargin) {
			err = api.Errorf(api.CodeConflict, "the host of session %s (pid %d) still runs: try again", s.cur.Name, s.host.PID)
			return
		}
		s.drain()
		if err = os.RemoveAll(s.dir); err != nil {
			return
		}
		os.Remove(s.host.Socket)
		c := s.plain(api.EventSessionRemoved, "removed "+s.cur.Name)
		c.event.Session, c.event.At = s.id, r.now()
		committed = r.o.Journal.Append(api.WatchMessage{Event: c.event, Removed: s.id}, nil, "")
		r.drop(s.id)
		s.cancel() // functions left in the mailbox must not publish it again
	})
	if err := errors.Join(doErr, err); err != nil {
		return err
	}
	if r.o.Policy != nil {
		r.o.Policy.Forget(s.id)
	}
	unsaved, err := answer(ctx, committed)
	return errors.Join(err, inForce(unsaved))
}

// KillAll ends every session, for `ccdir daemon stop --kill-sessions`, and waits until
// their hosts have saved their files and ended.
func (r *Registry) KillAll(ctx context.Context) {
	wg := contain.Group{Log: r.log}
	for _, s := range r.all() {
		if s.outside {
			continue
		}
		wg.Go(func() {
			if err := s.kill(ctx, false); err != nil && api.CodeOf(err) != api.CodeNotRunning {
				r.log.Error("a session was not ended", "session", s.id, "error", err)
			}
			_ = s.do(ctx, func() { s.hostGone(killMargin) })
		})
	}
	wg.Wait()
}

// AgentVersion is the version of a session's agent; "" if unknown.
func (r *Registry) AgentVersion(id string) string {
	s, err := r.find(id)
	if err != nil {
		return ""
	}
	return s.version()
}

// Errors of calls that the session's state does not allow, with advice; in the actor.

// notRunning is the error of a call that needs a process.
func (s *session) notRunning() error {
	more := "`ccdir output %s` shows what it left"
	if s.fold.State == api.StateLost { // a host that died saved no screen
		more = "`ccdir explain %s` tells what is known"
	}
	return api.Errorf(api.CodeNotRunning, "session %s is %s: %s, %s", s.cur.Name, s.fold.State, s.howAgain(), fmt.Sprintf(more, s.cur.Name))
}

// endedAlready is the error of ending a session that has ended.
func (s *session) endedAlready() error {
	return api.Errorf(api.CodeNotRunning, "session %s has ended already (%s): `ccdir rm %[1]s` takes it out of the list, %[3]s", s.cur.Name, s.fold.State, s.howAgain())
}

// howAgain says how to run the session again.
func (s *session) howAgain() string {
	switch {
	case s.fold.State == api.StateParked:
		return fmt.Sprintf("`ccdir wake %s` starts it again", s.cur.Name)
	case s.spec.Run != nil && s.spec.Run.Print && s.spec.Run.Prompt == "":
		return "`ccdir task add` does its task's prompt once more"
	case s.outside:
		return "it begins again where it ran"
	}
	return fmt.Sprintf("`ccdir restart %s` begins it again", s.cur.Name)
}

// nameTaken is the error of a name that another session has; the caller holds mu.
func (r *Registry) nameTaken(name string) error {
	old := r.sessions[r.names[name]]
	if old != nil && !old.seen().running {
		return api.Errorf(api.CodeConflict, "the name %q is in use: choose another, or `ccdir rm` the old session", name)
	}
	return api.Errorf(api.CodeConflict, "the name %q is in use: choose another, or `ccdir rename` the session that has it", name)
}

// What the daemon's other rooms find out about a session reaches it here. Each fact is set whole;
// the session is published if it shows something else then. A session that is gone is no error:
// who looks for facts need not know when sessions end.

// told runs alter in the session's actor, and publishes what it changed in the session's row.
func (r *Registry) told(ctx context.Context, id string, alter func(*session)) error {
	s, err := r.find(id)
	if err != nil {
		return nil
	}
	return s.commit(ctx, func() (<-chan error, error) {
		before := s.cur
		alter(s)
		return s.publish(change{}, !sameSession(before, s.cur)), nil
	})
}

// SetTree sets the git work tree around the session's directory.
func (r *Registry) SetTree(ctx context.Context, id string, v api.TreeState) error {
	v.Branch = agents.Visible(v.Branch, maxBranchShown)
	return r.told(ctx, id, func(s *session) {
		if v.Branch != s.cur.Branch {
			s.cur.PullRequest = nil // another branch's
		}
		s.cur.SetTree(v)
	})
}

// SetClashes sets the sessions whose work would collide with this one's.
func (r *Registry) SetClashes(ctx context.Context, id string, clashes []api.Clash) error {
	return r.told(ctx, id, func(s *session) { s.cur.Clashes = clashes })
}

// SetLastTurn sets how much the session's last turn changed, nil for not known.
func (r *Registry) SetLastTurn(ctx context.Context, id string, d *api.TurnDiff) error {
	return r.told(ctx, id, func(s *session) { s.cur.LastTurn = d })
}

// SetPullRequest sets the pull request of the session's branch, nil for none.
func (r *Registry) SetPullRequest(ctx context.Context, id string, p *api.PullRequest) error {
	return r.told(ctx, id, func(s *session) { s.cur.PullRequest = p })
}

// SetLimit sets the usage limit because of which the session rests, nil for none.
func (r *Registry) SetLimit(ctx context.Context, id string, limit *api.SessionLimit) error {
	return r.told(ctx, id, func(s *session) { s.cur.Limit = limit })
}

// SetPending sets how many prompts are kept for the session.
func (r *Registry) SetPending(ctx context.Context, id string, n int) error {
	return r.told(ctx, id, func(s *session) { s.cur.Pending = n })
}

// SetCost sets what the session's conversation has cost so far, in US dollars; 0: not known.
// estimate: a part of it was computed from prices. Nothing is set if the session has left the
// conversation.
func (r *Registry) SetCost(ctx context.Context, id, conversation string, usd float64, estimate bool) error {
	return r.told(ctx, id, func(s *session) {
		// The status line of the agent itself tells it sooner; it does not know what one that was killed has cost.
		if (!s.meter.cost || !estimate && usd > s.cur.CostUSD) && (conversation == s.cur.Conversation || s.cur.Conversation == "") {
			s.cur.CostUSD, s.cur.CostEstimate = usd, estimate
		}
	})
}

// SetTurn sets what the session shows of its conversation's last turn, as its agent's file tells
// it. Answer and model are those of the hooks where they tell them. Nothing is set if the session
// has left the conversation.
func (r *Registry) SetTurn(ctx context.Context, id string, t api.Turn) error {
	return r.told(ctx, id, func(s *session) {
		if t.Conversation == "" || t.Conversation == s.cur.Conversation || s.cur.Conversation == "" {
			s.turnOfFile(&t)
		}
	})
}

// turnOfFile takes the last turn as the agent's file tells it.
func (s *session) turnOfFile(t *api.Turn) {
	last := false
	if s.fold, last = s.fold.FromFile(t); last {
		s.noteInterrupted()
		s.limitEnd(t)
		if answer := agents.Visible(t.Answer, maxAnswerShown); t.State == api.TurnDone && answer != "" && (s.cur.Answer == "" || s.cur.Answer == s.toldAnswer) {
			s.cur.Answer, s.toldAnswer = answer, answer
		}
	}
	if s.cur.Model == "" {
		s.cur.Model = agents.Visible(t.Model, maxModelShown)
	}
	if left, known := t.ContextLeft(); known && !s.meter.context && (s.cur.ContextLeft == nil || *s.cur.ContextLeft != left || s.cur.ContextTokens != t.Context) {
		s.cur.ContextTokens, s.cur.ContextLeft = t.Context, &left
	}
}
