package tui

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"ccdir/api"
)

// QueueClient is what the queue panel needs of the daemon. A Client that
// implements it too has the panel.
type QueueClient interface {
	AddTasks(ctx context.Context, list []api.NewTask) ([]api.Task, error)
	// Task returns a task with everything; ref is its id.
	Task(ctx context.Context, ref string) (api.Task, error)
	StartTask(ctx context.Context, ref string) (api.Task, error)
	CancelTask(ctx context.Context, ref string) (api.Task, error)
	// MoveTask puts a queued task before another, or last ("").
	MoveTask(ctx context.Context, ref, before string) (api.Task, error)
	ClearTasks(ctx context.Context) ([]api.Task, error)
	ChangeQueue(ctx context.Context, c api.QueueChange) (api.Queue, error)
}

// queueState is what is known of the queue: a value that scenes share.
type queueState struct {
	// tasks as the panel lists them: what runs, what is queued in its order, what
	// has ended, newest first.
	tasks []api.Task
	queue *api.Queue
}

// task takes what a message says of the queue.
func (n *news) task(m api.WatchMessage) {
	set := func(id string, t *api.Task) {
		if n.tasks == nil {
			n.tasks = map[string]*api.Task{}
		}
		n.tasks[id] = t
	}
	if m.Task != nil {
		set(m.Task.ID, m.Task)
	}
	if m.TaskGone != "" {
		set(m.TaskGone, nil)
	}
	if m.Queue != nil {
		n.queue = m.Queue
	}
}

// takeTasks lays news of tasks into the model.
func (m *model) takeTasks(n news) {
	if n.snapshot == nil && n.tasks == nil && n.queue == nil {
		return
	}
	next := m.work
	if n.snapshot != nil {
		next = queueState{tasks: slices.Clone(n.snapshot.Tasks), queue: n.snapshot.Queue}
	}
	if n.queue != nil {
		next.queue = n.queue
	}
	if len(n.tasks) > 0 {
		kept := make([]api.Task, 0, len(next.tasks)+len(n.tasks))
		for _, t := range next.tasks {
			if _, changed := n.tasks[t.ID]; !changed {
				kept = append(kept, t)
			}
		}
		for _, t := range n.tasks {
			if t != nil {
				kept = append(kept, *t)
			}
		}
		next.tasks = kept
	}
	slices.SortFunc(next.tasks, compareTasks)
	next.tasks = next.tasks[:min(len(next.tasks), api.MaxWatchTasks)]
	if n.snapshot == nil {
		m.tellTasks(n.tasks)
	}
	m.work = next
}

// taskGroup is a task's place in the panel: running, queued, ended.
func taskGroup(t api.Task) int {
	switch {
	case t.State.Ended():
		return 2
	case t.State == api.TaskQueued:
		return 1
	}
	return 0
}

func compareTasks(a, b api.Task) int {
	byGroup := cmp.Compare(taskGroup(a), taskGroup(b))
	if byGroup == 0 && a.State.Ended() {
		return cmp.Or(b.Ended.Compare(a.Ended), strings.Compare(b.ID, a.ID))
	}
	return cmp.Or(byGroup, cmp.Compare(a.Rank, b.Rank), strings.Compare(a.ID, b.ID))
}

// counts is the queue in the status line; "" if there is nothing to say.
func (q queueState) counts() string {
	if q.queue == nil {
		return ""
	}
	c := q.queue.Counts
	queued, running := c[api.TaskQueued], c[api.TaskStarting]+c[api.TaskRunning]
	if queued+running+c[api.TaskWaiting] == 0 {
		return ""
	}
	text := fmt.Sprintf("tasks %d▶ %d⋯", running, queued)
	if n := c[api.TaskWaiting]; n > 0 {
		text += fmt.Sprintf(" %d!", n)
	}
	if q.queue.Mode == api.QueuePaused {
		text += " paused"
	}
	return text
}

// batch is how far the tasks that were added together with t are; all is 1 for
// a task that was added alone.
func (q queueState) batch(t api.Task) (done, all int) {
	if t.Request == "" {
		return 0, 1
	}
	for _, other := range q.tasks {
		if other.Request == t.Request {
			all++
			if other.State.Ended() {
				done++
			}
		}
	}
	return done, all
}
