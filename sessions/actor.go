package sessions

import (
	"context"
	"encoding/json"
	"os"
	"reflect"
	"sync/atomic"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/api/hint"
	"ccdir/sessions/adopt"
	"ccdir/sessions/delivery"
	"ccdir/sessions/hostlink"
	"ccdir/sessions/launch"
	"ccdir/sessions/mailbox"
	"ccdir/sessions/process"
	"ccdir/sessions/state"
	"ccdir/wire"
)

// mailLen bounds the mailbox of a session's actor; further senders block.
const mailLen = 64

// keysKept bounds session.seenKeys.
const keysKept = 1024

// session is one session's actor, which owns all of it: other goroutines read constants and
// what the actor shares, and go through do for the rest.
type session struct {
	// Constant after newSession, or set by its caller before the actor runs.

	r       *Registry
	id      string
	dir     string         // the session's directory
	adapter agents.Adapter // decodes hooks; knows how to type into the agent and end it
	// outside: the process is no child of a host: a person started it elsewhere, or its host
	// died (orphan is not nil). process names it; it has no pane.
	outside bool
	orphan  *orphan // nil: not left over from a dead host
	process process.Ref
	// transcript is the path of the conversation of an agent outside; "" if unknown.
	transcript string
	// ctx ends with the session or the registry; cancel ends it.
	ctx    context.Context
	cancel context.CancelFunc
	box    *mailbox.Mailbox // of at most mailLen functions

	// What the actor shows to other goroutines: replaced by tellAll, never changed.
	shared atomic.Pointer[shared]

	// Identity and state.

	spec       launch.Spec      // its Run and Request are constant: others read them
	cur        api.Session      // the value to publish, without what shown adds
	fold       state.Fold       // the evidence so far
	timerAt    time.Time        // when the actor's timer fires; zero: never
	seenKeys   dedup            // ids of hook calls, requests, prompts and calls that were weighed
	allowed    dedup            // calls that a person allowed before they asked (holdTool)
	committed  <-chan error     // the journal's answer to the newest change; nil before the first
	restarting int              // calls that are starting the process again
	meter      meter            // what the agent has told of its usage
	toldAnswer string           // the answer that SetTurn has set, "" if a hook did
	talked     bool             // the conversation has content, so it can be resumed
	prompted   bool             // this process has taken a prompt
	lacksTools bool             // this process was given our tools and has not listed them
	turn       *state.TurnFacts // for the task of the session; nil without one

	// The host and its process.

	host        wire.HostFile      // of the newest host; zero before the first
	link        *hostlink.Link     // nil: not connected now
	agentLine   agents.Line        // to an agent that takes calls; nil: not connected now
	hosted      context.CancelFunc // ends keepLink; nil without a host
	evidenceSeq uint64             // number of the last host evidence weighed
	ending      bool               // this daemon is ending the process (fold.Killed may be an earlier daemon's)
	secretsGone string             // start time of the host whose files have no secrets any more
	orphansOf   string             // start time of the dead host whose orphans are looked after; "" for none
	spoolAt     time.Time          // modification time of the spool directory when it was last empty
	looking     lookReason         // why the screen is watched
	lookWake    chan struct{}      // one slot: tells followScreen that looking changed

	// Permission requests.

	requests *state.Requests         // the table of open requests
	open     map[string]*openRequest // the waiters of the open ones, by call

	woken       bool               // keys wait until the process takes input, and the draft stands in its line
	draftOf     string             // the launch in whose input line cur.KeptDraft was; "" without one
	given       []string           // see record.Given
	roleClaimed string             // the role that the environment last claimed; "" for none
	delivery    *delivery.Delivery // of prompts; its fields have owners of their own
}

// shared are the values of a session that other goroutines read.
type shared struct {
	token    string              // authorises hooks; replaced by a restart
	version  string              // spec.Version
	running  bool                // a process runs or is being started: counts for max_sessions
	stale    bool                // session.json lacks a change: it could not be written
	host     process.Ref         // the newest host; zero before the first
	requests []state.OpenRequest // those that people can answer
}

// seen returns the values that the actor shares.
func (s *session) seen() *shared { return s.shared.Load() }

// tellAll changes what the actor shares; in the actor, or before it runs.
func (s *session) tellAll(change func(*shared)) {
	next := *s.shared.Load()
	change(&next)
	s.shared.Store(&next)
}

// setRunning shares whether a process runs.
func (s *session) setRunning(runs bool) { s.tellAll(func(v *shared) { v.running = runs }) }

// newSession makes a session whose actor does not run yet.
func (r *Registry) newSession(id string, spec launch.Spec, adapter agents.Adapter) *session {
	s := &session{r: r, id: id, dir: r.o.Paths.SessionDir(id), adapter: adapter, spec: spec,
		seenKeys: newDedup(keysKept), allowed: newDedup(allowedKept), lookWake: make(chan struct{}, 1)}
	s.ctx, s.cancel = context.WithCancel(r.ctx)
	s.box = mailbox.New(s.ctx, mailLen, s.gone)
	s.shared.Store(&shared{version: spec.Version})
	s.requests, s.open = state.NewRequests(), map[string]*openRequest{}
	s.delivery = newDelivery(s)
	return s
}

// run is the actor's loop.
func (s *session) run() {
	defer s.box.Close()
	defer s.cancel()
	defer func() { s.r.openRequests.Add(-int64(s.requests.Len())) }()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		select {
		case fn := <-s.box.Mail:
			s.guard(fn)
			if s.ctx.Err() != nil {
				s.disconnectHost()
				return
			}
			s.box.Wake()
			s.setTimer(timer)
		case <-timer.C:
			s.guard(func() {
				s.weigh(api.Evidence{Source: api.SourceTimer, At: s.timerTime(), Name: "timer"}, change{})
				s.unsnooze()
				s.endRequests(s.requests.Due(s.r.now()))
			})
			s.timerAt = time.Time{}
			s.box.Wake()
			s.setTimer(timer)
		case <-s.ctx.Done():
			s.disconnectHost()
			return
		}
	}
}

// setTimer sets the timer to the fold's pending state, the end of a snooze or of a request,
// whichever is earliest.
func (s *session) setTimer(t *time.Timer) {
	due := s.fold.Wake()
	for _, at := range []time.Time{s.cur.SnoozedUntil, s.requests.Wake()} {
		if due.IsZero() || !at.IsZero() && at.Before(due) {
			due = at
		}
	}
	if due.Equal(s.timerAt) {
		return
	}
	s.timerAt = due
	if due.IsZero() {
		t.Stop()
		return
	}
	left := due.Sub(s.r.now())
	if p := s.fold.Pending; p != nil && due.Equal(p.Due) {
		// The evidence may be from before the clock was set back.
		left = min(left, p.Due.Sub(p.Evidence.At))
	}
	t.Reset(left)
}

// timerTime is the time of the timer that has fired: no earlier than the pending state that
// it was set for, whatever the clock says.
func (s *session) timerTime() time.Time {
	now := s.r.now()
	if p := s.fold.Pending; p != nil && p.Due.Equal(s.timerAt) && p.Due.After(now) {
		return p.Due
	}
	return now
}

// guard contains a panic: the session loses one message, the daemon lives.
func (s *session) guard(fn func()) {
	defer func() {
		if p := recover(); p != nil {
			s.r.log.Error("panic in a session", "session", s.id, "panic", p)
		}
	}()
	fn()
}

// Ways to the actor, and what their callers wait for: post, do and await are those of its mailbox;
// commit waits until what fn published is visible, change until it is saved.

func (s *session) post(fn func()) { s.box.Post(fn) }

func (s *session) do(ctx context.Context, fn func()) error { return s.box.Do(ctx, fn) }

func (s *session) await(ctx context.Context, cond func() bool) error { return s.box.Await(ctx, cond) }

// commit runs fn in the actor and waits until what it published is visible to everybody:
// the channel that fn returns, nil for nothing. It returns fn's error, if any.
func (s *session) commit(ctx context.Context, fn func() (<-chan error, error)) error {
	_, err := s.commitSaved(ctx, fn)
	return err
}

// change is commit for calls whose change must not be lost: it fails if the change could
// not be saved.
func (s *session) change(ctx context.Context, fn func() (<-chan error, error)) error {
	unsaved, err := s.commitSaved(ctx, fn)
	if err != nil {
		return err
	}
	return inForce(unsaved)
}

// inForce is the error of a call whose change is in force and visible, but not saved; nil
// if it is.
func inForce(unsaved error) error {
	if unsaved == nil {
		return nil
	}
	return api.Errorf(api.CodeInternal, "the change is in force, but it could not be saved and is lost when the daemon ends: %v%s", unsaved, hint.Of(unsaved))
}

// commitSaved is commit, and also returns why the change could not be saved; nil: it is.
func (s *session) commitSaved(ctx context.Context, fn func() (<-chan error, error)) (unsaved, err error) {
	var committed <-chan error
	var failed error
	if err := s.do(ctx, func() { committed, failed = fn() }); err != nil {
		return nil, err
	}
	if failed != nil {
		return nil, failed
	}
	return answer(ctx, committed)
}

// wait waits for the journal's answer. A change that could not be saved is no failure: it is
// in force and visible, and the journal logs it and retries.
func wait(ctx context.Context, committed <-chan error) error {
	_, err := answer(ctx, committed)
	return err
}

// answer waits for the journal's answer: why the change could not be saved, nil if it is or
// there is none. err is that of ctx.
func answer(ctx context.Context, committed <-chan error) (unsaved, err error) {
	if committed == nil {
		return nil, nil
	}
	select {
	case unsaved = <-committed: // closed after the first value: nil
		return unsaved, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// gone is the error of a call to a session whose actor has ended.
func (s *session) gone() error {
	if s.r.ctx.Err() != nil {
		return errClosing
	}
	return api.Errorf(api.CodeNotFound, "session %s was removed: `ccdir history` shows what is kept of it", s.id)
}

// publish passes the session's value, an event and a request to the journal.
func (s *session) publish(c change, changed bool) <-chan error {
	if c.event == nil && !changed && !c.always && c.request == nil && c.ended == nil {
		return nil
	}
	msg := api.WatchMessage{Event: c.event}
	if c.request != nil {
		q := *c.request
		if len(q.Input) > api.MaxWatchInput {
			q.Input = nil
		}
		msg.Request = &q
	}
	if c.ended != nil {
		d := *c.ended
		d.Request.Input = nil
		msg.RequestEnded = &d
	}
	var saved []byte
	if c.event != nil {
		c.event.Session = s.id
		if c.event.At.IsZero() {
			c.event.At = s.r.now()
		}
		c.event.At = c.event.At.UTC()
	}
	if changed || c.always {
		value := s.shown()
		msg.Session = &value
		inFlight, first := s.delivery.Saved()
		data, err := json.Marshal(record{Session: s.cur, Fold: s.fold, Evidence: s.evidenceSeq, Talked: s.talked, Prompted: s.prompted,
			Delivery: inFlight, First: first, Given: s.given, Transcript: s.transcript, Left: s.orphan, Turn: s.turn, DraftOf: s.draftOf})
		if err != nil {
			s.r.log.Error("cannot save a session", "session", s.id, "error", err)
		}
		saved = data
	}
	return s.append(msg, saved, c.key)
}

// append passes a message to the journal and remembers its answer.
func (s *session) append(msg api.WatchMessage, saved []byte, key string) <-chan error {
	s.committed = s.r.o.Journal.Append(msg, saved, key)
	return s.committed
}

// show publishes the session's value without saving it, for values that the host reports
// again after a restart (title, size).
func (s *session) show() {
	value := s.shown()
	s.append(api.WatchMessage{Session: &value}, nil, "")
}

// sameSession compares published values.
func sameSession(a, b api.Session) bool { return reflect.DeepEqual(a, b) }

// reset starts a new process: a new fold, and no values of the old process.
func (s *session) reset(at time.Time) {
	s.fold = state.NewFold(s.adapter.Managed(), at)
	s.evidenceSeq, s.prompted, s.woken, s.meter = 0, false, false, meter{}
	s.cur.State, s.cur.Since = s.fold.State, s.fold.Since
	s.cur.ExitCode, s.cur.Error, s.cur.Question, s.cur.Title, s.cur.Progress = nil, "", "", "", ""
	s.cur.App, s.cur.Asks, s.cur.Failure, s.cur.Retry, s.cur.Interrupted = "", "", nil, nil, false
	s.cur.PID, s.cur.HostPID, s.cur.SnoozedUntil = 0, 0, time.Time{}
	if s.turn != nil {
		s.turn = &state.TurnFacts{}
	}
}

// saveSpec writes session.json; in the actor. If that fails, KeepFiles tries again.
func (s *session) saveSpec() error {
	spec := s.spec
	if s.fold.State.Ended() {
		spec = spec.WithoutSecrets()
	}
	err := adopt.WriteJSON(s.dir+string(os.PathSeparator)+launch.SpecFile, spec)
	if stale := err != nil; stale != s.seen().stale {
		s.tellAll(func(v *shared) { v.stale = stale })
	}
	return err
}
