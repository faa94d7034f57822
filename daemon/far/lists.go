package far

import (
	"context"
	"time"

	"ccdir/api"
	"ccdir/client/machines"
	"ccdir/web"
)

// ownQueue is this machine's.
type ownQueue interface{ web.Queue }

// joinedQueue has the tasks of the nodes beside those of this machine, as NODE/ID.
type joinedQueue struct {
	ownQueue
	far *Far
}

// Tasks implements web.Queue.
func (q joinedQueue) Tasks(ctx context.Context) ([]api.Task, error) {
	list, err := q.ownQueue.Tasks(ctx)
	return append(list, q.far.tasks()...), err
}

// Task implements web.Queue.
func (q joinedQueue) Task(ctx context.Context, ref string) (api.Task, error) {
	if !elsewhere(ref) {
		return q.ownQueue.Task(ctx, ref)
	}
	return on(ctx, q.far, ref, func(ctx context.Context, ms *machines.Client) (api.Task, error) { return ms.Task(ctx, ref) })
}

// Add implements web.Queue.
func (q joinedQueue) Add(ctx context.Context, list []api.NewTask) ([]api.Task, error) {
	if len(list) == 0 || list[0].Node == "" {
		return q.ownQueue.Add(ctx, list)
	}
	return on(ctx, q.far, list[0].Node+"/", func(ctx context.Context, ms *machines.Client) ([]api.Task, error) { return ms.AddTasks(ctx, list) })
}

// Start implements web.Queue.
func (q joinedQueue) Start(ctx context.Context, ref string) (api.Task, error) {
	if !elsewhere(ref) {
		return q.ownQueue.Start(ctx, ref)
	}
	return on(ctx, q.far, ref, func(ctx context.Context, ms *machines.Client) (api.Task, error) { return ms.StartTask(ctx, ref) })
}

// Cancel implements web.Queue.
func (q joinedQueue) Cancel(ctx context.Context, ref string) (api.Task, error) {
	if !elsewhere(ref) {
		return q.ownQueue.Cancel(ctx, ref)
	}
	return on(ctx, q.far, ref, func(ctx context.Context, ms *machines.Client) (api.Task, error) { return ms.CancelTask(ctx, ref) })
}

type joinedTrees struct {
	web.Trees
	far *Far
}

// List implements web.Trees. All that are known are those of all machines that answer.
func (t joinedTrees) List(ctx context.Context, dir string, sizes bool) ([]api.Worktree, error) {
	own, err := t.Trees.List(ctx, dir, sizes)
	ms := t.far.all()
	if err != nil || ms == nil || dir != "" {
		return own, err
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	all, _, err := ms.AllWorktrees(ctx)
	if err != nil {
		return own, nil //nolint:nilerr // those of this machine are better than none
	}
	for _, w := range all {
		if w.Node != "" {
			own = append(own, w)
		}
	}
	return own, nil
}

type joinedUsage struct {
	web.Usage
	far *Far
}

// Windows implements web.Usage.
func (u joinedUsage) Windows() []api.UsageWindow {
	own := u.Usage.Windows()
	u.far.mu.Lock()
	defer u.far.mu.Unlock()
	if u.far.now == nil {
		return own
	}
	return append(own, u.far.now.limits...)
}

// Usage implements web.Nodes.
func (f *Far) Usage(ctx context.Context, node string, by api.UsageBy, since time.Time) (api.Usage, error) {
	return on(ctx, f, node+"/", func(ctx context.Context, ms *machines.Client) (api.Usage, error) {
		return ms.UsageOf(ctx, node, by, since)
	})
}

type joinedPast struct {
	web.Past
	far *Far
}

// Search implements web.Past, on all machines that answer.
func (p joinedPast) Search(ctx context.Context, text string, limit int) ([]api.SearchHit, error) {
	if ms := p.far.all(); ms != nil {
		far, cancel := context.WithTimeout(ctx, callTime)
		defer cancel()
		if hits, err := ms.Search(far, text, limit); err == nil {
			return hits, nil
		}
	}
	return p.Past.Search(ctx, text, limit)
}
