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
	"ccdir/agents/adapters"
	"ccdir/api"
	"ccdir/internal/proc"
	"ccdir/sessions/launch"
	"ccdir/sessions/process"
	"ccdir/sessions/state"
	"ccdir/wire"
)

// Sessions outside ccdir are agents that a person started elsewhere and whose settings
// contain our hooks. Their rows have state and events, but no pane. The id is derived from
// the process, so that rows survive restarts of the daemon. Their hooks report neither Esc
// nor a crash; the agent's session file and its process do.

const (
	// maxOutside bounds the rows of running agents, outsideKept those of ended ones (each
	// short call of the agent leaves one).
	maxOutside  = 64
	outsideKept = 8
	// outsideLook is the interval between checks that a process runs: the end of a foreign
	// process sends no event.
	outsideLook = time.Second
)

// ExternalHook takes a hook call of an agent outside ccdir; pid is the agent's process. A
// process's first call makes its row. Permission requests are never held. A call with a
// known id changes nothing.
func (r *Registry) ExternalHook(ctx context.Context, pid int, hookName, hookID string, at time.Time, payload []byte) error {
	adapter, _ := adapters.Lookup(agents.KindClaude)
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

// outsideSession returns the row of a process, and makes it if needed.
func (r *Registry) outsideSession(pid int, start string, h agents.Hook, adapter agents.Adapter) (*session, error) {
	r.outsideMu.Lock()
	defer r.outsideMu.Unlock()
	id := outsideID(pid, start)
	running := 0
	for _, s := range r.all() {
		if s.id == id {
			return s, nil
		}
		if s.outside && s.orphan == nil && s.seen().running {
			running++
		}
	}
	if running >= maxOutside {
		return nil, api.Errorf(api.CodeLimit, "%d agents outside ccdir are shown already", maxOutside)
	}
	now := h.Evidence.At
	s := r.newSession(id, launch.Spec{ID: id, Agent: agents.KindClaude, Kind: agents.KindClaude, CWD: h.CWD, Created: now}, adapter)
	s.outside, s.transcript, s.process = true, h.Transcript, process.Ref{PID: pid, Start: start}
	s.setRunning(true)
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

// outsideName begins the names of the rows.
const outsideName = "outside"

// addOutside registers a row under the name, or under a free one.
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
		r.wg.Go(func() { r.watchOutside(s) })
	}
}

// adoptOutside takes over a saved row; false if data is not a row of an agent outside.
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
	adapter, ok := adapters.Lookup(kind)
	if !ok {
		return false
	}
	s := r.newSession(id, launch.Spec{ID: id, Agent: v.Agent, Kind: kind, Role: v.Role, CWD: v.CWD, Created: v.Created}, adapter)
	s.outside, s.transcript, s.orphan = true, rec.Transcript, rec.Left
	s.cur, s.fold, s.talked = v, rec.Fold, rec.Talked
	s.recallKeys(r.ctx)
	start, err := proc.StartTime(v.PID)
	if err != nil || outsideID(v.PID, start) != id {
		start = "" // the pid is free, or another process has it
	}
	s.process = process.Ref{PID: v.PID, Start: start, Group: rec.Left != nil}
	ended := rec.Fold.State.Ended()
	s.setRunning(!ended)
	if r.addOutside(s, s.cur.Name) != nil {
		return true // the registry is closing
	}
	// Wait until the old value is visible: the first list of sessions must contain it.
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

// configOf returns the agent's configuration directory, given the path
// CONFIG/projects/DIRECTORY/ID.jsonl of a conversation; "" if the path has another form.
func configOf(transcript string) string {
	projects := filepath.Dir(filepath.Dir(transcript))
	if !filepath.IsAbs(transcript) || filepath.Base(projects) != "projects" {
		return ""
	}
	return filepath.Dir(projects)
}

// outsideID derives the id from the process: every daemon gives the same.
func outsideID(pid int, start string) string {
	sum := sha256.Sum256([]byte(strconv.Itoa(pid) + " " + start))
	return idOf(func(i, n int) int { return int(sum[i]) % n })
}

// watchOutside watches a process outside until it ends, and records the end.
func (r *Registry) watchOutside(s *session) {
	ctx, stop := context.WithCancel(s.ctx)
	defer stop()
	hf := wire.HostFile{ChildPID: s.process.PID, ChildStart: s.process.Start}
	if s.orphan != nil {
		hf.Spec.Env = s.orphan.Env
	} else if config := configOf(s.transcript); config != "" {
		hf.Spec.Env = []string{"CLAUDE_CONFIG_DIR=" + config}
	}
	if len(hf.Spec.Env) > 0 {
		r.wg.Keep(ctx, func(ctx context.Context) { s.watchStatus(ctx, hf) })
	}
	tick := r.o.Alarms.NewTicker(outsideLook)
	defer tick.Stop()
	for s.process.Alive() {
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
		s.setRunning(false)
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
			if !s.outside || s.seen().running {
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

// paned is find for calls that need a pane.
func (r *Registry) paned(ref string) (*session, error) {
	s, err := r.find(ref)
	switch {
	case err != nil || !s.outside:
		return s, err
	case s.orphan != nil:
		return nil, api.Errorf(api.CodeConflict, "session %s is left over from a host that died and has no pane: `ccdir restart %s` ends it and goes on", agents.Cut(s.id, 64), s.orphan.Session)
	}
	return nil, api.Errorf(api.CodeConflict, "session %s was started outside ccdir and has no pane here: it is used where it runs", agents.Cut(s.id, 64))
}
