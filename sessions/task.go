package sessions

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/internal/disk/atomicfile"
	"ccdir/internal/disk/paths"
	"ccdir/sessions/launch"
	"ccdir/sessions/state"
	"ccdir/wire"
)

// TaskSession is the present state of a task's session.
type TaskSession struct {
	Session api.Session
	Run     launch.TaskRun
	// Dir is the session's directory.
	Dir string
	// Delivery is the id of the last prompt that this process acknowledged, "" before the
	// first; Taken is when. In print mode it is "print" once the agent has taken its
	// prompt.
	Delivery string
	Taken    time.Time
	// Idle is since when the agent has been at its prompt, by settled evidence after Taken;
	// zero if it is not.
	Idle time.Time
	// Ended is when the turn ended (print mode: or the conversation), by a hook after
	// Taken; zero before.
	Ended time.Time
	// Reply is the agent's last message; Failure is the kind of error that ended the turn,
	// "" for none.
	Reply, Failure string
	// Background counts the activities that the turn left running. Owed: some of them have
	// ended, so that their report will start another turn.
	Background int
	Owed       bool
	// Transcript is the agent's file of the conversation; "" if unknown.
	Transcript string
}

// CreateTask starts the session of a task's attempt, or returns the existing one.
func (r *Registry) CreateTask(ctx context.Context, n api.NewSession, run launch.TaskRun) (api.Session, error) {
	if s := r.ofTask(run.Task, run.Attempt); s != nil {
		return s.value(ctx)
	}
	return r.createFor(ctx, n, &run)
}

// ofTask returns the session of an attempt; nil if there is none.
func (r *Registry) ofTask(task string, attempt int) *session {
	for _, s := range r.all() {
		if run := s.spec.Run; run != nil && run.Task == task && run.Attempt == attempt {
			return s
		}
	}
	return nil
}

// TaskSessions returns the sessions of all tasks.
func (r *Registry) TaskSessions(ctx context.Context) []TaskSession {
	var list []TaskSession
	for _, s := range r.all() {
		if s.spec.Run == nil {
			continue
		}
		if t, err := r.TaskSession(ctx, s.id); err == nil {
			list = append(list, t)
		}
	}
	return list
}

// TaskSession returns the state of one task's session.
func (r *Registry) TaskSession(ctx context.Context, id string) (t TaskSession, err error) {
	s, err := r.find(id)
	if err != nil {
		return t, err
	}
	if s.spec.Run == nil {
		return t, api.Errorf(api.CodeConflict, "session %s belongs to no task", id)
	}
	err = s.do(ctx, func() { t = s.taskSession() })
	return t, err
}

// taskSession is TaskSession in the actor.
func (s *session) taskSession() TaskSession {
	t := TaskSession{Session: s.cur, Run: *s.spec.Run, Dir: s.dir}
	f := s.turn
	if f == nil {
		return t
	}
	t.Delivery, t.Taken, t.Transcript = f.Delivery, f.Taken, f.Transcript
	if !f.Taken.IsZero() {
		t.Ended, t.Reply, t.Failure = f.Ended, f.Reply, f.Failure
	}
	t.Background = f.Tasks
	if s.fold.Status != "" {
		t.Background = len(s.fold.Background) // the program status reports each end
		t.Owed = !f.Ended.IsZero() && f.Tasks > t.Background
	}
	if s.fold.State == api.StateIdle && !f.Taken.IsZero() && s.fold.Pending == nil {
		t.Idle = s.fold.Since
	}
	return t
}

// takeRun applies the session's task; in the actor, or before it runs.
func (s *session) takeRun() {
	run := s.spec.Run
	if run == nil {
		return
	}
	s.cur.Task = run.Task
	if s.turn == nil {
		s.turn = &state.TurnFacts{}
	}
}

// acknowledge tells the delivery of evidence, and the turn facts of the prompt that it
// acknowledges; in the actor, after the fold. It reports whether there is one.
func (s *session) acknowledge(e api.Evidence, from api.State, prompt string) bool {
	id, met := s.delivery.Acknowledge(e, from, prompt)
	if met && s.turn != nil {
		f := s.turn.Begun(id, e.At)
		s.turn = &f
	}
	return met
}

// noteTurn updates the turn facts from a hook; in the actor, after the fold. It reports
// whether they must be saved.
func (s *session) noteTurn(e api.Evidence, c change) bool {
	if s.turn == nil || e.Source != api.SourceHook || e.Fields["agent_id"] != "" {
		return false
	}
	f := s.turn.Note(e, s.spec.Run.Print, c.transcript, c.reply)
	if f == *s.turn {
		return false
	}
	s.turn = &f
	return true
}

// prepareRun has the adapter build the command line; for a print task that of its one-shot
// mode.
func (s *session) prepareRun(start agents.Start) (agents.Launch, error) {
	run := s.spec.Run
	if run == nil || !run.Print {
		return s.adapter.Prepare(start)
	}
	if run.Prompt == "" {
		return agents.Launch{}, api.Errorf(api.CodeConflict, "a one-shot run cannot be started again: add its task %s once more", run.Task)
	}
	printer, ok := s.adapter.(agents.Printer)
	if !ok {
		return agents.Launch{}, api.Errorf(api.CodeInvalid, "agent %q has no one-shot mode: use kind interactive", s.spec.Agent)
	}
	cmd, err := printer.PreparePrint(start, agents.Bounds{Turns: run.MaxTurns, Cost: run.MaxCost})
	if err != nil {
		return cmd, err
	}
	if cmd.Argv[0], err = agents.FindExecutable(cmd.Argv[0], s.spec.CWD, start.Env); err != nil {
		return cmd, noExecutable(s.spec, err)
	}
	job, err := json.Marshal(paths.PrintJob{Argv: cmd.Argv, Prompt: run.Prompt})
	if err != nil {
		return cmd, err
	}
	if err := atomicfile.Write(filepath.Join(s.dir, paths.PrintFile), job); err != nil {
		return cmd, err
	}
	run.Prompt = "" // it runs once
	cmd.Argv = []string{start.Shim, "print", s.dir}
	return cmd, nil
}

// Printed returns what the one-shot mode of a session's agent wrote, as far as it was kept.
func (r *Registry) Printed(ref string) (stdout, stderr []byte, err error) {
	s, err := r.find(ref)
	if err != nil {
		return nil, nil, err
	}
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join(s.dir, name))
		if err != nil {
			return nil // nothing was written yet
		}
		return data
	}
	return read(paths.PrintStdout), read(paths.PrintStderr), nil
}

// Life is the activity of a session, as its host counts it.
type Life struct {
	// Written is the number of bytes that the process has printed, Clients the number of
	// connections, the daemon's included.
	Written uint64
	Clients int
}

// Life asks a session's host for its counts.
func (r *Registry) Life(ctx context.Context, ref string) (Life, error) {
	s, err := r.paned(ref)
	if err != nil {
		return Life{}, err
	}
	var st wire.Stats
	err = s.request(ctx, wire.MethodStats, nil, &st)
	return Life{Written: st.Written, Clients: st.Clients}, err
}
