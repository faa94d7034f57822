package tui

import (
	"context"
	"maps"
	"slices"

	"ccdir/api"
	"ccdir/internal/keymap"
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

// Keys of the queue may come faster than the daemon answers: their calls are made one
// after the other, each worked out from what the ones before have made of the queue.

// mostQueueSteps bounds how many wait.
const mostQueueSteps = 64

// queueSteps are the calls under way. The program owns them; the zero value is none.
type queueSteps struct {
	busy    bool
	waiting []ui.QueueCall
	// tasks and queue are what the calls before have answered, which the watch stream
	// may not have told yet.
	tasks  map[string]api.Task
	queues map[string]api.Queue // by their machines
}

// queueDo makes a call of the queue after those before it.
func (m *model) queueDo(step ui.QueueCall) {
	s := &m.steps
	if len(s.waiting) >= mostQueueSteps {
		m.warn("not done: the daemon has not answered the keys before; " + m.keys.Hint(keymap.CancelWork) + " cancels what it is at")
		return
	}
	s.waiting = append(s.waiting, step)
	if s.busy {
		return
	}
	m.nextQueueStep()
}

// nextQueueStep begins the next call.
func (m *model) nextQueueStep() {
	client, ok := m.opts.Client.(ui.Queue)
	for ok && len(m.steps.waiting) > 0 {
		step := m.steps.waiting[0]
		m.steps.waiting = slices.Delete(m.steps.waiting, 0, 1)
		run := step.Plan(m.steps.over(m.Work))
		if run == nil {
			continue
		}
		m.steps.busy = true
		m.call(ui.Nobody, ui.Call{What: step.What, Run: func(ctx context.Context, _ ui.Client) (ui.Result, error) {
			tasks, queue, err := run(ctx, client)
			return ui.Result{Effects: follows(func(m *model) {
				m.steps.note(tasks, queue)
				m.nextQueueStep()
			})}, err
		}, Failed: func(_ ui.Env, err error) []ui.Effect {
			text := ui.Failure(step.What, err)
			if step.Failed != "" {
				text = step.Failed + ": " + ui.Problem(err)
			}
			return append([]ui.Effect{ui.Warn{Text: text}}, follows((*model).nextQueueStep)...)
		}})
		return
	}
	m.steps = queueSteps{}
}

// note takes what a call has answered.
func (s *queueSteps) note(tasks []api.Task, queue *api.Queue) {
	if s.tasks == nil {
		s.tasks = map[string]api.Task{}
	}
	for _, t := range tasks {
		s.tasks[t.ID] = t
	}
	if queue != nil {
		if s.queues == nil {
			s.queues = map[string]api.Queue{}
		}
		s.queues[queue.Node] = *queue
	}
}

// over is the queue with what the calls before have made of it.
func (s *queueSteps) over(q ui.Work) ui.Work {
	for _, queue := range s.queues {
		q = q.With(queue)
	}
	if len(s.tasks) == 0 {
		return q
	}
	made := maps.Clone(s.tasks)
	q.Tasks = slices.Clone(q.Tasks)
	for i, t := range q.Tasks {
		if now, changed := made[t.ID]; changed {
			q.Tasks[i] = now
			delete(made, t.ID)
		}
	}
	for _, t := range made {
		q.Tasks = append(q.Tasks, t)
	}
	slices.SortFunc(q.Tasks, ui.CompareTasks)
	return q
}
