package sessions

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/internal/proc"
	"ccdir/sessions/launch"
	"ccdir/sessions/process"
	"ccdir/sessions/state"
	"ccdir/sessions/statusfile"
	"ccdir/wire"
)

// Orphans are processes that outlive their host. The kernel hangs up the terminal of a
// killed host, which ends most agents. An orphan gets HUP again, then TERM. If it survives
// both, it becomes a row of its own, which `ccdir kill` ends: it may be in the middle of
// something that only a person can judge. A restart of the session kills its orphans,
// because one conversation must not have two agents.

// orphan is the saved part of a row that shows an orphan.
type orphan struct {
	// Session is the id of the lost session, Kind its adapter.
	Session string `json:"session"`
	Kind    string `json:"kind"`
	// Env are the variables that locate the agent's own files.
	Env []string `json:"env,omitempty"`
}

// orphanEnv are the names in orphan.Env.
var orphanEnv = []string{"HOME", "CLAUDE_CONFIG_DIR"}

// hangupTime is how long a process may take to end after it lost its terminal (the kernel
// sent HUP).
const hangupTime = time.Second

// hostDied marks the session lost and looks after its orphans; in the actor.
func (s *session) hostDied(hf wire.HostFile) {
	if s.fold.State.Stopped() {
		return
	}
	os.Remove(hf.Socket) // its owner is dead
	before := s.fold
	s.lost(fmt.Sprintf("its host (pid %d) died without a word; `ccdir restart` begins again", hf.PID))
	s.lookAfter(hf, before)
}

// lookAfter ends the orphans of a dead host, or gives them rows. before is the fold before
// the loss; zero if unknown.
func (s *session) lookAfter(hf wire.HostFile, before state.Fold) {
	if s.orphansOf == hf.Start {
		return
	}
	s.orphansOf = hf.Start
	for _, p := range s.findOrphans(hf) {
		if s.r.row(outsideID(p.PID, p.Start)) != nil {
			continue // it has a row
		}
		s.r.wg.Go(func() {
			said := s.endOrphan(s.ctx, hf, p, before)
			if said == "" {
				return
			}
			s.post(func() {
				if s.fold.State == api.StateLost {
					s.publish(s.plain(api.EventSessionLost, said), false)
				}
			})
		})
	}
}

// findOrphans returns the running processes of a dead host: its child, and agents that a
// wrapper started, found by their session files and the token in their environment.
func (s *session) findOrphans(hf wire.HostFile) (list []process.Ref) {
	if child := (process.Ref{PID: hf.ChildPID, Start: hf.ChildStart, Group: true}); child.Alive() {
		list = append(list, child)
	}
	signs, ok := s.adapter.(agents.Signs)
	token := agents.Getenv(hf.Spec.Env, api.EnvToken)
	path := ""
	if ok && token != "" {
		path = signs.StatusFile(hf.Spec.Env, hf.ChildPID)
	}
	if path == "" {
		return list
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return list
	}
	for _, e := range entries {
		pid, ok := statusfile.PIDOf(e.Name())
		if !ok || pid == hf.ChildPID {
			continue
		}
		if own, ok := proc.Getenv(pid, api.EnvToken); !ok || own != token {
			continue
		}
		if start, err := proc.StartTime(pid); err == nil {
			list = append(list, process.Ref{PID: pid, Start: start})
		}
	}
	return list
}

// endOrphan asks an orphan to end: HUP, then TERM; if both fail, it gets a row. It returns
// a message for the event; "" if the daemon stops meanwhile (the next one continues).
func (s *session) endOrphan(ctx context.Context, hf wire.HostFile, p process.Ref, before state.Fold) string {
	grace := s.r.o.Config().KillGrace
	how := p.End(ctx, process.Step{Signal: 0, Wait: hangupTime}, process.Step{Signal: process.HUP, Wait: grace}, process.Step{Signal: process.TERM, Wait: hangupTime})
	switch {
	case how == 0:
		return fmt.Sprintf("its process (pid %d) ended with its terminal", p.PID)
	case how > 0:
		return fmt.Sprintf("its left-over process (pid %d) was ended", p.PID)
	case ctx.Err() != nil:
		return ""
	}
	row, err := s.r.orphanRow(s, hf, p, before)
	if err != nil {
		s.r.log.Error("a process that a host left cannot be shown", "session", s.id, "pid", p.PID, "error", err)
		return fmt.Sprintf("its process (pid %d) is left over and does not end: kill -9 %d does it", p.PID, p.PID)
	}
	return fmt.Sprintf("its process (pid %d) is left over and does not end: `ccdir kill %s` does it, and so does `ccdir restart`", p.PID, row)
}

// orphanRow makes the row of an orphan and returns its name.
func (r *Registry) orphanRow(lost *session, hf wire.HostFile, p process.Ref, before state.Fold) (string, error) {
	r.outsideMu.Lock()
	defer r.outsideMu.Unlock()
	id := outsideID(p.PID, p.Start)
	if s := r.row(id); s != nil {
		v, err := s.value(r.ctx)
		return v.Name, err
	}
	l := &orphan{Session: lost.id, Kind: lost.adapter.Kind()}
	for _, key := range orphanEnv {
		if v := agents.Getenv(hf.Spec.Env, key); v != "" {
			l.Env = append(l.Env, key+"="+v)
		}
	}
	var old api.Session
	if err := lost.do(r.ctx, func() { old = lost.cur }); err != nil {
		return "", err
	}
	now := r.now()
	s := r.newSession(id, launch.Spec{ID: id, Agent: old.Agent, Kind: l.Kind, Role: old.Role, CWD: old.CWD, Created: now}, lost.adapter)
	s.outside, s.orphan, s.process = true, l, p
	s.setRunning(true)
	s.fold, s.talked = orphanFold(before, lost.adapter.Managed(), now), true
	s.cur = api.Session{ID: id, Agent: old.Agent, State: s.fold.State, Since: s.fold.Since, Question: s.fold.Question,
		PID: p.PID, CWD: old.CWD, Created: now, External: true, LeftOf: lost.id, Conversation: old.Conversation, Prompt: old.Prompt, Role: old.Role}
	if err := r.addOutside(s, old.Name+"-left"); err != nil {
		return "", err
	}
	s.post(func() {
		s.publish(s.plain(api.EventSessionCreated, "left over from "+old.Name+", whose host died: pid "+strconv.Itoa(p.PID)), true)
	})
	r.followOutside(s)
	return s.cur.Name, nil
}

// orphanFold is the fold of a process that has lost its terminal.
func orphanFold(before state.Fold, managed bool, now time.Time) state.Fold {
	if before.State == "" || before.State == api.StateStarting || before.State.Ended() || before.Killed {
		f := state.NewFold(managed, now)
		f.State, f.Begun = api.StateIdle, true
		f.Rule, f.Reason = "left", "its host died, and no evidence came since"
		return f
	}
	// Without a terminal, title and program status report nothing any more.
	before.Status, before.Background, before.Pending, before.Titled = "", nil, nil, false
	return before
}

// row returns the session with that id, nil if there is none.
func (r *Registry) row(id string) *session {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sessions[id]
}

// heir returns the row that a lost session's hooks belong to; the session itself if it has
// no orphan with a row.
func (r *Registry) heir(s *session) *session {
	if s.seen().running {
		return s
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, row := range r.sessions {
		if row.orphan != nil && row.orphan.Session == s.id && row.seen().running {
			return row
		}
	}
	return s
}

// lookForOrphans looks after sessions that were lost before this daemon started: the
// earlier one may have died too.
func (r *Registry) lookForOrphans() {
	for _, s := range r.all() {
		if s.outside || s.seen().running {
			continue
		}
		_ = s.do(r.ctx, func() {
			if s.fold.State == api.StateLost && s.host.PID > 0 {
				s.lookAfter(s.host, state.Fold{})
			}
		})
	}
}

// endOrphans kills the orphans of a lost session before it is started again.
func (s *session) endOrphans(ctx context.Context) error {
	var list []process.Ref
	err := s.do(ctx, func() {
		if s.fold.State == api.StateLost && s.host.PID > 0 {
			list = s.findOrphans(s.host)
		}
	})
	if err != nil {
		return err
	}
	for _, p := range list {
		if p.End(ctx, process.Step{Signal: process.TERM, Wait: s.r.o.Config().KillGrace}, process.Step{Signal: process.KILL, Wait: killMargin}) < 0 {
			return api.Errorf(api.CodeConflict, "a process of its dead host (pid %d) does not end, and one conversation must not have two agents: end it (`kill -9 %[1]d`), then try again", p.PID)
		}
		if row := s.r.row(outsideID(p.PID, p.Start)); row != nil {
			s.r.outsideEnded(row)
		}
	}
	return nil
}

// killOutside ends an agent outside ccdir, if the caller confirms it.
func (r *Registry) killOutside(ctx context.Context, s *session, k api.Kill) (api.Session, error) {
	if !k.External && s.orphan == nil {
		return api.Session{}, api.Errorf(api.CodeConflict, "session %s was started outside ccdir and is ended where it runs, or by `ccdir kill --yes`", agents.Cut(s.id, 64))
	}
	var err error
	doErr := s.do(ctx, func() {
		if s.fold.State.Ended() {
			err = s.endedAlready()
			return
		}
		s.weigh(api.Evidence{Source: api.SourceDelivery, At: r.now(), Name: state.EvidenceKill, Says: api.StateExiting, Detail: "asked to end"}, change{})
	})
	if doErr != nil || err != nil {
		return api.Session{}, cmp.Or(doErr, err)
	}
	steps := []process.Step{{Signal: process.TERM, Wait: r.o.Config().KillGrace}, {Signal: process.KILL, Wait: killMargin}}
	if k.Force {
		steps = steps[1:]
	}
	// The kill goes on if the caller hangs up.
	if s.process.End(s.ctx, steps...) < 0 {
		return api.Session{}, api.Errorf(api.CodeTimeout, "process %d of session %s has not ended yet: look at what it waits for (`ps -fp %[1]d`), or try --force", s.process.PID, s.id)
	}
	r.outsideEnded(s)
	return s.value(ctx)
}
