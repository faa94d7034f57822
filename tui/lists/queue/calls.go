package queue

import (
	"context"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/tui/ui"
)

// now is a call that depends on nothing.
func now(what string, run ui.QueueRun) []ui.Effect {
	return []ui.Effect{ui.QueueCall{What: what, Plan: func(ui.Work) ui.QueueRun { return run }}}
}

// changeTask runs the keys about one task.
func changeTask(id string, a keymap.Action) []ui.Effect {
	switch a {
	case keymap.QueueStart:
		return now("starting "+id, func(ctx context.Context, c ui.Queue) ([]api.Task, *api.Queue, error) {
			t, err := c.StartTask(ctx, id)
			return []api.Task{t}, nil, err
		})
	case keymap.QueueCancel:
		return now("cancelling "+id, func(ctx context.Context, c ui.Queue) ([]api.Task, *api.Queue, error) {
			t, err := c.CancelTask(ctx, id)
			return []api.Task{t}, nil, err
		})
	case keymap.QueueUp:
		return move(id, -1)
	}
	return move(id, 1)
}

// again adds a task once more: with its settings, but behind no others.
func (d rows) again(id string) []ui.Effect {
	return now("running "+id+" again", func(ctx context.Context, c ui.Queue) ([]api.Task, *api.Queue, error) {
		t, err := c.Task(ctx, id)
		if err != nil {
			return nil, nil, err
		}
		n := t.NewTask
		n.Env, n.After, n.Request, n.Node = d.vars, nil, "", ui.NodeOf(id)
		added, err := c.AddTasks(ctx, []api.NewTask{n})
		return added, nil, err
	})
}

// move gives a queued task its neighbour's place.
func move(id string, by int) []ui.Effect {
	return []ui.Effect{ui.QueueCall{What: "moving " + id, Plan: func(w ui.Work) ui.QueueRun {
		before, ok := w.Neighbour(id, by)
		if !ok {
			return nil
		}
		return func(ctx context.Context, c ui.Queue) ([]api.Task, *api.Queue, error) {
			t, err := c.MoveTask(ctx, id, before)
			return []api.Task{t}, nil, err
		}
	}}}
}

// change runs the keys about a machine's queue itself.
func change(node string, a keymap.Action) []ui.Effect {
	return []ui.Effect{ui.QueueCall{What: "changing the queue", Plan: func(w ui.Work) ui.QueueRun {
		q := w.Of(node)
		if q == nil {
			return nil
		}
		change := after(*q, a)
		change.Node = node
		return func(ctx context.Context, c ui.Queue) ([]api.Task, *api.Queue, error) {
			q, err := c.ChangeQueue(ctx, change)
			return nil, &q, err
		}
	}}}
}

// after is the change of a queue that an action asks for.
func after(q api.Queue, a keymap.Action) (change api.QueueChange) {
	switch a {
	case keymap.QueueMode:
		change.Mode = api.QueueAuto
		if q.Mode == api.QueueAuto {
			change.Mode = api.QueueManual
		}
	case keymap.QueuePause:
		change.Paused = new(q.Mode != api.QueuePaused)
	case keymap.QueueFewer:
		change.Limit = new(max(1, q.Limit-1))
	default:
		change.Limit = new(q.Limit + 1)
	}
	return change
}
