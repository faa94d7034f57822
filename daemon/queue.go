package daemon

import (
	"context"
	"time"

	"ccdir/config"
	"ccdir/daemon/history"
	"ccdir/daemon/idle"
	"ccdir/daemon/intake"
	"ccdir/daemon/queue"
	"ccdir/internal/contain"
)

// openQueue starts the queue on top of store, journal and registry.
func (d *daemon) openQueue(ctx context.Context) (*queue.Queue, error) {
	return queue.Open(ctx, queue.Options{
		Store: d.store, Journal: d.events, Sessions: d.registry, Config: d.config.Load,
		SessionDir: d.o.Paths.SessionDir, Alarms: d.alarms, Times: d.o.TaskTimes, Pause: d.o.Pause, Logger: d.log,
		CheckTree: d.repositories.Check, Limits: d.limits.Add, Windows: d.limits.Windows, Spent: d.spent, Cost: d.costs.Known, ReadOn: d.readOn,
		Archived: func(ctx context.Context, session string) (string, error) {
			t, err := d.store.Transcript(ctx, session)
			return history.PlainText(t.ANSI), err
		},
	})
}

// idle returns what parks and ends sessions that nobody uses.
func (d *daemon) idle() *idle.Keeper {
	return idle.New(idle.Options{Sessions: d.registry, Journal: d.events, Processes: d.processUse,
		Config: func() config.Config { return d.config.Load().Config }, Alarms: d.alarms, Logger: d.log})
}

// openIntake opens what makes work come in by itself, and what events start.
func (d *daemon) openIntake(ctx context.Context) (err error) {
	if d.schedules, err = d.openSchedules(ctx); err != nil {
		return err
	}
	if d.reactions, err = d.openReactions(ctx); err != nil {
		return err
	}
	d.watches, err = d.openWatches(ctx)
	return err
}

// runIntake runs it until ctx ends.
func (d *daemon) runIntake(ctx context.Context) {
	running := contain.Group{Log: d.log}
	running.Keep(ctx, d.schedules.Run)
	running.Keep(ctx, d.reactions.Run)
	running.Keep(ctx, d.watches.Run)
	running.Keep(ctx, d.waysOut().Run)
	running.Wait()
}

// workChanged has the queue, and what makes work come in, follow the configuration.
func (d *daemon) workChanged() {
	d.tasks.LookAnew()
	d.schedules.Changed()
	d.reactions.Changed()
	d.watches.Changed()
}

// openSchedules reads the schedules.
func (d *daemon) openSchedules(ctx context.Context) (*intake.Schedules, error) {
	return intake.Open(ctx, intake.Options{
		Store: d.store, Tasks: d.tasks, Prompts: d.pending, Sessions: d.registry, Journal: d.events, Config: d.config.Load, Env: d.o.Env,
		Now: time.Now, Local: time.Local, Alarms: d.alarms, Pause: d.pause, Logger: d.log,
	})
}

// openReactions reads how far the commands that events start had come.
func (d *daemon) openReactions(ctx context.Context) (*intake.Reactions, error) {
	return intake.OpenReactions(ctx, intake.ReactionOptions{
		Store: d.store, Log: d.events, Task: d.tasks.Lookup, Config: d.config.Load, Env: d.o.Env, Dir: d.o.Home, Now: time.Now, Pause: d.pause, Logger: d.log,
	})
}

// openWatches reads what watches took.
func (d *daemon) openWatches(ctx context.Context) (*intake.Watches, error) {
	return intake.OpenWatches(ctx, intake.WatchOptions{
		Store: d.store, Tasks: d.tasks, Journal: d.events, Outward: d.enforcer.Outward, Walls: d.registry.NeedsWalls, Config: d.config.Load, Env: d.o.Env, Now: time.Now, Local: time.Local, Pause: d.pause, Logger: d.log,
	})
}

// waysOut carry out what follows the last step of tasks with pull requests.
func (d *daemon) waysOut() *intake.WaysOut {
	return intake.NewWaysOut(intake.WayOptions{
		Tasks: d.tasks, Journal: d.events, Session: d.events.Session, Sessions: d.registry, Trees: d.repositories, Pulled: d.watches.Pulled, Env: d.o.Env, Every: d.o.PullEvery, Pause: d.pause, Logger: d.log,
	})
}

// newHistory makes the archive of ended sessions and tasks.
func (d *daemon) newHistory() *history.History {
	o := history.Options{
		Store: d.store, Sessions: d.registry, Tasks: d.tasks, Journal: d.events, Config: d.config.Load,
		Conversations: func() history.Conversations { return d.conversations },
		SessionDir:    d.o.Paths.SessionDir, Alarms: d.alarms, Logger: d.log,
	}
	if d.said != nil {
		o.Said, o.Indexed = d.said, func() (done, all int) { return d.indexer.Progress() }
	}
	return history.New(o)
}

// taskRuns reports whether the task of a session has not ended (sessions.Options.TaskRuns).
func (d *daemon) taskRuns(session string) bool {
	s, known := d.events.Session(session)
	if !known || s.Task == "" {
		return false
	}
	task, known := d.events.Task(s.Task)
	return known && !task.State.Ended()
}
