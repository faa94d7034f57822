package tui

import (
	"slices"

	"ccdir/api"
	"ccdir/tui/ui"
)

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
	switch {
	case m.Queue == nil:
	case m.Queue.Node == "":
		n.queue = m.Queue
	case n.queues == nil:
		n.queues = map[string]api.Queue{m.Queue.Node: *m.Queue}
	default:
		n.queues[m.Queue.Node] = *m.Queue
	}
}

// takeTasks lays news of tasks into the model.
func (k *known) takeTasks(n news) {
	if n.snapshot == nil && n.tasks == nil && n.queue == nil && n.queues == nil {
		return
	}
	next := k.Work
	if n.snapshot != nil {
		next = ui.Work{Tasks: slices.Clone(n.snapshot.Tasks), Queue: n.snapshot.Queue}
		for _, q := range n.snapshot.Queues {
			next = next.With(q)
		}
	}
	if n.queue != nil {
		next.Queue = n.queue
	}
	for _, q := range n.queues {
		next = next.With(q)
	}
	if len(n.tasks) > 0 {
		kept := make([]api.Task, 0, len(next.Tasks)+len(n.tasks))
		for _, t := range next.Tasks {
			if _, changed := n.tasks[t.ID]; !changed {
				kept = append(kept, t)
			}
		}
		for _, t := range n.tasks {
			if t != nil {
				kept = append(kept, *t)
			}
		}
		next.Tasks = kept
	}
	slices.SortFunc(next.Tasks, ui.CompareTasks)
	next.Tasks = next.Tasks[:min(len(next.Tasks), api.MaxWatchTasks)]
	k.Work = next
}
