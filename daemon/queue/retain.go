package queue

import (
	"context"
	"slices"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/orchestrator"
	"ccdir/wire"
)

// retainEvery is how often ended tasks are looked through.
const retainEvery = 6 * time.Hour

// retain deletes ended tasks beyond the configured number and age, until ctx ends.
func (q *Queue) retain(ctx context.Context) {
	tick := q.o.Alarms.NewTicker(retainEvery)
	defer tick.Stop()
	for {
		cfg := q.o.Config().Queue
		list, err := q.queue.Tasks(ctx)
		if err != nil {
			return // the queue has ended
		}
		if old := outdated(list, cfg.Kept, cfg.MaxAge, time.Now()); len(old) > 0 {
			if _, err := q.queue.Command(ctx, orchestrator.Forget{Tasks: old}); err != nil && ctx.Err() == nil {
				q.o.Logger.Error("cannot forget old tasks", "error", err)
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// outdated returns the ended tasks beyond a number and an age; 0: no bound.
func outdated(list []api.Task, kept int, age time.Duration, now time.Time) (ids []string) {
	list = slices.DeleteFunc(list, func(t api.Task) bool { return !t.State.Ended() })
	slices.SortFunc(list, func(a, b api.Task) int { return b.Ended.Compare(a.Ended) })
	for i, t := range list {
		if kept > 0 && i >= kept || age > 0 && now.Sub(t.Ended) > age {
			ids = append(ids, t.ID)
		}
	}
	return ids
}

// Logs returns the output of the last attempt of a task.
func (q *Queue) Logs(ctx context.Context, ref string) (l api.TaskLogs, err error) {
	task, err := q.queue.Task(ctx, ref)
	if err != nil {
		return l, err
	}
	l = api.TaskLogs{Task: task.ID, Session: task.Session}
	if task.Session == "" {
		return l, nil
	}
	if task.Kind != api.TaskPrint {
		out, err := q.o.Sessions.Buffer(ctx, task.Session, wire.OutputParams{Format: wire.FormatText, Scrollback: true})
		l.Screen = out.Text
		if api.CodeOf(err) == api.CodeNotFound { // its session was removed
			l.Screen, err = q.o.Archived(ctx, task.Session)
		}
		return l, err
	}
	stdout, stderr, err := q.printed(ctx, task)
	l.Stdout, l.Stderr = string(stdout), string(stderr)
	return l, err
}

// printed returns the output of the last attempt of a print task so far.
func (q *Queue) printed(ctx context.Context, task api.Task) (stdout, stderr []byte, err error) {
	stdout, stderr, err = q.o.Store.Output(ctx, task.ID)
	if err != nil {
		return nil, nil, err
	}
	if stdout == nil && stderr == nil || !task.State.Ended() {
		if out, errs, err := q.o.Sessions.Printed(task.Session); err == nil {
			stdout, stderr = out, errs
		}
	}
	return stdout, stderr, nil
}

// withOutput adds the end of a print task's output to its result.
func (q *Queue) withOutput(ctx context.Context, task api.Task, err error) (api.Task, error) {
	if err != nil || task.Kind != api.TaskPrint || task.Session == "" {
		return task, err
	}
	stdout, stderr, err := q.printed(ctx, task)
	if err != nil {
		return task, err
	}
	tail := func(b []byte) string {
		return strings.ToValidUTF8(string(b[max(0, len(b)-api.MaxResultOutput):]), "")
	}
	task.Result.Stdout, task.Result.Stderr = tail(stdout), tail(stderr)
	return task, nil
}
