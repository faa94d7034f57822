package queue

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"ccdir/api"
	"ccdir/orchestrator"
	"ccdir/sessions/launch"
)

// worker carries out the queue's effects on sessions.
type worker struct{ *Queue }

// Points at which tests stop the daemon (Options.Pause).
const (
	PauseStart   = "task-start"   // the start of an attempt is saved; no session yet
	PauseStarted = "task-started" // its session runs; not reported yet
	PauseTaken   = "task-taken"   // the agent took the prompt; not reported yet
	PauseEnd     = "task-end"     // the end of the task is saved; its session still runs
)

// promptID is the id of a prompt's delivery, the same for every retry.
func promptID(ref orchestrator.Ref, step int) string {
	return fmt.Sprintf("%s-%d-%d", ref.Task, ref.Attempt, step)
}

// Do implements orchestrator.Sessions.
func (s worker) Do(ctx context.Context, e orchestrator.Effect, task orchestrator.Record, report func(orchestrator.Event)) {
	switch e.Kind {
	case orchestrator.DoStart:
		s.start(ctx, e, task, report)
	case orchestrator.DoDeliver:
		if task.Kind != api.TaskPrint { // a print task got its prompt at the start
			s.deliver(ctx, e, promptID(e.Ref, e.Step), report)
		}
	case orchestrator.DoEnd:
		s.end(ctx, e, report)
	case orchestrator.DoGoOn:
		s.panes.goOn(ctx, e, report)
	case orchestrator.DoInterrupt:
		s.interrupt(ctx, e, task, report)
	}
}

// Adopt implements orchestrator.Sessions.
func (s worker) Adopt(ctx context.Context, f orchestrator.Found, report func(orchestrator.Event)) {
	s.follow(ctx, f.Ref, f.Session, report)
}

func (s worker) start(ctx context.Context, e orchestrator.Effect, task orchestrator.Record, report func(orchestrator.Event)) {
	s.pause(PauseStart)
	n := api.NewSession{Name: sessionName(task.Task), Agent: task.Agent, Model: task.Model, Args: task.Args, Role: task.Role, Sandbox: task.Sandbox, CWD: task.CWD, Env: s.envs.get(task.Env), Resume: e.Resume}
	n.Worktree, n.Base = task.Branch(), task.Base
	n.Account = cmp.Or(task.Account, api.AccountDefault) // the queue has chosen
	run := launch.TaskRun{Task: e.Task, Attempt: e.Attempt, MaxTurns: task.MaxTurns, MaxCost: task.MaxCost}
	if task.Kind == api.TaskPrint {
		run.Print, run.Prompt = true, e.Text
	}
	// A stop of the daemon does not interrupt the start.
	session, err := s.o.Sessions.CreateTask(context.WithoutCancel(ctx), n, run)
	if api.CodeOf(err) == api.CodeConflict { // the name is taken
		n.Name = ""
		session, err = s.o.Sessions.CreateTask(context.WithoutCancel(ctx), n, run)
	}
	if err != nil {
		if ctx.Err() == nil {
			report(orchestrator.Failed{Ref: e.Ref, Kind: startFailure(err), Reason: err.Error()})
		}
		return
	}
	s.noteFiles(ctx, session)
	s.pause(PauseStarted)
	of, _ := s.o.Sessions.TaskSession(ctx, session.ID) // it may have gone already
	report(orchestrator.Started{Ref: e.Ref, Session: session.ID, Conversation: session.Conversation, Setup: of.Run.Setup, CWD: session.CWD, Sandbox: session.Walls()})
	s.follow(ctx, e.Ref, session.ID, report)
}

// maxSessionName bounds the name of a session, in characters.
const maxSessionName = 64

// sessionName is the name of a task's session: the task's name or id, and the number of a
// further attempt.
func sessionName(t api.Task) string {
	name := cmp.Or(t.Name, t.ID)
	if t.Attempt > 1 {
		attempt := fmt.Sprintf("-%d", t.Attempt)
		name = name[:min(len(name), maxSessionName-len(attempt))] + attempt // names of tasks are ASCII
	}
	return name
}

func startFailure(err error) orchestrator.FailureKind {
	switch api.CodeOf(err) {
	case api.CodeLimit, api.CodeUnavailable:
		return orchestrator.FailCapacity
	case api.CodeInvalid, api.CodeNoAgent, api.CodeTooLarge:
		return orchestrator.FailInvalid
	}
	return orchestrator.FailTask
}

func (s worker) deliver(ctx context.Context, e orchestrator.Effect, id string, report func(orchestrator.Event)) {
	_, err := s.o.Sessions.Send(ctx, e.Session, api.SendPrompt{Text: e.Text, Wait: true, ID: id})
	if ctx.Err() != nil {
		return // the next daemon retries with the same id
	}
	s.pause(PauseTaken)
	switch {
	case err == nil:
		report(orchestrator.Delivered{Ref: e.Ref, Step: e.Step})
	case api.CodeOf(err) == api.CodeNotRunning || api.CodeOf(err) == api.CodeNotFound:
		// The session's follower reports its end.
	default:
		report(orchestrator.Failed{Ref: e.Ref, Kind: orchestrator.FailTask, Reason: err.Error()})
	}
}

// interrupt ends the turn by Escape and delivers the stall prompt. The delivery's id has
// the time of the last progress, so that a stall has one delivery. An agent that has not
// answered yet discards the first prompt at Escape: then both are delivered together.
func (s worker) interrupt(ctx context.Context, e orchestrator.Effect, task orchestrator.Record, report func(orchestrator.Event)) {
	if session, err := s.o.Sessions.TaskSession(ctx, e.Session); err == nil {
		if turns, _ := (&usage{}).read(session.Transcript, session.Taken); turns == 0 {
			e.Text = task.CurrentPrompt() + "\n\n" + e.Text
		}
	}
	if err := s.o.Sessions.Input(ctx, e.Session, api.RawInput{Keys: []string{"Escape"}}); err != nil {
		s.o.Logger.Warn("a stalled task cannot be interrupted", "task", e.Task, "error", err)
		return
	}
	s.deliver(ctx, e, fmt.Sprintf("%s-%d", promptID(e.Ref, e.Step), task.Progress.Unix()), report)
}

// end ends the session of an attempt. The session's follower reports the exit.
func (s worker) end(ctx context.Context, e orchestrator.Effect, report func(orchestrator.Event)) {
	if e.Session == "" {
		return // it is starting: the orchestrator ends it when the start is reported
	}
	s.pause(PauseEnd)
	_, err := s.o.Sessions.Kill(ctx, e.Session, api.Kill{})
	switch {
	case err == nil, ctx.Err() != nil:
	case errors.Is(err, context.DeadlineExceeded), api.CodeOf(err) == api.CodeTimeout:
		if _, err = s.o.Sessions.Kill(ctx, e.Session, api.Kill{Force: true}); err != nil {
			s.o.Logger.Error("the session of a task does not end", "task", e.Task, "session", e.Session, "error", err)
		}
	case api.CodeOf(err) == api.CodeNotFound:
		report(orchestrator.Exited{Ref: e.Ref, Reason: "its session was removed"})
	}
}
