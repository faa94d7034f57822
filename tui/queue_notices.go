package tui

import (
	"fmt"
	"time"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/attention/notify"
)

// maxTaskNotices bounds what is told of tasks at once.
const maxTaskNotices = 20

// tellTasks tells of tasks that need somebody since the last news: here, and, to a
// person who looks elsewhere, as it is told of sessions. What a task's pane asks is
// told of the pane.
func (m *model) tellTasks(changed map[string]*api.Task) {
	before := map[string]api.Task{}
	for _, t := range m.Work.Tasks {
		before[t.ID] = t
	}
	for id, t := range changed {
		old, known := before[id]
		if t == nil || !known {
			continue
		}
		entered := t.State != old.State
		switch {
		case t.Stalled && !old.Stalled:
			m.tellTask("question", *t, "stalls")
		case entered && t.State == api.TaskWaiting && !m.asks(t.Session):
			m.tellTask("question", *t, "waits")
		case entered && t.State == api.TaskFailed:
			m.tellTask("failed", *t, "failed")
		case entered && t.State == api.TaskTimedOut:
			m.tellTask("failed", *t, "ran out of time")
		}
	}
}

// asks reports whether a session asks something itself.
func (m *model) asks(session string) bool {
	v := m.session(session)
	return v != nil && m.waits(*v)
}

func (m *model) tellTask(event string, t api.Task, what string) {
	text := what + ": " + textsafe.Line(t.Reason)
	m.warn("task " + t.ID + " " + text)
	if len(m.opts.Notify.Ways[event]) > 0 && len(m.notices.tasks) < maxTaskNotices {
		m.notices.tasks = append(m.notices.tasks, notify.Message{Key: fmt.Sprintf("%s/%s/%d/%d", t.ID, event, t.Attempt, t.Since.UnixNano()),
			Event: event, Session: t.Session, Name: "task " + t.ID, Text: text})
	}
}

// taskNotices are what is to be told of tasks elsewhere: nothing to somebody who has
// it before their eyes.
func (m *model) taskNotices(now time.Time) []notify.Message {
	due := m.notices.tasks
	m.notices.tasks = nil
	if m.present(now) {
		return nil
	}
	return due
}
