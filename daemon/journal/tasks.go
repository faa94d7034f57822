package journal

import (
	"cmp"
	"maps"
	"slices"

	"ccdir/api"
)

// publishTasks takes what a message says of tasks; the caller holds mu.
func (l *Log) publishTasks(msg *api.WatchMessage) {
	if msg.Task != nil {
		l.tasks[msg.Task.ID] = *msg.Task
	}
	if msg.TaskGone != "" {
		delete(l.tasks, msg.TaskGone)
	}
	if msg.Queue != nil {
		l.queued = msg.Queue
	}
}

// Task returns a task as it was published last.
func (l *Log) Task(id string) (api.Task, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t, ok := l.tasks[id]
	return t, ok
}

// LoadTasks sets the tasks and the queue as they are at the start, before
// anybody watches.
func (l *Log) LoadTasks(tasks []api.Task, queue api.Queue) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range tasks {
		l.tasks[t.ID] = t
	}
	l.queued = &queue
}

// listTasks is the tasks of a snapshot; the caller holds mu. Those that have not
// ended come in the order of the queue, then the ended ones, newest first.
func (l *Log) listTasks() []api.Task {
	list := slices.SortedFunc(maps.Values(l.tasks), func(a, b api.Task) int {
		switch x, y := a.State.Ended(), b.State.Ended(); {
		case x != y && y:
			return -1
		case x != y:
			return 1
		case x:
			return cmp.Or(b.Ended.Compare(a.Ended), cmp.Compare(b.ID, a.ID))
		}
		held := func(t api.Task) int { // what runs comes first
			if t.State == api.TaskQueued {
				return 1
			}
			return 0
		}
		return cmp.Or(cmp.Compare(held(a), held(b)), cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.ID, b.ID))
	})
	return list[:min(len(list), api.MaxWatchTasks)]
}
