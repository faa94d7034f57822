package sessions

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ccdir/agents"
	"ccdir/agents/adapters"
	"ccdir/api"
	"ccdir/config"
	"ccdir/internal/contain"
	"ccdir/internal/disk/atomicfile"
	"ccdir/internal/disk/paths"
	"ccdir/internal/proc"
	"ccdir/sessions/adopt"
	"ccdir/sessions/delivery"
	"ccdir/sessions/launch"
	"ccdir/sessions/state"
	"ccdir/wire"
)

// adoptTime bounds how long Start waits for each running host: a stopped host must not hide
// the others.
const adoptTime = 2 * time.Second

// Start restores the sessions of earlier daemons, from the records of the store and the
// directories on disk. It adopts running hosts, records the end of those that ended or
// died, and weighs spooled hook calls. When it returns, all states are true; nothing should
// be shown before.
func (r *Registry) Start(ctx context.Context, records map[string][]byte) error {
	ids := map[string]bool{}
	for id := range records {
		ids[id] = true
	}
	entries, err := os.ReadDir(filepath.Dir(r.o.Paths.SessionDir("x")))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot read the directory of sessions: %w", err)
	}
	for _, e := range entries {
		name := e.Name()
		if base, gone := strings.CutSuffix(name, adopt.GoneSuffix); gone && e.IsDir() && validID(base) {
			if err := adopt.Restore(r.o.Paths.SessionDir(base)); err != nil {
				r.log.Warn("cannot remove a directory that was given up", "session", base, "error", err)
			}
			name = base
		}
		if e.IsDir() && validID(name) {
			ids[name] = true
		}
	}
	isNew := func(id string) bool { return !ids[id] && validID(id) }
	for _, id := range adopt.UnlistedHosts(r.o.Paths, isNew) {
		r.log.Warn("a host was found by its socket alone", "session", id)
		ids[id] = true
	}
	wg := contain.Group{Log: r.log}
	for id := range ids {
		wg.Go(func() {
			if r.adoptOutside(id, records[id]) {
				return
			}
			if err := r.adopt(ctx, id, records[id]); err != nil {
				r.log.Error("a session cannot be taken over", "session", id, "error", err)
			}
		})
	}
	wg.Wait()
	r.lookForOrphans()
	r.wg.Go(r.followSpools)
	return ctx.Err()
}

// record is a session in the store.
type record struct {
	Session api.Session `json:"session"`
	Fold    state.Fold  `json:"fold"`
	// Evidence is the number of the last host evidence that was weighed.
	Evidence uint64 `json:"evidence"`
	// Talked is true if the conversation has content.
	Talked bool `json:"talked,omitempty"`
	// Prompted is true if the running process has taken a prompt.
	Prompted bool `json:"prompted,omitempty"`
	// Transcript is the conversation's file, for agents outside; "" if unknown.
	Transcript string `json:"transcript,omitempty"`
	// Left is set if the row shows a process that outlived its host.
	Left *orphan `json:"left,omitempty"`
	// Delivery is the prompt in flight, First the prompt that the session was made with,
	// until its outcome is known.
	Delivery *delivery.InFlight `json:"delivery,omitempty"`
	First    string             `json:"first,omitempty"`
	// Given are the variables with secrets that the caller gave besides the environment.
	Given []string `json:"given,omitempty"`
	// DraftOf is the launch (api.Session.Launch) in whose input line Session.KeptDraft was.
	DraftOf string `json:"draft_of,omitempty"`
	// Turn is set in sessions of tasks.
	Turn *state.TurnFacts `json:"turn,omitempty"`
}

// adopt takes over one session.
func (r *Registry) adopt(ctx context.Context, id string, data []byte) error {
	dir := r.o.Paths.SessionDir(id)
	rec, spec, err := recall(dir, id, data)
	known := len(data) > 0
	if errors.Is(err, errNothing) {
		// Left by a daemon that died before the session existed, or while its host was
		// starting.
		again, err := adopt.Discard(dir)
		if err != nil || !again {
			return err
		}
		return r.adopt(ctx, id, data)
	}
	if err != nil {
		return err
	}
	adapter, ok := adapters.Lookup(spec.Kind)
	if !ok {
		return fmt.Errorf("unknown kind of agent %q", spec.Kind)
	}
	s := r.newSession(id, spec, adapter)
	if token, err := os.ReadFile(filepath.Join(dir, paths.TokenFile)); err == nil {
		s.tellAll(func(v *shared) { v.token = string(token) })
	} else if hf, err := adopt.ReadHost(dir); err == nil { // the file was removed: its processes have it
		s.tellAll(func(v *shared) { v.token = agents.Getenv(hf.Spec.Env, api.EnvToken) })
	}
	s.recallKeys(ctx)
	s.cur, s.fold, s.evidenceSeq, s.talked, s.prompted = rec.Session, rec.Fold, rec.Evidence, rec.Talked, rec.Prompted
	s.delivery.Restore(rec.Delivery, rec.First)
	s.turn, s.given, s.draftOf = rec.Turn, rec.Given, rec.DraftOf
	if s.cur.KeptDraft != "" {
		s.delivery.RestoreDraft(draftTx(s.draftOf))
	}
	s.cur.Plain = spec.Runs() // rows of older versions lack it
	s.takeRun()
	s.fold.Managed = adapter.Managed()
	name := s.cur.Name
	for n := 2; ; n++ {
		err := r.add(s, s.cur.Name)
		if err == nil {
			break
		}
		if api.CodeOf(err) != api.CodeConflict {
			return err
		}
		s.cur.Name = fmt.Sprintf("%s-%d", name, n)
	}
	if s.spec.Name != s.cur.Name || s.spec.Role != s.cur.Role {
		s.spec.Name, s.spec.Role = s.cur.Name, s.cur.Role
		s.tellAll(func(v *shared) { v.stale = true })
	}
	var linking bool
	if err := s.do(ctx, func() { linking = s.takeOver(known) }); err != nil || !linking {
		return err
	}
	err = s.caughtUp(ctx)
	_ = s.do(ctx, func() {
		// The earlier daemon began to end it and died.
		switch {
		case s.fold.State.Stopped():
		case s.fold.Killed:
			s.beginEnd(false, r.o.Config().KillGrace)
		case s.fold.Parking && s.fold.State == api.StateExiting:
			s.endParking(s.host)
		default:
			s.putBackDraft()
		}
	})
	if rec.First != "" {
		s.delivery.SendFirst(rec.First)
	}
	return err
}

// recallKeys loads the idempotency keys of earlier events; before the actor runs.
func (s *session) recallKeys(ctx context.Context) {
	keys, err := s.r.o.Store.Keys(ctx, s.id)
	if err != nil {
		s.r.log.Warn("cannot read which hook calls are known", "session", s.id, "error", err)
	}
	for i := len(keys) - 1; i >= 0; i-- {
		s.seenKeys.add(keys[i])
	}
}

// errNothing: the directory belongs to no session.
var errNothing = errors.New("nothing is known of it")

// recall combines the store's record with the files.
func recall(dir, id string, data []byte) (rec record, spec launch.Spec, err error) {
	known := len(data) > 0 && json.Unmarshal(data, &rec) == nil && rec.Session.ID == id
	specErr := adopt.ReadJSON(filepath.Join(dir, launch.SpecFile), &spec)
	hf, hostErr := adopt.ReadHost(dir)
	switch {
	case adopt.Passing(specErr), adopt.Passing(hostErr):
		return rec, spec, errors.Join(specErr, hostErr)
	case specErr != nil && !known && hostErr != nil:
		return rec, spec, errNothing
	case specErr == nil:
		spec.RecallSecrets(hf)
	default:
		spec = launch.Spec{ID: id, Name: id, Agent: config.CommandAgent, Kind: agents.KindGeneric, CWD: hf.Spec.CWD, Env: hf.Spec.Env,
			Cols: hf.Spec.Cols, Rows: hf.Spec.Rows, Scrollback: hf.Spec.Scrollback, Created: time.Now().UTC()}
		if argv := hf.Spec.Argv; len(argv) > 0 {
			spec.Command, spec.Args, spec.Custom = argv[0], argv[1:], true
		}
		if known {
			spec.Name, spec.Agent, spec.CWD, spec.Created = rec.Session.Name, rec.Session.Agent, rec.Session.CWD, rec.Session.Created
			if argv := rec.Session.Argv; len(argv) > 0 {
				spec.Command, spec.Args = argv[0], argv[1:]
			}
		}
	}
	if !known {
		rec = record{Session: api.Session{ID: id, Name: spec.Name, Agent: spec.Agent, Model: spec.Model, ChosenModel: spec.Model, Args: spec.Given, Account: spec.Account, ResumeAfterLimit: spec.Resume, Priority: spec.Priority, CWD: spec.CWD, Cols: spec.Cols,
			Rows: spec.Rows, Created: spec.Created, State: api.StateStarting, Since: spec.Created, Argv: hf.Spec.Argv}}
		rec.Fold = state.NewFold(true, spec.Created)
		if hostErr != nil {
			// The session never had a host: the daemon died while making it.
			return rec, spec, errNothing
		}
		if a, ok := adapters.Lookup(spec.Kind); ok && !a.Managed() {
			rec.Fold = state.NewFold(false, spec.Created).Apply(api.Evidence{Source: api.SourceProcess, At: spec.Created, Name: state.EvidenceStarted})
			rec.Session.State = rec.Fold.State
		}
	}
	// What was acknowledged is in the record; session.json may be older, if the disk was full.
	rec.Session.Name = cmp.Or(rec.Session.Name, spec.Name)
	rec.Session.Role = cmp.Or(rec.Session.Role, spec.Role)
	rec.Session.Beside = cmp.Or(rec.Session.Beside, spec.Beside)
	if !known {
		if rec.First, err = delivery.ReadFirst(dir); err != nil {
			return rec, spec, err
		}
	}
	return rec, spec, nil
}

// takeOver finds out what became of the session; in the actor. It reports whether it
// connects to a host. known: the store has a record of the session.
func (s *session) takeOver(known bool) (linking bool) {
	wasEnded := s.fold.State.Stopped()
	hf, hostErr := adopt.ReadHost(s.dir)
	if hostErr == nil && hf.ChildPID == 0 { // the host was about to start the process
		adopt.Probe(hf.Socket) // it answers once it has
		hf, hostErr = adopt.ReadHost(s.dir)
	}
	// Checked before the exit record is read: a host writes the record before it ends, so
	// that one that is gone now has left it, or never will.
	alive := hostErr == nil && proc.Alive(hf.PID, hf.Start)
	final, finalErr := adopt.ReadFinal(s.dir)
	s.host, s.cur.Launch = hf, launchOf(hf)
	s.noteHost(hf.PID, hf.Start)
	if !known {
		// The daemon that started it died before it could save that.
		if s.cur.Argv == nil {
			s.cur.Argv = hf.Spec.Argv
		}
		e := s.createdEvent(api.EventSessionCreated, "created: ")
		e.StateFrom, e.StateTo = s.fold.State, s.fold.State
		s.publish(change{event: e}, true)
	}
	s.drain()
	switch {
	case adopt.Passing(hostErr), adopt.Passing(finalErr):
		s.r.log.Error("whether a session's host runs is not known; the next daemon looks again", "session", s.id, "error", errors.Join(hostErr, finalErr))
	case finalErr == nil:
		if s.cur.Argv == nil {
			s.cur.Argv = hf.Spec.Argv
		}
		s.finish(final)
	case alive:
		if wasEnded {
			// The host was restarted, and the daemon died before saving that.
			s.reset(s.r.now())
			s.cur.Argv = hf.Spec.Argv
			s.begun(api.EventSessionStarted, "restarted: ")
		}
		s.connectHost(hf)
		linking = true
	case wasEnded:
	case hostErr == nil:
		s.hostDied(hf)
	default:
		s.lost("its host left no trace; `ccdir restart` begins again")
	}
	if !linking {
		// An end that the last daemon told is no change, but the journal has no value of the
		// session yet, and the store may have lost it.
		<-s.publish(change{}, true)
	}
	if s.fold.State.Ended() {
		s.forgetSecrets() // an earlier daemon may have died before it did
	}
	return linking
}

// caughtUp waits, at most adoptTime, for the evidence that the host has collected.
func (s *session) caughtUp(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, adoptTime)
	defer cancel()
	if l, err := s.linked(ctx); err == nil {
		// The host sends its evidence before the answer to a request.
		_ = l.Call(ctx, wire.MethodPing, nil, nil)
	}
	var done <-chan error
	err := s.do(s.ctx, func() {
		if !s.fold.State.Stopped() {
			done = s.publish(s.plain(api.EventSessionAdopted, fmt.Sprintf("taken over from host %d", s.host.PID)), true)
		}
	})
	if done != nil {
		<-done
	}
	return err
}

// KeepFiles writes the files of running sessions again whose directory somebody removed, so
// that the next daemon can adopt their hosts, and each session.json that could not be written
// when it changed. It returns how many directories it restored. It costs one look at a file per
// session.
func (r *Registry) KeepFiles(ctx context.Context) (restored int, err error) {
	for _, s := range r.all() {
		if s.seen().stale {
			var failed error
			if err := s.do(ctx, func() { failed = s.rewrite() }); err != nil {
				return restored, err
			}
			err = errors.Join(err, failed)
		}
		if !s.filesRemoved() {
			continue
		}
		var done bool
		var failed error
		if err := s.do(ctx, func() { done, failed = s.restoreFiles() }); err != nil {
			return restored, err
		}
		if done {
			restored++
		}
		err = errors.Join(err, failed)
	}
	return restored, err
}

// rewrite writes the files again that could not be written; in the actor.
func (s *session) rewrite() error {
	if s.fold.State.Ended() {
		s.forgetSecrets()
	}
	if _, err := os.Lstat(s.dir); errors.Is(err, fs.ErrNotExist) {
		return nil // somebody removed it: restoreFiles makes it again if there is a process
	}
	return s.saveSpec()
}

// filesRemoved reports whether the session's directory has no host.json.
func (s *session) filesRemoved() bool {
	_, err := os.Lstat(filepath.Join(s.dir, paths.HostFile))
	return errors.Is(err, fs.ErrNotExist)
}

// restoreFiles writes the files by which a daemon adopts a running host; in the actor. done
// is false if there is no such host, or the files are there again.
func (s *session) restoreFiles() (done bool, err error) {
	if s.outside || s.fold.State.Stopped() || !proc.Alive(s.host.PID, s.host.Start) || !s.filesRemoved() {
		return false, nil
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return false, err
	}
	err = s.saveSpec()
	err = errors.Join(err, atomicfile.Write(filepath.Join(s.dir, paths.TokenFile), []byte(s.seen().token)))
	err = errors.Join(err, s.r.saveLoss(s.dir, s.onLoss(s.spec.CWD)))
	if err == nil { // last: it makes the directory that of a running session
		err = adopt.WriteJSON(filepath.Join(s.dir, paths.HostFile), s.host)
	}
	return err == nil, err
}
