package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"ccdir/api"
	"ccdir/daemon/store"
	"ccdir/orchestrator"
)

// stepLog makes exactly one event of each step of a task. A step is saved in the
// transaction of its task, appended to the journal, and deleted by a later transaction
// once its event is durable. The next daemon appends the steps that a killed one left,
// unless the journal knows the key of the event.
type stepLog struct {
	store   Store
	journal Journal
	log     *slog.Logger
	// saved are the steps of the last commit; first is the number of the first one.
	saved []api.Event
	first int64
	// logged: the events up to that number are durable. waiting are the later ones.
	logged  int64
	waiting []waitingStep
}

type waitingStep struct {
	id      int64
	session string
	done    <-chan error
	// failed: the journal could not save it yet, and retries by itself.
	failed bool
}

// stepKey is the key of the event of a step.
func stepKey(id int64) string { return "step:" + strconv.FormatInt(id, 10) }

// replay appends the steps that the previous daemon left.
func (l *stepLog) replay(ctx context.Context) error {
	ids, steps, err := l.store.TaskSteps(ctx)
	if err != nil {
		return err
	}
	for i, data := range steps {
		var e api.Event
		if err := json.Unmarshal(data, &e); err != nil {
			l.log.Error("a step of a task cannot be read", "error", err)
			continue
		}
		known, err := l.journal.KnownKey(ctx, e.Session, stepKey(ids[i]))
		if err != nil {
			return err
		}
		if !known {
			l.append(ids[i], e, api.WatchMessage{})
		}
	}
	for i := range l.waiting {
		l.waiting[i].failed = <-l.waiting[i].done != nil
	}
	if len(l.waiting) == 0 && len(ids) > 0 {
		l.logged = ids[len(ids)-1]
	}
	return nil
}

func (l *stepLog) append(id int64, e api.Event, msg api.WatchMessage) {
	msg.Event = &e
	l.waiting = append(l.waiting, waitingStep{id: id, session: e.Session, done: l.journal.Append(msg, nil, stepKey(id))})
}

// settle returns the number up to which all events are durable now.
func (l *stepLog) settle() int64 {
	for len(l.waiting) > 0 {
		w := &l.waiting[0]
		if w.failed {
			known, err := l.journal.KnownKey(context.Background(), w.session, stepKey(w.id))
			if err != nil || !known {
				return l.logged
			}
		} else {
			select {
			case err := <-w.done:
				if w.failed = err != nil; w.failed {
					continue
				}
			default:
				return l.logged
			}
		}
		l.logged = w.id
		l.waiting = l.waiting[1:]
	}
	return l.logged
}

// CommitTasks implements orchestrator.Store.
func (q *Queue) CommitTasks(rows []orchestrator.Row, settings []byte, steps []orchestrator.Transition) error {
	out := make([]store.TaskRow, 0, len(rows))
	for _, r := range rows {
		out = append(out, store.TaskRow{ID: r.ID, State: r.State, Seq: r.Seq, Record: r.Record, Text: r.Text})
	}
	events := make([]api.Event, 0, len(steps))
	saved := make([][]byte, 0, len(steps))
	for _, s := range steps {
		e := stepEvent(q.now(), s)
		data, err := json.Marshal(e)
		if err != nil {
			return err
		}
		events, saved = append(events, e), append(saved, data)
	}
	last, err := q.o.Store.CommitTasks(out, settings, saved, q.steps.settle())
	if err != nil {
		return err
	}
	q.pause(PauseSaved)
	q.steps.saved, q.steps.first = events, last-int64(len(events))+1
	return nil
}

// PauseSaved is the point (Options.Pause) after a change of the queue was saved and before
// it is published or has effects.
const PauseSaved = "task-saved"

// published publishes changed tasks with the events of their steps.
func (q *Queue) published(p orchestrator.Published) {
	q.panes.know(p.Limits, p.Panes)
	values := make(map[string]api.Task, len(p.Tasks))
	for _, task := range p.Tasks {
		values[task.ID] = task.Brief()
	}
	left := make(map[string]int, len(values))
	for _, s := range p.Steps {
		left[s.Task]++
	}
	queue := p.Queue
	for i, s := range p.Steps {
		msg := api.WatchMessage{}
		if left[s.Task]--; left[s.Task] == 0 {
			if v, ok := values[s.Task]; ok {
				msg.Task = &v
				delete(values, s.Task)
			}
		}
		q.steps.append(q.steps.first+int64(i), q.steps.saved[i], msg)
	}
	for _, v := range values {
		q.o.Journal.Append(api.WatchMessage{Task: &v}, nil, "")
	}
	for _, id := range p.Gone {
		q.o.Journal.Append(api.WatchMessage{TaskGone: id}, nil, "")
	}
	q.o.Journal.Append(api.WatchMessage{Queue: &queue}, nil, "")
}

// stepEvent makes the event of a step.
func stepEvent(at time.Time, s orchestrator.Transition) api.Event {
	e := api.Event{At: at, Session: s.Session, Type: s.Note, Source: "daemon"}
	switch {
	case s.Task == "":
		e.Message = s.Reason
	case s.From == "":
		e.Message = fmt.Sprintf("task %s is %s", s.Task, s.To)
	case s.From == s.To:
		e.Message = fmt.Sprintf("task %s: %s", s.Task, s.Reason)
	default:
		e.Message = fmt.Sprintf("task %s: %s → %s", s.Task, s.From, s.To)
		if s.Reason != "" {
			e.Message += " (" + s.Reason + ")"
		}
	}
	e.Data, _ = json.Marshal(api.TaskStep{Task: s.Task, From: s.From, To: s.To, Reason: s.Reason}) // cannot fail: strings only
	return e
}
