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
	if m.Queue != nil {
		n.queue = m.Queue
	}
}

// takeTasks lays news of tasks into the model.
func (m *model) takeTasks(n news) {
	if n.snapshot == nil && n.tasks == nil && n.queue == nil {
		return
	}
	next := m.Work
	if n.snapshot != nil {
		next = ui.Work{Tasks: slices.Clone(n.snapshot.Tasks), Queue: n.snapshot.Queue}
	}
	if n.queue != nil {
		next.Queue = n.queue
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
	if n.snapshot == nil {
		m.tellTasks(n.tasks)
	}
	m.Work = next
}
