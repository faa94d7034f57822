package journal

import (
	"cmp"
	"maps"
	"slices"

	"ccdir/api"
)

// publishTasks applies the parts of a message about tasks. The caller holds mu.
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

// Task returns a task as published.
func (l *Log) Task(id string) (api.Task, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t, ok := l.tasks[id]
	return t, ok
}

// LoadTasks sets the tasks and the queue of the start. Call it before the first Watch.
func (l *Log) LoadTasks(tasks []api.Task, queue api.Queue) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range tasks {
		l.tasks[t.ID] = t
	}
	l.queued = &queue
}

// listTasks returns the tasks of a snapshot: the open ones in the order of the queue,
// then the ended ones, newest first. The caller holds mu.
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
		queued := func(t api.Task) int { // running tasks come first
			if t.State == api.TaskQueued {
				return 1
			}
			return 0
		}
		return cmp.Or(cmp.Compare(queued(a), queued(b)), cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.ID, b.ID))
	})
	return list[:min(len(list), api.MaxWatchTasks)]
}
