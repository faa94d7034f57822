package tui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/tui/terminal/input"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/modal"
)

// act runs the queue's keys.
func (d queuePanel) act(m *model, a keymap.Action, id string) (cmd, bool) {
	t := d.task(m, id)
	switch a {
	case keymap.ViewOpen:
		if t == nil || d.view.Open {
			return nil, false
		}
		return d.showResult(m, id), true
	case keymap.QueuePane:
		if t == nil || t.Session == "" || m.session(t.Session) == nil {
			m.warn("this task has no pane: " + m.keys.Hint(keymap.History) + " has what those of before showed")
			return nil, true
		}
		m.openSession(t.Session)
	case keymap.QueueAdd:
		d.adding = true
		m.overlay = d
	case keymap.QueueClear:
		d.clearing, d.popup = true, m.openPopup()
		m.overlay = d
	case keymap.QueueMode, keymap.QueuePause, keymap.QueueMore, keymap.QueueFewer:
		return d.changeQueue(m, a), true
	case keymap.QueueStart, keymap.QueueCancel, keymap.QueueUp, keymap.QueueDown:
		if t == nil {
			return nil, true
		}
		return d.change(m, id, a), true
	default:
		return nil, false
	}
	return nil, true
}

// task is the task of an id, nil if it is gone.
func (d queuePanel) task(m *model, id string) *api.Task {
	for i := range m.Work.Tasks {
		if m.Work.Tasks[i].ID == id {
			return &m.Work.Tasks[i]
		}
	}
	return nil
}

// change runs the keys about one task.
func (d queuePanel) change(m *model, id string, a keymap.Action) cmd {
	switch a {
	case keymap.QueueStart:
		return m.queueCall("starting "+id, func(ctx context.Context, c QueueClient) ([]api.Task, *api.Queue, error) {
			t, err := c.StartTask(ctx, id)
			return []api.Task{t}, nil, err
		})
	case keymap.QueueCancel:
		return m.queueCall("cancelling "+id, func(ctx context.Context, c QueueClient) ([]api.Task, *api.Queue, error) {
			t, err := c.CancelTask(ctx, id)
			return []api.Task{t}, nil, err
		})
	case keymap.QueueUp:
		return d.move(m, id, -1)
	case keymap.QueueDown:
		return d.move(m, id, 1)
	}
	return nil
}

// move gives a queued task its neighbour's place.
func (d queuePanel) move(m *model, id string, by int) cmd {
	return m.queueDo(queueStep{what: "moving " + id, plan: func(q ui.Work) queueRun {
		before, ok := q.Neighbour(id, by)
		if !ok {
			return nil
		}
		return func(ctx context.Context, c QueueClient) ([]api.Task, *api.Queue, error) {
			t, err := c.MoveTask(ctx, id, before)
			return []api.Task{t}, nil, err
		}
	}})
}

// changeQueue runs the keys about the queue itself.
func (d queuePanel) changeQueue(m *model, a keymap.Action) cmd {
	return m.queueDo(queueStep{what: "changing the queue", plan: func(s ui.Work) queueRun {
		if s.Queue == nil {
			return nil
		}
		change := queueAfter(*s.Queue, a)
		return func(ctx context.Context, c QueueClient) ([]api.Task, *api.Queue, error) {
			q, err := c.ChangeQueue(ctx, change)
			return nil, &q, err
		}
	}})
}

// queueAfter is the change of a queue that an action asks for.
func queueAfter(q api.Queue, a keymap.Action) (change api.QueueChange) {
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

// addKey edits the prompt of a new task.
func (d queuePanel) addKey(m *model, k input.Key) cmd {
	switch k.Name {
	case "Escape", "C-c":
		d.adding = false
	case "Enter":
		prompt := strings.TrimSpace(d.prompt.String())
		d.adding, d.prompt = false, edit.Line{}
		m.overlay = d
		if prompt == "" {
			return nil
		}
		n := api.NewTask{Prompt: prompt, CWD: m.opts.Dir, Env: m.opts.Env}
		return tea.Batch(m.remember(prompt), m.addTask(n))
	default:
		d.prompt, _ = d.prompt.Key(k.Name, k.Text())
	}
	m.overlay = d
	return nil
}

// addTask adds a task; its text is in the history of the prompt bar.
func (m *model) addTask(n api.NewTask) cmd {
	add := func(ctx context.Context, c QueueClient) ([]api.Task, *api.Queue, error) {
		added, err := c.AddTasks(ctx, []api.NewTask{n})
		return added, nil, err
	}
	return m.queueDo(queueStep{
		what: "adding the task", plan: func(ui.Work) queueRun { return add },
		failed: "not added, the text is in the history of the prompt bar (Up)",
	})
}

// showResult shows a task whole, and asks for what the list doesn't know of it.
func (d queuePanel) showResult(m *model, id string) cmd {
	d.view.Open, d.view.Detail, d.result = true, modal.Pager{}, nil
	m.overlay = d
	client, ok := m.opts.Client.(QueueClient)
	if !ok {
		return nil
	}
	return m.call("asking for the result", func(c calls) (func(*model), error) {
		t, err := client.Task(c.ctx, id)
		return func(m *model) {
			if now, ok := m.overlay.(queuePanel); ok && now.view.ID == id {
				now.result = &t
				m.overlay = now
			}
		}, err
	})
}
