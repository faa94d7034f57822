package known

import (
	"slices"

	"ccdir/api"
	"ccdir/tui/ui"
)

// TakeTasks lays news of tasks into the copy.
func (k *Known) TakeTasks(n News) {
	if n.Snapshot == nil && n.Tasks == nil && n.Queue == nil && n.Queues == nil {
		return
	}
	next := k.Work
	if n.Snapshot != nil {
		next = ui.Work{Tasks: slices.Clone(n.Snapshot.Tasks), Queue: n.Snapshot.Queue}
		for _, q := range n.Snapshot.Queues {
			next = next.With(q)
		}
	}
	if n.Queue != nil {
		next.Queue = n.Queue
	}
	for _, q := range n.Queues {
		next = next.With(q)
	}
	if len(n.Tasks) > 0 {
		kept := make([]api.Task, 0, len(next.Tasks)+len(n.Tasks))
		for _, t := range next.Tasks {
			if _, changed := n.Tasks[t.ID]; !changed {
				kept = append(kept, t)
			}
		}
		for _, t := range n.Tasks {
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
