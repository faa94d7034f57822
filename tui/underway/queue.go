package underway

import (
	"context"
	"maps"
	"slices"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/tui/ui"
)

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

// QueueCall makes a call of the queue after those before it.
func (w *Work) QueueCall(way Way, env ui.Env, step ui.QueueCall) []ui.Effect {
	s := &w.queue
	if len(s.waiting) >= mostQueueSteps {
		return []ui.Effect{ui.Warn{Text: "not done: the daemon has not answered the keys before; " + env.Keys.Hint(keymap.CancelWork) + " cancels what it is at"}}
	}
	s.waiting = append(s.waiting, step)
	if !s.busy {
		w.nextQueueCall(way, env)
	}
	return nil
}

// nextQueueCall begins the next call.
func (w *Work) nextQueueCall(way Way, env ui.Env) {
	client, ok := way.Client.(ui.Queue)
	for ok && len(w.queue.waiting) > 0 {
		step := w.queue.waiting[0]
		w.queue.waiting = slices.Delete(w.queue.waiting, 0, 1)
		run := step.Plan(w.queue.over(env.Work))
		if run == nil {
			continue
		}
		w.queue.busy = true
		of := w.setOut(way.Ctx, step.What, env.Now)
		away(of.ctx, way, within, func(ctx context.Context, _ ui.Client) (ui.Result, error) {
			tasks, queue, err := run(ctx, client)
			return ui.Result{Value: queueAnswer{tasks, queue}}, err
		}, Over{follows: func(w *Work, way Way, env ui.Env, r ui.Result, err error) (out Outcome) {
			if err = w.arrived(of, err); err == nil {
				answer := r.Value.(queueAnswer)
				w.queue.note(answer.tasks, answer.queue)
			} else {
				text := ui.Failure(step.What, err)
				if step.Failed != "" {
					text = step.Failed + ": " + ui.Problem(err)
				}
				out.Effects = []ui.Effect{ui.Warn{Text: text}}
			}
			w.nextQueueCall(way, env)
			return out
		}})
		return
	}
	w.queue = queueSteps{}
}

// queueAnswer is what a call of the queue has answered.
type queueAnswer struct {
	tasks []api.Task
	queue *api.Queue
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
