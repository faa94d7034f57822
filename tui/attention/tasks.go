package attention

import (
	"fmt"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/attention/notify"
	"ccdir/tui/ui"
)

// maxTasks bounds the notices of tasks at once.
const maxTasks = 20

// Tasks tells of tasks that need somebody since the last news: here, and, to a person who
// looks elsewhere, as it is told of sessions. What a task's pane asks is told of the pane.
// env has the tasks as they were; nil in changed is one that was forgotten.
func (s *State) Tasks(env ui.Env, how Notify, changed map[string]*api.Task) (effects []ui.Effect) {
	before := map[string]api.Task{}
	for _, t := range env.Work.Tasks {
		before[t.ID] = t
	}
	for id, t := range changed {
		old, known := before[id]
		if t == nil || !known {
			continue
		}
		if event, what := taskEvent(env, old, *t); event != "" {
			effects = append(effects, s.task(how, event, *t, what))
		}
	}
	return effects
}

// taskEvent is the event to notify of for a change of a task, and its text; "" for none.
func taskEvent(env ui.Env, old, t api.Task) (event, what string) {
	entered := t.State != old.State
	switch {
	case t.Stalled && !old.Stalled:
		return "question", "stalls"
	case entered && t.State == api.TaskWaiting && !asks(env, t.Session):
		return "question", "waits"
	case entered && t.State == api.TaskFailed:
		return "failed", "failed"
	case entered && t.State == api.TaskTimedOut:
		return "failed", "ran out of time"
	}
	return "", ""
}

// asks reports whether a session asks something itself.
func asks(env ui.Env, session string) bool {
	v := env.Session(session)
	return v != nil && env.Waits(*v)
}

func (s *State) task(how Notify, event string, t api.Task, what string) ui.Effect {
	text := what + ": " + textsafe.Line(t.Reason)
	if len(how.Ways[event]) > 0 && len(s.tasks) < maxTasks {
		s.tasks = append(s.tasks, notify.Message{Key: fmt.Sprintf("%s/%s/%d/%d", t.ID, event, t.Attempt, t.Since.UnixNano()),
			Event: event, Session: t.Session, Name: "task " + t.ID, Text: text})
	}
	return ui.Warn{Text: "task " + t.ID + " " + text}
}

// takeTasks are what is to be told of tasks elsewhere: nothing to somebody who has it
// before their eyes.
func (s *State) takeTasks(env ui.Env) []notify.Message {
	due := s.tasks
	s.tasks = nil
	if s.present(env) {
		return nil
	}
	return due
}
