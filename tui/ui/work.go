package ui

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ccdir/api"
)

// Work is the grid's copy of the queue.
type Work struct {
	// Tasks as the panel lists them: what runs, what is queued in its order, what
	// has ended, newest first.
	Tasks []api.Task
	Queue *api.Queue
	// Queues are those of other machines, by their names; replaced, never changed in place.
	Queues map[string]api.Queue
}

// NodeOf is the machine of a task's id, "" this one.
func NodeOf(id string) string {
	node, _, far := strings.Cut(id, "/")
	if !far {
		return ""
	}
	return node
}

// Of is the queue of a machine, "" this one; nil if it is not known.
func (q Work) Of(node string) *api.Queue {
	if node == "" {
		return q.Queue
	}
	if far, ok := q.Queues[node]; ok {
		return &far
	}
	return nil
}

// With is the work with a newer value of a machine's queue.
func (q Work) With(queue api.Queue) Work {
	if queue.Node == "" {
		q.Queue = &queue
		return q
	}
	all := maps.Clone(q.Queues)
	if all == nil {
		all = map[string]api.Queue{}
	}
	all[queue.Node] = queue
	q.Queues = all
	return q
}

// Counts are the queues of all machines in the status line; "" if there is nothing to say.
func (q Work) Counts() string {
	if q.Queue == nil {
		return ""
	}
	c := map[api.TaskState]int{}
	maps.Copy(c, q.Queue.Counts)
	for _, far := range q.Queues {
		for state, n := range far.Counts {
			c[state] += n
		}
	}
	queued, running := c[api.TaskQueued], c[api.TaskStarting]+c[api.TaskRunning]
	var parts []string
	if news := q.News().String(); news != "" {
		parts = append(parts, news)
	} else if queued+running+c[api.TaskWaiting] == 0 {
		return ""
	}
	for _, part := range []struct {
		n    int
		verb string
	}{{c[api.TaskWaiting], "asks"}, {running, "runs"}, {queued, "queued"}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.verb))
		}
	}
	if q.Queue.Mode == api.QueuePaused {
		parts = append(parts, "paused")
	}
	return "queue " + strings.Join(parts, ", ")
}

// News are the tasks that have ended since a person looked.
func (q Work) News() api.TaskNews { return api.News(q.Tasks) }

// Has reports whether the news of the queue have the session's task, so that the session is not
// counted besides.
func (q Work) Has(v api.Session) bool {
	return v.Task != "" && slices.ContainsFunc(q.Tasks, func(t api.Task) bool { return t.Unseen && t.ID == v.Task })
}

// Batch is how far the tasks that were added together with t are; all is 1 for
// a task that was added alone.
func (q Work) Batch(t api.Task) (done, all int) {
	if t.Request == "" {
		return 0, 1
	}
	for _, other := range q.Tasks {
		if other.Request == t.Request {
			all++
			if other.State.Ended() {
				done++
			}
		}
	}
	return done, all
}

// Neighbour is the task before which a queued one comes when it moves a place up or
// down in its machine's queue, "" is the end; false if there is no such place.
func (q Work) Neighbour(id string, by int) (before string, ok bool) {
	var queued []string
	at := -1
	for _, t := range q.Tasks {
		if t.State == api.TaskQueued && NodeOf(t.ID) == NodeOf(id) {
			if t.ID == id {
				at = len(queued)
			}
			queued = append(queued, t.ID)
		}
	}
	to := at + by
	switch {
	case at < 0 || to < 0 || to >= len(queued):
		return "", false
	case by < 0:
		return queued[to], true
	case to+1 < len(queued):
		return queued[to+1], true
	}
	return "", true
}

// TaskCounts are the tasks by state in words.
func TaskCounts(q api.Queue) string {
	var parts []string
	for _, st := range api.TaskStates() {
		if n := q.Counts[st]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, st.Word()))
		}
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// TaskGroup is a task's place in the panel: running, queued, ended.
func TaskGroup(t api.Task) int {
	switch {
	case t.State.Ended():
		return 2
	case t.State == api.TaskQueued:
		return 1
	}
	return 0
}

func CompareTasks(a, b api.Task) int {
	byGroup := cmp.Compare(TaskGroup(a), TaskGroup(b))
	if byGroup == 0 && a.State.Ended() {
		return cmp.Or(b.Ended.Compare(a.Ended), strings.Compare(b.ID, a.ID))
	}
	return cmp.Or(byGroup, cmp.Compare(a.Rank, b.Rank), strings.Compare(a.ID, b.ID))
}
