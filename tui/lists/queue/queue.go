// Package queue lists the tasks and steers the queue. It owns the text of a new task, and
// the result of a task as it was asked for last; the tasks come with the World. It asks
// for calls of the queue (ui.QueueCall), which the grid makes one after the other.
package queue

import (
	"context"
	"strings"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/tui/lists"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/modal"
)

// rows are the tasks.
type rows struct {
	adding   bool      // the prompt of a new task is written
	prompt   edit.Line // that prompt
	clearing bool      // it asks before everything that is queued is cancelled
	result   *api.Task // a task with everything, nil until it was asked for
	dir      string    // of new tasks
	vars     []string  // environment of new tasks
}

// New lists the tasks. New ones begin in dir with that environment.
func New(dir string, vars []string) ui.Component { return lists.New(rows{dir: dir, vars: vars}) }

func (d rows) Mode() keymap.Mode { return keymap.ModeQueue }

// Writes: the prefix key does not leave a new task behind.
func (d rows) Writes() bool { return d.adding }

// Intercept takes what is written, and the answer to a question.
func (d rows) Intercept(env ui.Env, l lists.Dialog, k ui.Key) (lists.Dialog, []ui.Effect, bool) {
	switch {
	case d.adding:
		l, effects := d.write(l, k)
		return l, effects, true
	case d.clearing && k.Name == "y" && env.Early:
		return l, nil, true
	case d.clearing:
		d.clearing = false
		if k.Name != "y" {
			return l.With(d), nil, true
		}
		return l.With(d), now("clearing the queue", func(ctx context.Context, c ui.Queue) ([]api.Task, *api.Queue, error) {
			gone, err := c.ClearTasks(ctx)
			return gone, nil, err
		}), true
	}
	if b, ok := env.Keys.Lookup(k.Name); ok && b.Action == keymap.Queue && !l.View.Typing {
		return l, []ui.Effect{ui.Close{}}, true
	}
	return l, nil, false
}

// write edits the prompt of a new task.
func (d rows) write(l lists.Dialog, k ui.Key) (lists.Dialog, []ui.Effect) {
	switch k.Name {
	case "Escape", "C-c":
		d.adding = false
	case "Enter":
		prompt := strings.TrimSpace(d.prompt.String())
		d.adding, d.prompt = false, edit.Line{}
		if prompt == "" {
			break
		}
		n := api.NewTask{Prompt: prompt, CWD: d.dir, Env: d.vars}
		return l.With(d), []ui.Effect{ui.Remember{Text: prompt}, ui.QueueCall{
			What: "adding the task", Plan: func(ui.Work) ui.QueueRun {
				return func(ctx context.Context, c ui.Queue) ([]api.Task, *api.Queue, error) {
					added, err := c.AddTasks(ctx, []api.NewTask{n})
					return added, nil, err
				}
			},
			Failed: "not added, the text is in the history of the prompt bar (Up)",
		}}
	default:
		d.prompt, _ = d.prompt.Key(k.Name, k.Text())
	}
	return l.With(d), nil
}

// Paste puts text into a new task.
func (d rows) Paste(l lists.Dialog, text string) (lists.Dialog, bool) {
	if !d.adding {
		return l, false
	}
	d.prompt = d.prompt.Insert(strings.TrimSpace(text))
	return l.With(d), true
}

// Act runs the queue's keys.
func (d rows) Act(env ui.Env, l lists.Dialog, a keymap.Action, id string) (lists.Dialog, []ui.Effect, bool) {
	t := task(env, id)
	switch a {
	case keymap.ViewOpen:
		if t == nil || l.View.Open {
			return l, nil, false
		}
		l, effects := d.show(l, id)
		return l, effects, true
	case keymap.QueuePane:
		if t == nil || t.Session == "" || env.Session(t.Session) == nil {
			return l, []ui.Effect{ui.Warn{Text: "this task has no pane: " + env.Keys.Hint(keymap.History) + " has what those of before showed"}}, true
		}
		return l, []ui.Effect{ui.Focus{Session: t.Session}}, true
	case keymap.QueueAdd:
		d.adding = true
		return l.With(d), nil, true
	case keymap.QueueClear:
		d.clearing = true
		return l.With(d), []ui.Effect{ui.Anew{}}, true
	case keymap.QueueMode, keymap.QueuePause, keymap.QueueMore, keymap.QueueFewer:
		return l, change(a), true
	case keymap.QueueStart, keymap.QueueCancel, keymap.QueueUp, keymap.QueueDown:
		if t == nil {
			return l, nil, true
		}
		return l, changeTask(id, a), true
	}
	return l, nil, false
}

// task is the task of an id, nil if it is gone.
func task(env ui.Env, id string) *api.Task {
	for i := range env.Work.Tasks {
		if env.Work.Tasks[i].ID == id {
			return &env.Work.Tasks[i]
		}
	}
	return nil
}

// show shows a task whole, and asks for what the list doesn't know of it.
func (d rows) show(l lists.Dialog, id string) (lists.Dialog, []ui.Effect) {
	l.View.Open, l.View.Detail, d.result = true, modal.Pager{}, nil
	return l.With(d), []ui.Effect{ui.Call{What: "asking for the result", Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		q, err := ui.As[ui.Queue](c)
		if err != nil {
			return ui.Result{}, err
		}
		t, err := q.Task(ctx, id)
		return ui.Result{Value: t}, err
	}}}
}

// Receive takes a task with everything.
func (d rows) Receive(_ ui.Env, l lists.Dialog, value any, err error) (lists.Dialog, []ui.Effect) {
	if t, ok := value.(api.Task); ok && err == nil && l.View.ID == t.ID {
		d.result = &t
	}
	return l.With(d), nil
}
