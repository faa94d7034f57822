package daemon

import (
	"context"
	"slices"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/orchestrator"
	"ccdir/wire"
)

// retain forgets ended tasks beyond the configured number and age, until ctx
// ends.
func (t *tasks) retain(ctx context.Context) {
	tick := t.d.alarms.NewTicker(pruneEvery)
	defer tick.Stop()
	for {
		cfg := t.d.config.Load().Queue
		list, err := t.queue.Tasks(ctx)
		if err != nil {
			return // it ends
		}
		if old := outdated(list, cfg.Kept, cfg.MaxAge, time.Now()); len(old) > 0 {
			if _, err := t.queue.Command(ctx, orchestrator.Forget{Tasks: old}); err != nil && ctx.Err() == nil {
				t.d.log.Error("cannot forget old tasks", "error", err)
			}
		}
		if err := t.d.pruneArchive(); err != nil && ctx.Err() == nil {
			t.d.log.Error("cannot delete old transcripts", "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// pruneArchive deletes the transcripts beyond the configured number and age.
func (d *daemon) pruneArchive() error {
	cfg := d.config.Load().Queue
	var oldest time.Time
	if cfg.MaxAge > 0 {
		oldest = time.Now().Add(-cfg.MaxAge)
	}
	return d.store.PruneArchive(cfg.Kept, oldest)
}

// outdated are the ended tasks that are too many or too old.
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

// Logs returns what the last attempt of a task wrote.
func (t *tasks) Logs(ctx context.Context, ref string) (l api.TaskLogs, err error) {
	task, err := t.queue.Task(ctx, ref)
	if err != nil {
		return l, err
	}
	l = api.TaskLogs{Task: task.ID, Session: task.Session}
	if task.Session == "" {
		return l, nil
	}
	if task.Kind != api.TaskPrint {
		out, err := t.d.registry.Buffer(ctx, task.Session, wire.OutputParams{Format: wire.FormatText, Scrollback: true})
		l.Screen = out.Text
		if api.CodeOf(err) == api.CodeNotFound { // its session was removed
			past, archived := t.d.store.Transcript(ctx, task.Session)
			l.Screen, err = stripStyles(past.ANSI), archived
		}
		return l, err
	}
	stdout, stderr, err := t.printed(ctx, task)
	l.Stdout, l.Stderr = string(stdout), string(stderr)
	return l, err
}

// printed is what the last attempt of a print task wrote so far.
func (t *tasks) printed(ctx context.Context, task api.Task) (stdout, stderr []byte, err error) {
	stdout, stderr, err = t.d.store.Output(ctx, task.ID)
	if err != nil {
		return nil, nil, err
	}
	if stdout == nil && stderr == nil || !task.State.Ended() {
		if out, errs, err := t.d.registry.Printed(task.Session); err == nil {
			stdout, stderr = out, errs
		}
	}
	return stdout, stderr, nil
}

// withOutput adds the end of what a print task wrote to its result.
func (t *tasks) withOutput(ctx context.Context, task api.Task, err error) (api.Task, error) {
	if err != nil || task.Kind != api.TaskPrint || task.Session == "" {
		return task, err
	}
	stdout, stderr, err := t.printed(ctx, task)
	if err != nil {
		return task, err
	}
	tail := func(b []byte) string {
		return strings.ToValidUTF8(string(b[max(0, len(b)-api.MaxResultOutput):]), "")
	}
	task.Result.Stdout, task.Result.Stderr = tail(stdout), tail(stderr)
	return task, nil
}
