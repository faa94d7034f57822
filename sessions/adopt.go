package sessions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"ccdir/agents"
	"ccdir/agents/adapters"
	"ccdir/api"
	"ccdir/config"
	"ccdir/internal/disk/paths"
	"ccdir/internal/proc"
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
		if base, gone := strings.CutSuffix(name, goneSuffix); gone && e.IsDir() && validID(base) {
			if err := restore(r.o.Paths.SessionDir(base)); err != nil {
				r.log.Warn("cannot remove a directory that was given up", "session", base, "error", err)
			}
			name = base
		}
		if e.IsDir() && validID(name) {
			ids[name] = true
		}
	}
	for _, id := range r.unlistedHosts(ids) {
		ids[id] = true
	}
	var wg sync.WaitGroup
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

// adopt takes over one session.
func (r *Registry) adopt(ctx context.Context, id string, data []byte) error {
	dir := r.o.Paths.SessionDir(id)
	rec, spec, err := recall(dir, id, data)
	known := len(data) > 0
	if errors.Is(err, errNothing) {
		// Left by a daemon that died before the session existed, or while its host was
		// starting.
		again, err := discard(dir)
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
	} else if hf, err := readHost(dir); err == nil { // the file was removed: its processes have it
		s.tellAll(func(v *shared) { v.token = agents.Getenv(hf.Spec.Env, api.EnvToken) })
	}
	s.recallKeys(ctx)
	s.cur, s.fold, s.evidenceSeq, s.talked, s.prompted = rec.Session, rec.Fold, rec.Evidence, rec.Talked, rec.Prompted
	s.delivery.Restore(rec.Delivery, rec.First)
	s.turn, s.given = rec.Turn, rec.Given
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
		s.spec.Name = s.cur.Name
	}
	var linking bool
	if err := s.do(ctx, func() { linking = s.takeOver(known) }); err != nil || !linking {
		return err
	}
	err = s.caughtUp(ctx)
	_ = s.do(ctx, func() {
		// The earlier daemon began to end it and died.
		if s.fold.Killed && !s.fold.State.Ended() {
			s.beginEnd(false, r.o.Config().KillGrace)
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
	specErr := readJSON(filepath.Join(dir, launch.SpecFile), &spec)
	hf, hostErr := readHost(dir)
	switch {
	case passing(specErr), passing(hostErr):
		return rec, spec, errors.Join(specErr, hostErr)
	case specErr != nil && !known && hostErr != nil:
		return rec, spec, errNothing
	case specErr == nil:
		recallSecrets(&spec, hf)
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
		rec = record{Session: api.Session{ID: id, Name: spec.Name, Agent: spec.Agent, Model: spec.Model, ChosenModel: spec.Model, Args: spec.Given, CWD: spec.CWD, Cols: spec.Cols,
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
	rec.Session.Name = spec.Name
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
	wasEnded := s.fold.State.Ended()
	hf, hostErr := readHost(s.dir)
	if hostErr == nil && hf.ChildPID == 0 { // the host was about to start the process
		probe(hf.Socket) // it answers once it has
		hf, hostErr = readHost(s.dir)
	}
	// Checked before the exit record is read: a host writes the record before it ends, so
	// that one that is gone now has left it, or never will.
	alive := hostErr == nil && proc.Alive(hf.PID, hf.Start)
	final, finalErr := readFinal(s.dir)
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
	var done <-chan error
	switch {
	case passing(hostErr), passing(finalErr):
		s.r.log.Error("whether a session's host runs is not known; the next daemon looks again", "session", s.id, "error", errors.Join(hostErr, finalErr))
	case finalErr == nil:
		if s.cur.Argv == nil {
			s.cur.Argv = hf.Spec.Argv
		}
		done = s.finish(final)
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
		done = s.lost("its host left no trace; `ccdir restart` begins again")
	}
	if done == nil && !linking {
		// Unchanged, but saved again in case the store had lost it.
		done = s.publish(change{}, true)
	}
	if done != nil {
		<-done
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
		if !s.fold.State.Ended() {
			done = s.publish(s.plain(api.EventSessionAdopted, fmt.Sprintf("taken over from host %d", s.host.PID)), true)
		}
	})
	if done != nil {
		<-done
	}
	return err
}
