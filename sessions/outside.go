package sessions

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/internal/proc"
	"ccdir/sessions/launch"
	"ccdir/sessions/state"
	"ccdir/wire"
)

// Sessions outside ccdir: agents that a person started elsewhere and whose
// settings hold our hooks. Their rows have state and events and no pane. They are
// kept over a restart of the daemon: the id is made of the process, so that a row
// is that of the process that runs or of one that has ended. What hooks do not
// tell (Esc, a crash) is seen in the agent's own session file and by its process.

const (
	// maxOutside bounds the rows of running agents, outsideKept those of ended
	// ones (short calls of the agent leave one each).
	maxOutside  = 64
	outsideKept = 8
	// outsideLook is how often it is looked whether the processes still run;
	// the end of a process that is not ours sends no event.
	outsideLook = time.Second
)

// ExternalHook takes a hook call of an agent outside ccdir: pid is the agent's
// process. The first one of a process makes its row. It never holds permission
// requests. A call whose id was seen before changes nothing.
func (r *Registry) ExternalHook(ctx context.Context, pid int, hookName, hookID string, at time.Time, payload []byte) error {
	adapter, _ := agents.Lookup(agents.KindClaude)
	h, err := adapter.DecodeHook(hookName, clampTime(at, r.now()), payload)
	if err != nil {
		return &api.Error{Code: api.CodeInvalid, Message: err.Error()}
	}
	start, err := proc.StartTime(pid)
	if err != nil {
		return api.Errorf(api.CodeInvalid, "the hook's process %d does not run", pid)
	}
	s, err := r.outsideSession(pid, start, h, adapter)
	if err != nil || h.Skip {
		return err
	}
	return s.commit(ctx, func() (<-chan error, error) { return s.hook(h, hookID), nil })
}

// outsideSession finds or makes the row of a process.
func (r *Registry) outsideSession(pid int, start string, h agents.Hook, adapter agents.Adapter) (*session, error) {
	r.outsideMu.Lock()
	defer r.outsideMu.Unlock()
	id := outsideID(pid, start)
	running := 0
	for _, s := range r.all() {
		if s.id == id {
			return s, nil
		}
		if s.outside && s.orphan == nil && s.running.Load() {
			running++
		}
	}
	if running >= maxOutside {
		return nil, api.Errorf(api.CodeLimit, "%d agents outside ccdir are shown already", maxOutside)
	}
	now := h.Evidence.At
	s := r.newSession(id, launch.Spec{ID: id, Agent: agents.KindClaude, Kind: agents.KindClaude, CWD: h.CWD, Created: now}, adapter)
	s.outside, s.transcript, s.process = true, h.Transcript, processRef{pid: pid, start: start}
	s.running.Store(true)
	s.fold = state.NewFold(true, now)
	s.cur = api.Session{ID: id, Agent: agents.KindClaude, State: s.fold.State, Since: s.fold.Since, PID: pid,
		CWD: h.CWD, Created: now, External: true}
	if err := r.addOutside(s, r.freeName(outsideName)); err != nil {
		return nil, err
	}
	s.post(func() {
		s.publish(s.plain(api.EventSessionCreated, "seen outside ccdir: claude, pid "+strconv.Itoa(pid)), true)
	})
	r.followOutside(s)
	return s, nil
}

// outsideName begins the names of rows.
const outsideName = "outside"

// addOutside registers a row under that name, or under one that is free.
func (r *Registry) addOutside(s *session, name string) error {
	for {
		s.cur.Name = name
		err := r.add(s, name)
		if err == nil || api.CodeOf(err) != api.CodeConflict {
			return err
		}
		name = r.freeName(strings.TrimRight(name, "-0123456789"))
	}
}

// followOutside watches the process until it ends.
func (r *Registry) followOutside(s *session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.wg.Add(1)
		go r.watchOutside(s)
	}
}

// adoptOutside takes over the row of an agent outside; false if data is none.
func (r *Registry) adoptOutside(id string, data []byte) bool {
	var rec record
	if json.Unmarshal(data, &rec) != nil || !rec.Session.External || rec.Session.ID != id {
		return false
	}
	v := rec.Session
	kind := agents.KindClaude
	if rec.Left != nil {
		kind = rec.Left.Kind
	}
	adapter, ok := agents.Lookup(kind)
	if !ok {
		return false
	}
	s := r.newSession(id, launch.Spec{ID: id, Agent: v.Agent, Kind: kind, Role: v.Role, CWD: v.CWD, Created: v.Created}, adapter)
	s.outside, s.transcript, s.orphan = true, rec.Transcript, rec.Left
	s.cur, s.fold, s.talked = v, rec.Fold, rec.Talked
	s.recallKeys(r.ctx)
	start, err := proc.StartTime(v.PID)
	if err != nil || outsideID(v.PID, start) != id {
		start = "" // another process has its number by now, or none
	}
	s.process = processRef{v.PID, start, rec.Left != nil}
	if r.addOutside(s, s.cur.Name) != nil {
		return true // the daemon is going
	}
	ended := rec.Fold.State.Ended()
	s.running.Store(!ended)
	// Shown as it was, and waited for: whoever lists the sessions sees it at once.
	var shown <-chan error
	_ = s.do(s.ctx, func() { shown = s.publish(change{}, true) })
	_ = wait(s.ctx, shown)
	switch {
	case ended:
	case start == "":
		r.outsideEnded(s)
	default:
		r.followOutside(s)
	}
	return true
}

// configOf is the agent's configuration directory, as a conversation's place
// tells it: CONFIG/projects/DIRECTORY/ID.jsonl.
func configOf(transcript string) string {
	projects := filepath.Dir(filepath.Dir(transcript))
	if !filepath.IsAbs(transcript) || filepath.Base(projects) != "projects" {
		return ""
	}
	return filepath.Dir(projects)
}

// outsideID is the same for a process on every daemon.
func outsideID(pid int, start string) string {
	sum := sha256.Sum256([]byte(strconv.Itoa(pid) + " " + start))
	return idOf(func(i, n int) int { return int(sum[i]) % n })
}

// watchOutside tells the end of a process outside.
func (r *Registry) watchOutside(s *session) {
	defer r.wg.Done()
	ctx, stop := context.WithCancel(s.ctx)
	defer stop()
	hf := wire.HostFile{ChildPID: s.process.pid, ChildStart: s.process.start}
	if s.orphan != nil {
		hf.Spec.Env = s.orphan.Env
	} else if config := configOf(s.transcript); config != "" {
		hf.Spec.Env = []string{"CLAUDE_CONFIG_DIR=" + config}
	}
	if len(hf.Spec.Env) > 0 {
		r.wg.Go(func() { s.watchStatus(ctx, hf) })
	}
	tick := r.o.Alarms.NewTicker(outsideLook)
	defer tick.Stop()
	for s.process.alive() {
		select {
		case <-tick.C:
		case <-s.ctx.Done():
			return
		}
	}
	stop()
	r.outsideEnded(s)
	r.pruneOutside(s.ctx)
}

// outsideEnded records the end of an agent outside, once.
func (r *Registry) outsideEnded(s *session) {
	_ = s.do(s.ctx, func() {
		s.running.Store(false)
		if s.fold.State.Ended() {
			return
		}
		const message = "its process has ended"
		s.weigh(api.Evidence{Source: api.SourceProcess, At: r.now(), Name: state.EvidenceExit, Says: api.StateExited, Detail: message},
			change{event: &api.Event{Type: api.EventSessionExited, Source: "daemon", Message: message},
				set: func(v *api.Session) { v.PID = 0 }})
	})
}

// pruneOutside removes the rows that ended first, beyond outsideKept.
func (r *Registry) pruneOutside(ctx context.Context) {
	for {
		var oldest string
		var since time.Time
		count := 0
		for _, s := range r.all() {
			if !s.outside || s.running.Load() {
				continue
			}
			v, err := s.value(ctx)
			if err != nil {
				continue
			}
			if count++; oldest == "" || v.Since.Before(since) {
				oldest, since = v.ID, v.Since
			}
		}
		if count <= outsideKept || r.Remove(ctx, oldest) != nil {
			return
		}
	}
}

// paned is find for what needs a pane.
func (r *Registry) paned(ref string) (*session, error) {
	s, err := r.find(ref)
	switch {
	case err != nil || !s.outside:
		return s, err
	case s.orphan != nil:
		return nil, api.Errorf(api.CodeConflict, "session %s is left over from a host that died and has no pane: `ccdir restart %s` ends it and goes on", cut(s.id, 64), s.orphan.Session)
	}
	return nil, api.Errorf(api.CodeConflict, "session %s was started outside ccdir and has no pane here: it is used where it runs", cut(s.id, 64))
}
