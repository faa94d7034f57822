package sessions

import (
	"context"
	"encoding/json"
	"os"
	"reflect"
	"strconv"
	"sync/atomic"
	"time"

	"ccdir/internal/agents"
	"ccdir/internal/api"
	"ccdir/internal/hostwire"
)

// mailLen bounds what waits for a session's actor; senders wait beyond it.
const mailLen = 64

// keysKept bounds the hook ids remembered per session.
const keysKept = 1024

// session is one session's actor. The fields below mail belong to its
// goroutine; others go through do.
type session struct {
	r   *Registry
	id  string
	dir string
	// token authorises hooks; replaced by a restart.
	token atomic.Pointer[string]
	// adapter decodes hooks and knows how to type and to end; never changes.
	adapter agents.Adapter
	// running tells, for the limit of sessions, that a process runs or is
	// being started.
	running atomic.Bool
	ctx     context.Context
	cancel  context.CancelFunc
	done    chan struct{}
	mail    chan func()

	spec     Spec
	cur      api.Session
	fold     Fold
	seen     dedup
	last     <-chan error // the journal's answer to the newest change
	evidence uint64       // number of the last evidence weighed
	host     hostwire.HostFile
	link     *link // the connection to the host, nil while there is none
	// hosted ends the goroutine that keeps the link; hostDone is closed when
	// it has ended. Nil without a host.
	hosted   context.CancelFunc
	hostDone chan struct{}
	// waiters are looked at after everything that may have changed something.
	waiters []waiter
	// prompts counts the prompts that the agent took; took holds the newest,
	// squeezed, at number % len.
	prompts int
	took    [16]string
	removed bool

	// sending is held by the one prompt that is being delivered.
	sending chan struct{}
	sent    sendMemory
}

// waiter is closed when cond holds; cond is called in the actor.
type waiter struct {
	cond func() bool
	met  chan struct{}
}

// newSession makes an actor that is not running yet.
func (r *Registry) newSession(id string, spec Spec, adapter agents.Adapter) *session {
	s := &session{r: r, id: id, dir: r.o.Paths.SessionDir(id), adapter: adapter, spec: spec,
		done: make(chan struct{}), mail: make(chan func(), mailLen), seen: newDedup(keysKept),
		sending: make(chan struct{}, 1)}
	s.ctx, s.cancel = context.WithCancel(r.ctx)
	s.token.Store(new(string))
	return s
}

// run is the actor.
func (s *session) run() {
	defer s.r.wg.Done()
	defer close(s.done)
	defer s.cancel()
	for {
		select {
		case fn := <-s.mail:
			s.guard(fn)
			s.wake()
		case <-s.ctx.Done():
			s.unhost()
			return
		}
	}
}

// guard contains a panic: it costs one message, not the daemon.
func (s *session) guard(fn func()) {
	defer func() {
		if p := recover(); p != nil {
			s.r.log.Error("panic in a session", "session", s.id, "panic", p)
		}
	}()
	fn()
}

// post puts fn into the mailbox, waiting while it is full; false if the
// session is gone.
func (s *session) post(fn func()) bool {
	select {
	case s.mail <- fn:
		return true
	case <-s.ctx.Done():
		return false
	}
}

// do runs fn in the actor and waits for it.
func (s *session) do(ctx context.Context, fn func()) error {
	ran := make(chan struct{})
	select {
	case s.mail <- func() { defer close(ran); fn() }:
	case <-s.ctx.Done():
		return s.gone()
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-ran:
		return nil
	case <-s.done:
		return s.gone()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// wake releases the waiters whose condition holds.
func (s *session) wake() {
	kept := s.waiters[:0]
	for _, w := range s.waiters {
		if w.cond() {
			close(w.met)
		} else {
			kept = append(kept, w)
		}
	}
	clear(s.waiters[len(kept):])
	s.waiters = kept
}

// await blocks until cond, called in the actor, holds.
func (s *session) await(ctx context.Context, cond func() bool) error {
	w := waiter{cond: cond, met: make(chan struct{})}
	err := s.do(ctx, func() { s.waiters = append(s.waiters, w) })
	if err != nil {
		return err
	}
	select {
	case <-w.met:
		return nil
	case <-s.done:
		return s.gone()
	case <-ctx.Done():
		s.post(func() { s.forget(w) })
		return ctx.Err()
	}
}

// forget removes a waiter that gave up.
func (s *session) forget(w waiter) {
	for i := range s.waiters {
		if s.waiters[i].met == w.met {
			s.waiters = append(s.waiters[:i], s.waiters[i+1:]...)
			return
		}
	}
}

// gone says why the actor does not answer.
func (s *session) gone() error {
	if s.r.ctx.Err() != nil {
		return errClosing
	}
	return api.Errorf(api.CodeNotFound, "session %s was removed", s.id)
}

// change is what a fact changes beside the state.
type change struct {
	// event is published with the change; nil for none. Its session, times and
	// states are filled in.
	event *api.Event
	// key is the event's key.
	key string
	// set changes the session's value; nil for nothing.
	set func(*api.Session)
	// always publishes the session even if it looks the same.
	always bool
}

// weigh folds evidence, publishes what it changed, and returns the journal's
// answer (nil if nothing had to be written).
func (s *session) weigh(e api.Evidence, c change) <-chan error {
	from := s.fold.State
	s.fold = s.fold.Apply(e)
	before := s.cur
	s.cur.State, s.cur.Since, s.cur.Question = s.fold.State, s.fold.Since, s.fold.Question
	if s.fold.State != from && (s.fold.State.NeedsPerson() || s.fold.State.Ended() || s.fold.State == api.StateIdle && from == api.StateWorking) {
		s.cur.Unread = true
	}
	if c.set != nil {
		c.set(&s.cur)
	}
	if c.event == nil && s.fold.State != from {
		c.event = &api.Event{Type: api.EventSessionState, Source: eventSource(e), Message: stateMessage(e)}
	}
	if c.event != nil {
		c.event.StateFrom, c.event.StateTo = from, s.fold.State
		if c.event.At.IsZero() {
			c.event.At = e.At
		}
	}
	return s.publish(c, !sameSession(before, s.cur))
}

// publish gives the session's value and an event to the journal.
func (s *session) publish(c change, changed bool) <-chan error {
	if c.event == nil && !changed && !c.always {
		return nil
	}
	msg := api.WatchMessage{Event: c.event}
	var saved []byte
	if c.event != nil {
		c.event.Session = s.id
		if c.event.At.IsZero() {
			c.event.At = s.r.now()
		}
		c.event.At = c.event.At.UTC()
	}
	if changed || c.always {
		value := s.cur
		msg.Session = &value
		data, err := json.Marshal(record{Session: s.cur, Fold: s.fold, Evidence: s.evidence})
		if err != nil {
			s.r.log.Error("cannot save a session", "session", s.id, "error", err)
		}
		saved = data
	}
	return s.append(msg, saved, c.key)
}

// append gives a message to the journal and remembers its answer.
func (s *session) append(msg api.WatchMessage, saved []byte, key string) <-chan error {
	s.last = s.r.o.Journal.Append(msg, saved, key)
	return s.last
}

// show publishes the session's value without saving it: for what the host will
// tell again (title, size).
func (s *session) show() {
	value := s.cur
	s.append(api.WatchMessage{Session: &value}, nil, "")
}

// sameSession compares what is published.
func sameSession(a, b api.Session) bool { return reflect.DeepEqual(a, b) }

// eventSource is the event log's word for where evidence came from.
func eventSource(e api.Evidence) string {
	switch e.Source {
	case api.SourceHook:
		return "hook"
	case api.SourceDelivery:
		return "daemon"
	default:
		return "host"
	}
}

// stateMessage is a line about a change of state that no hook explains.
func stateMessage(e api.Evidence) string {
	if e.Detail != "" {
		return e.Detail
	}
	return e.Name
}

// reset begins a new process: a new fold, and what belongs to the old one gone.
func (s *session) reset(at time.Time) {
	s.fold = NewFold(s.adapter.Managed(), at)
	s.evidence = 0
	s.cur.State, s.cur.Since = s.fold.State, s.fold.Since
	s.cur.ExitCode, s.cur.Error, s.cur.Question, s.cur.Title = nil, "", "", ""
	s.cur.PID, s.cur.HostPID = 0, 0
}

// exited records the end of the process.
func (s *session) exited(x hostwire.ExitRecord) <-chan error {
	if s.fold.State == api.StateExited {
		return nil
	}
	s.running.Store(false)
	at := x.At
	if at.IsZero() {
		at = s.r.now()
	}
	message := "exited with code " + strconv.Itoa(x.Code)
	if x.Signal != "" {
		message = "ended by signal " + x.Signal
	}
	code := x.Code
	e := api.Evidence{Source: api.SourceProcess, At: at.UTC(), Name: evExit, Says: api.StateExited, Detail: message,
		Fields: map[string]string{"code": strconv.Itoa(x.Code), "signal": x.Signal}}
	data, _ := json.Marshal(map[string]any{"code": x.Code, "signal": x.Signal}) // cannot fail
	return s.weigh(e, change{
		event: &api.Event{Type: api.EventSessionExited, Source: "host", Message: message, Data: data},
		set: func(v *api.Session) {
			v.ExitCode, v.PID, v.HostPID = &code, 0, 0
		},
	})
}

// lost records that the host died without a word.
func (s *session) lost(message string) <-chan error {
	s.running.Store(false)
	e := api.Evidence{Source: api.SourceProcess, At: s.r.now(), Name: evLost, Says: api.StateLost, Detail: message}
	return s.weigh(e, change{
		event: &api.Event{Type: api.EventSessionLost, Source: "daemon", Message: message},
		set: func(v *api.Session) {
			v.Error, v.PID, v.HostPID = message, 0, 0
		},
	})
}

// fromHost weighs one fact that the host saw.
func (s *session) fromHost(h hostwire.Evidence) {
	if h.Seq <= s.evidence {
		return
	}
	s.evidence = h.Seq
	switch h.Name {
	case hostwire.EvidenceTitle:
		if title := cut(h.Fields["text"], 1024); title != s.cur.Title {
			s.cur.Title = title
			s.show()
		}
	case hostwire.EvidencePSP:
		s.weigh(pspEvidence(h), change{})
	case hostwire.EvidenceActive, hostwire.EvidenceBell, hostwire.EvidenceNotify:
		if !s.cur.Unread {
			s.cur.Unread = true
			s.show()
		}
	case hostwire.EvidenceExit:
		code, err := strconv.Atoi(h.Fields["code"])
		if err == nil {
			s.exited(hostwire.ExitRecord{Code: code, Signal: h.Fields["signal"], At: h.At})
		}
	}
}

// pspEvidence turns a program status (OSC 7501) into evidence.
func pspEvidence(h hostwire.Evidence) api.Evidence {
	e := api.Evidence{Source: api.SourcePSP, At: h.At.UTC(), Name: "psp", Fields: map[string]string{}}
	for _, k := range []string{"state", "kind", "id", "app", "progress", "title", "msg"} {
		if v := h.Fields[k]; v != "" {
			e.Fields[k] = agents.Visible(v, 300)
		}
	}
	e.Detail = "status " + e.Fields["state"]
	if kind := e.Fields["kind"]; kind != "" {
		e.Detail += " (" + kind + ")"
	}
	if msg := e.Fields["msg"]; msg != "" {
		e.Detail += ": " + msg
		e.Fields["question"] = msg
	}
	switch e.Fields["state"] {
	case "idle", "done", "error":
		e.Says = api.StateIdle
	case "working":
		e.Says = api.StateWorking
	case "blocked":
		e.Says = api.StateInput
		if e.Fields["kind"] == "permission" {
			e.Says = api.StatePermission
		}
	}
	return e
}

// saveSpec writes session.json.
func (s *session) saveSpec() error {
	return writeJSON(s.dir+string(os.PathSeparator)+specFile, s.spec)
}

// dedup remembers the newest n keys.
type dedup struct {
	n    int
	set  map[string]struct{}
	ring []string
	next int
}

func newDedup(n int) dedup { return dedup{n: n, set: map[string]struct{}{}} }

// add remembers a key; false if it was known. "" is never known.
func (d *dedup) add(key string) bool {
	if key == "" {
		return true
	}
	if _, known := d.set[key]; known {
		return false
	}
	if len(d.ring) < d.n {
		d.ring = append(d.ring, key)
	} else {
		delete(d.set, d.ring[d.next])
		d.ring[d.next] = key
		d.next = (d.next + 1) % d.n
	}
	d.set[key] = struct{}{}
	return true
}
