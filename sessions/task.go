package sessions

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/internal/disk/atomicfile"
	"ccdir/internal/disk/paths"
	"ccdir/sessions/launch"
	"ccdir/sessions/state"
	"ccdir/wire"
)

// TaskSession is a session of a task as it is now.
type TaskSession struct {
	Session api.Session
	Run     launch.TaskRun
	// Dir is the session's directory.
	Dir string
	// Delivery is the id of the last prompt that was delivered and acknowledged
	// since the process began, "" before any; Taken is when. In print mode it is
	// "print" once the agent told that it took the prompt.
	Delivery string
	Taken    time.Time
	// Idle: the agent is at its prompt since then, by settled evidence, after
	// Taken; zero otherwise.
	Idle time.Time
	// Ended is when the hook that ends a turn (print mode: or the conversation)
	// came after Taken; zero before.
	Ended time.Time
	// Reply is the agent's last message, Failure the kind of error that ended
	// the turn ("" if none did), as the hook told.
	Reply, Failure string
	// Background counts what the agent left running behind its turn. Owed: the turn
	// left more than still runs, so that a report of what has ended is to come, which
	// starts another turn.
	Background int
	Owed       bool
	// Transcript is the agent's own file of the conversation, "" if not told.
	Transcript string
}

// turnFacts are the part of a TaskSession that is saved with the session. A
// value is replaced, never changed.
type turnFacts struct {
	Delivery   string    `json:"delivery,omitempty"`
	Taken      time.Time `json:"taken,omitzero"`
	Ended      time.Time `json:"ended,omitzero"`
	Reply      string    `json:"reply,omitempty"`
	Failure    string    `json:"failure,omitempty"`
	Tasks      int       `json:"tasks,omitempty"`
	PromptID   string    `json:"prompt_id,omitempty"`
	Transcript string    `json:"transcript,omitempty"`
}

// begun is what is known of the turn that a prompt began at that time: its end, if the
// hook of the end came first, as it does when that of the prompt has to go by the spool.
func (f turnFacts) begun(delivery string, at time.Time) *turnFacts {
	if !f.Ended.After(at) {
		f = turnFacts{}
	}
	f.Delivery, f.Taken = delivery, at
	return &f
}

// printDelivery stands for the prompt of a print task, which is not typed.
const printDelivery = "print"

// CreateTask starts the session of a task's attempt, or returns the one that
// there is already.
func (r *Registry) CreateTask(ctx context.Context, n api.NewSession, run launch.TaskRun) (api.Session, error) {
	if s := r.ofTask(run.Task, run.Attempt); s != nil {
		return s.value(ctx)
	}
	return r.createFor(ctx, n, &run)
}

// ofTask finds the session of an attempt.
func (r *Registry) ofTask(task string, attempt int) *session {
	for _, s := range r.all() {
		if run := s.spec.Run; run != nil && run.Task == task && run.Attempt == attempt {
			return s
		}
	}
	return nil
}

// TaskSessions lists the sessions of tasks.
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

// TaskSession tells how a session of a task stands.
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

// taskSession is in the actor.
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
		t.Background = len(s.fold.Background) // it tells when each of them ends
		t.Owed = !f.Ended.IsZero() && f.Tasks > t.Background
	}
	if s.fold.State == api.StateIdle && !f.Taken.IsZero() && s.fold.Pending == nil {
		t.Idle = s.fold.Since
	}
	return t
}

// takeRun sets what follows from the session's task; in the actor, or before it
// runs.
func (s *session) takeRun() {
	run := s.spec.Run
	if run == nil {
		return
	}
	s.cur.Task = run.Task
	if s.turn == nil {
		s.turn = &turnFacts{}
	}
}

// noteTurn remembers what a hook says of the turn of a task; in the actor,
// after the fold. It reports whether that has to be saved.
func (s *session) noteTurn(e api.Evidence, c change) bool {
	if s.turn == nil || e.Source != api.SourceHook || e.Fields["agent_id"] != "" {
		return false
	}
	f := *s.turn
	if c.transcript != "" {
		f.Transcript = c.transcript
	}
	switch e.Name {
	case "UserPromptSubmit":
		if f.Delivery == "" && s.spec.Run.Print {
			f.Delivery, f.Taken = printDelivery, e.At
		}
		if e.At.Before(f.Ended) {
			break // late, as what comes by the spool may be: the turn that it began is over
		}
		// Another turn begins, or goes on: what ended before does not count.
		f.Ended, f.Failure, f.PromptID = time.Time{}, "", e.Fields["prompt_id"]
	case "Stop", "StopFailure":
		if e.Fields[state.FieldContinued] != "" {
			break // the turn goes on
		}
		if id := e.Fields["prompt_id"]; id != "" && f.PromptID != "" && id != f.PromptID && e.At.Before(f.Taken) {
			return false // late, of a turn before
		}
		f.Ended, f.Reply, f.Failure = e.At, c.reply, ""
		if e.Name == "StopFailure" {
			if f.Failure = e.Fields["error"]; f.Failure == "" {
				f.Failure = "unknown"
			}
		}
		f.Tasks, _ = strconv.Atoi(e.Fields["background_tasks"])
	case "PostCompact", "SessionStart": // commands that end without a Stop
		if f.Ended.IsZero() && !f.Taken.IsZero() && (e.Name == "PostCompact" || e.Fields["source"] == "clear") {
			f.Ended = e.At
		}
	case "SessionEnd":
		if reason := e.Fields["reason"]; s.spec.Run.Print && f.Ended.IsZero() && reason != "clear" && reason != "resume" {
			f.Ended = e.At
		}
	}
	if f == *s.turn {
		return false
	}
	s.turn = &f
	return true
}

// prepareRun lets the adapter make the command line: that of its one-shot mode
// for a print task.
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
		return cmd, noExecutable(s.spec.Kind, err)
	}
	job, err := json.Marshal(paths.PrintJob{Argv: cmd.Argv, Prompt: run.Prompt})
	if err != nil {
		return cmd, err
	}
	if err := atomicfile.Write(filepath.Join(s.dir, paths.PrintFile), job); err != nil {
		return cmd, err
	}
	run.Prompt = "" // it is run once
	cmd.Argv = []string{start.Shim, "print", s.dir}
	return cmd, nil
}

// Printed reads what the one-shot mode of a session's agent wrote, as far as it
// was kept.
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

// Life is what a session's host counts.
type Life struct {
	// Written is how many bytes the process has printed, Clients how many are
	// connected, the daemon among them.
	Written uint64
	Clients int
}

// Life asks a session's host.
func (r *Registry) Life(ctx context.Context, ref string) (Life, error) {
	s, err := r.paned(ref)
	if err != nil {
		return Life{}, err
	}
	var st wire.Stats
	err = s.request(ctx, wire.MethodStats, nil, &st)
	return Life{Written: st.Written, Clients: st.Clients}, err
}
