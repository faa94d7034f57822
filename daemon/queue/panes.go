package queue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"ccdir/agents"
	"ccdir/agents/adapters"
	"ccdir/api"
	"ccdir/orchestrator"
	"ccdir/wire"
)

// panes joins sessions of no task with the pacing after usage limits: it tells the orchestrator
// which of them rest because of one, has them go on when their turn has come, and shows it. What it
// tells follows from sessions' values alone, so that the next daemon tells the same.
type panes struct {
	q *Queue

	mu     sync.Mutex
	limits map[string]orchestrator.Limit
	known  map[string]orchestrator.Pane
	wake   chan struct{} // one slot: limits or known are new

	// Of run: the task of each session, and the failures of which a dialog was closed.
	tasks  map[string]string
	closed map[string]time.Time
}

// Points at which tests stop the daemon (Options.Pause).
const (
	PauseGoOn   = "limit-go-on"   // it is saved that a session goes on; nothing was typed
	PauseWentOn = "limit-went-on" // it took the prompt, which is not saved
)

func newPanes(q *Queue) *panes {
	return &panes{q: q, wake: make(chan struct{}, 1), tasks: map[string]string{}, closed: map[string]time.Time{}}
}

// know takes what the orchestrator has saved.
func (p *panes) know(limits map[string]orchestrator.Limit, known map[string]orchestrator.Pane) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.limits, p.known = limits, known
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// pane is what is known of a session.
func (p *panes) pane(session string) (orchestrator.Pane, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	pane, ok := p.known[session]
	return pane, ok
}

// probes reports whether a limit's end is tried by a session or its task.
func (p *panes) probes(session, task string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.limits {
		if l.Probe != "" && (l.Probe == session || l.Probe == task) {
			return true
		}
	}
	return false
}

// run tells the orchestrator about sessions until ctx ends.
func (p *panes) run(ctx context.Context) {
	w := p.q.o.Journal.Watch()
	defer w.Close()
	for {
		messages, err := w.Next(ctx)
		if err != nil {
			return
		}
		for _, m := range messages {
			switch {
			case m.Snapshot != nil:
				p.all(ctx, m.Snapshot.Sessions)
			case m.Session != nil:
				p.look(ctx, *m.Session)
			case m.Removed != "":
				p.gone(ctx, m.Removed)
			}
			if e := m.Event; e != nil && (e.Kind == api.KindToolBegins || e.Kind.EndsTool()) && p.probes(e.Session, p.tasks[e.Session]) {
				p.q.queue.Report(ctx, orchestrator.Answered{Session: e.Session})
			}
		}
	}
}

// all looks at every session.
func (p *panes) all(ctx context.Context, list []api.Session) {
	there := map[string]bool{}
	for _, s := range list {
		there[s.ID] = true
		if _, known := p.pane(s.ID); s.Limit != nil && !known {
			p.show(ctx, s.ID, nil)
		}
		p.look(ctx, s)
	}
	p.mu.Lock()
	known := p.known
	p.mu.Unlock()
	for id := range known {
		if !there[id] {
			p.gone(ctx, id)
		}
	}
}

func (p *panes) gone(ctx context.Context, id string) {
	delete(p.tasks, id)
	delete(p.closed, id)
	if _, known := p.pane(id); known {
		p.q.queue.Report(ctx, orchestrator.PaneMoved{Session: id, Gone: true})
	}
}

// tooOld is how long ago a limit may have ended that nobody has told the queue of: a session
// that has rested for longer was left so.
const tooOld = 12 * time.Hour

// look tells what is new of a session.
func (p *panes) look(ctx context.Context, s api.Session) {
	p.tasks[s.ID] = s.Task
	if moved(s) && s.State != api.StateWorking && p.probes(s.ID, s.Task) {
		p.q.queue.Report(ctx, orchestrator.Answered{Session: s.ID})
	}
	if s.External || s.Task != "" || s.Plain != "" {
		return
	}
	known, ok := p.pane(s.ID)
	if moved(s) {
		if ok && known.Going == 0 {
			p.q.queue.Report(ctx, orchestrator.PaneMoved{Session: s.ID})
		}
		return
	}
	now, limited := p.limited(s)
	switch {
	case !limited && ok: // it was started again, and rests all the same
		now = known
	case !limited:
		return
	}
	now.Resume = cmp.Or(s.ResumeAfterLimit, api.ResumeMode(p.q.o.Config().ResumeAfterLimit))
	now.Priority = s.Priority
	told := known
	told.Going, told.Delivered, told.NotBefore = 0, false, time.Time{}
	if next := now; !ok || next.Failed.After(told.Failed) || known.Going == 0 && (next.Resume != told.Resume || next.Priority != told.Priority || !next.Until.Equal(told.Until)) {
		p.q.queue.Report(ctx, orchestrator.PaneLimited{Pane: next})
	}
	if now.Resume == api.ResumeOn {
		p.closeDialog(ctx, s)
	}
}

// moved reports whether a session has gone on since its turn failed: it works, asks, has an answer,
// or was interrupted.
func moved(s api.Session) bool {
	return s.Failure == nil && (s.State == api.StateWorking || s.State.NeedsPerson() || s.Answer != "" || s.Interrupted)
}

// limited reports whether a session rests because of a limit.
func (p *panes) limited(s api.Session) (pane orchestrator.Pane, ok bool) {
	f := s.Failure
	if f == nil {
		return pane, false
	}
	m := mishap{kind: string(f.Kind), text: f.Message}
	if f.Kind != api.FailureLimit && (!m.usage() || m.overloaded()) {
		return pane, false // an overloaded service says nothing of the account: the turn has failed
	}
	until := f.RetryAt
	if until.IsZero() {
		until = p.q.exact(s.Agent, s.Account, resetTime(f.Message, f.At))
	}
	if _, known := p.pane(s.ID); !known && p.q.now().Sub(f.At) > tooOld && p.q.now().Sub(until) > tooOld {
		return pane, false
	}
	return orchestrator.Pane{Session: s.ID, Class: api.LimitClass(s.Agent, s.Account), Failed: f.At, Until: until}, true
}

// sameEnd is how far the words about a limit's end may be from the end: they are cut to minutes, and
// clockMargin is added.
const sameEnd = 2 * time.Minute

// exact is the end of the account's window that is meant by words about it; that of the words, if
// none is known.
func (q *Queue) exact(agent, account string, said time.Time) time.Time {
	if said.IsZero() || q.o.Windows == nil {
		return said
	}
	kind := q.o.Config().KindOf(agent)
	for _, w := range q.o.Windows() {
		if w.Agent == kind && w.Account == cmp.Or(account, api.AccountDefault) && w.ResetsAt != nil && w.ResetsAt.Sub(said).Abs() <= sameEnd {
			return *w.ResetsAt
		}
	}
	return said
}

// closeDialog closes, once for a failure, the dialog that an agent opens at a limit: by Escape, which
// chooses nothing.
func (p *panes) closeDialog(ctx context.Context, s api.Session) {
	adapter, _ := adapters.Lookup(p.q.o.Config().KindOf(s.Agent))
	dialogs, ok := adapter.(agents.LimitDialog)
	if !ok || !s.State.NeedsPerson() {
		return
	}
	p.mu.Lock()
	done := s.Failure == nil || p.closed[s.ID].Equal(s.Failure.At)
	p.mu.Unlock()
	if done {
		return
	}
	out, err := p.q.o.Sessions.Buffer(ctx, s.ID, wire.OutputParams{Format: wire.FormatText})
	if err != nil || !dialogs.LimitDialog(out.Text) {
		return
	}
	p.mu.Lock()
	p.closed[s.ID] = s.Failure.At
	p.mu.Unlock()
	if err := p.q.o.Sessions.Input(ctx, s.ID, api.RawInput{Keys: []string{"Escape"}}); err != nil {
		p.q.o.Logger.Warn("the dialog of a usage limit was not closed", "session", s.ID, "error", err)
	}
}

// errMoved: the session has gone on without us.
var errMoved = errors.New("the session has gone on")

// goOn has a session go on: it is started again if it has ended, and gets a prompt, whose id lets a
// repetition find what became of it.
func (p *panes) goOn(ctx context.Context, e orchestrator.Effect, report func(orchestrator.Event)) {
	p.q.pause(PauseGoOn)
	done := orchestrator.GoneOn{Session: e.Session, Going: e.Going}
	err := p.give(ctx, e)
	p.q.pause(PauseWentOn)
	switch code := api.CodeOf(err); {
	case ctx.Err() != nil: // the next daemon does it
		return
	case errors.Is(err, errMoved):
		done.Moved = true
	case code == api.CodeNotFound:
		report(orchestrator.PaneMoved{Session: e.Session, Gone: true})
		return
	case code == api.CodeTimeout: // it was typed, and the session says so: not once more
	case err != nil:
		done.Failed = err.Error()
	}
	report(done)
}

func (p *panes) give(ctx context.Context, e orchestrator.Effect) error {
	s, err := p.q.o.Sessions.Get(ctx, e.Session)
	if err != nil {
		return err
	}
	if s.State.Ended() && !s.Restarting {
		if s, err = p.q.o.Sessions.Restart(context.WithoutCancel(ctx), s.ID); err != nil {
			return err
		}
	}
	p.closeDialog(ctx, s)
	prompt := api.SendPrompt{Text: e.Text, Wait: true, ID: fmt.Sprint("limit-", e.Going)}
	_, err = p.q.o.Sessions.SendClaimed(ctx, s.ID, prompt, func(ctx context.Context) error {
		if s, err := p.q.o.Sessions.Get(ctx, e.Session); err != nil || moved(s) {
			return cmp.Or(err, errMoved)
		}
		return nil
	})
	return err
}

// shown shows at sessions what is known of them, until ctx ends.
func (p *panes) shown(ctx context.Context) {
	told := map[string]api.SessionLimit{}
	for {
		select {
		case <-p.wake:
		case <-ctx.Done():
			return
		}
		p.mu.Lock()
		limits, known := p.limits, p.known
		p.mu.Unlock()
		for id := range told {
			if _, still := known[id]; !still {
				delete(told, id)
				p.show(ctx, id, nil)
			}
		}
		for id, pane := range known {
			now := api.SessionLimit{Until: pane.Until, Resume: pane.Resume, Priority: pane.Priority}
			if l, met := limits[pane.Class]; met {
				now.Until = l.Until
			}
			if old, ok := told[id]; !ok || old != now {
				told[id] = now
				p.show(ctx, id, &now)
			}
		}
	}
}

func (p *panes) show(ctx context.Context, id string, limit *api.SessionLimit) {
	if err := p.q.o.Sessions.SetLimit(ctx, id, limit); err != nil && ctx.Err() == nil {
		p.q.o.Logger.Warn("that a session rests because of a usage limit is not shown", "session", id, "error", err)
	}
}
