// Package queue lists the tasks and steers the queue. It owns what is written of a task, and
// the result of a task as it was asked for last; the tasks come with the World. It asks
// for calls of the queue (ui.QueueCall), which the grid makes one after the other.
package queue

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/tui/dialogs/dirfield"
	"ccdir/tui/lists"
	"ccdir/tui/ui"
	"ccdir/tui/widget/listbox"
	"ccdir/tui/widget/modal"
)

// rows are the tasks.
type rows struct {
	board    bool      // the tasks are shown as a board, where there is room
	left     *form     // a new task that was written and left with Escape: the next one goes on with it
	form     *form     // a new task, or one that is edited; nil: none. Never changed in place
	sends    int       // how many forms were sent
	held     []ui.Key  // what was typed since the form was sent
	clearing bool      // it asks before everything that is queued is cancelled
	on       string    // on which machine
	result   *api.Task // a task with everything, nil until it was asked for
	wanted   string    // the task to choose once it is listed, "" none; chosen was chosen so
	chosen   string
	// schedules are what adds tasks by itself, the one that is due next first; asked: they were asked for.
	schedules []api.Schedule
	asked     bool
	dir       string   // of new tasks
	vars      []string // environment of new tasks
}

// New lists the tasks. New ones begin in dir with that environment.
func New(dir string, vars []string) ui.Component { return lists.New(rows{dir: dir, vars: vars}) }

// ShowsTasks: who looks at the list has looked at what has ended.
func (d rows) ShowsTasks() bool { return true }

// At lists the tasks with one of them chosen, "" the first, as soon as it is there; as a board where there is room.
func At(dir string, vars []string, task string, board bool) ui.Component {
	return lists.Dialog{Rows: rows{dir: dir, vars: vars, wanted: task, board: board}, View: listbox.View{ID: task}}
}

// Scheduler is the part of a client that knows schedules.
type Scheduler interface {
	Schedules(ctx context.Context) ([]api.Schedule, error)
}

// Refresh looks for the task that is to be chosen, and asks once for the schedules.
func (d rows) Refresh(env ui.Env) (lists.Rows, []ui.Effect) {
	if d.wanted != "" && task(env, d.wanted) != nil {
		d.chosen, d.wanted = d.wanted, ""
	}
	if d.asked || env.Offline != "" {
		return d, nil
	}
	d.asked = true
	return d, []ui.Effect{ui.Call{Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		s, err := ui.As[Scheduler](c)
		if err != nil {
			return ui.Result{}, err
		}
		list, err := s.Schedules(ctx)
		return ui.Result{Value: list}, err
	}}}
}

// Move chooses the task that was found.
func (d rows) Move(before lists.Rows, v listbox.View) listbox.View {
	if was, ok := before.(rows); ok && d.chosen != was.chosen && !v.Open {
		v.ID = d.chosen
	}
	return v
}

func (d rows) Mode() keymap.Mode { return keymap.ModeQueue }

// Writes: the prefix key does not leave a new task behind.
func (d rows) Writes() bool { return d.form != nil }

// Intercept takes what is written, and the answer to a question.
func (d rows) Intercept(env ui.Env, l lists.Dialog, k ui.Key) (lists.Dialog, []ui.Effect, bool) {
	switch {
	case d.form != nil:
		l, effects := d.write(env, l, k)
		return l, effects, true
	case d.clearing && k.Name == "y" && env.Early:
		return l, nil, true
	case d.clearing:
		d.clearing = false
		if k.Name != "y" {
			return l.With(d), nil, true
		}
		return l.With(d), now("clearing the queue", func(ctx context.Context, c ui.Queue) ([]api.Task, *api.Queue, error) {
			gone, err := c.ClearTasks(ctx, d.on)
			return gone, nil, err
		}), true
	}
	if b, ok := env.Keys.Lookup(k.Name); ok && b.Action == keymap.Queue && !l.View.Typing {
		return l, []ui.Effect{ui.Close{}}, true
	}
	return l, nil, false
}

// Paste puts text into a new task.
func (d rows) Paste(l lists.Dialog, text string) (lists.Dialog, bool) {
	if d.form == nil {
		return l, false
	}
	if f := *d.form; !chooses(f.at) && f.sent == 0 {
		f.fields[f.at] = f.fields[f.at].Insert(strings.TrimSpace(text))
		f.names, f.typed = nil, f.typed || f.at == fieldDir
		d.form = &f
	}
	return l.With(d), true
}

// Act runs the queue's keys.
func (d rows) Act(env ui.Env, l lists.Dialog, a keymap.Action, id string) (lists.Dialog, []ui.Effect, bool) {
	t := task(env, id)
	if about(a) {
		if why := refused(env, t, a); why != "" {
			return l, []ui.Effect{ui.Warn{Text: why}}, true
		}
	}
	if d.laid(env) && !l.View.Open {
		items, _ := l.View.Rows(d.Content(env, l.View))
		if to, ok := (board{env}).move(items, l.View.ID, a); ok {
			l.View.ID = to
			return l, nil, true
		}
	}
	switch a {
	case keymap.QueueBoard:
		if env.Cols < boardRoom {
			return l, []ui.Effect{ui.Warn{Text: fmt.Sprintf("the board needs %d columns, here are %d", boardRoom, env.Cols)}}, true
		}
		d.board = !d.board
		return l.With(d), []ui.Effect{ui.Tell{To: ui.Grid, Value: ui.Board{On: d.board}}}, true
	case keymap.ViewOpen:
		if t == nil || l.View.Open {
			return l, nil, false
		}
		l, effects := d.show(l, id)
		return l, effects, true
	case keymap.QueuePane:
		return l, []ui.Effect{ui.Focus{Session: t.Session}}, true
	case keymap.QueueAdd:
		d.form = cmp.Or(d.left, newForm(env, d.dir))
		d.left = nil
		return l.With(d), nil, true
	case keymap.QueueEdit:
		return l, askTask(id, func(t api.Task) any { return toEdit{t} }), true
	case keymap.QueueClear:
		d.clearing, d.on = true, ui.NodeOf(id)
		return l.With(d), []ui.Effect{ui.Anew{}}, true
	case keymap.QueueMode, keymap.QueuePause, keymap.QueueMore, keymap.QueueFewer:
		return l, change(ui.NodeOf(id), a), true
	case keymap.QueueAgain:
		return l, d.again(id), true
	case keymap.QueueHold:
		hold := !t.Hold
		return l, now("holding "+id, func(ctx context.Context, c ui.Queue) ([]api.Task, *api.Queue, error) {
			t, err := c.EditTask(ctx, id, api.EditTask{Hold: &hold})
			return []api.Task{t}, nil, err
		}), true
	case keymap.QueueStart, keymap.QueueCancel, keymap.QueueUp, keymap.QueueDown:
		return l, changeTask(id, a), true
	}
	return l, nil, false
}

// laid reports whether the tasks are on a board.
func (d rows) laid(env ui.Env) bool { return d.board && env.Cols >= boardRoom }

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
	return l.With(d), askTask(id, func(t api.Task) any { return t })
}

// askTask asks for a task with everything; the answer is made of it.
func askTask(id string, answer func(api.Task) any) []ui.Effect {
	return []ui.Effect{ui.Call{What: "asking for task " + id, Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		q, err := ui.As[ui.Queue](c)
		if err != nil {
			return ui.Result{}, err
		}
		t, err := q.Task(ctx, id)
		return ui.Result{Value: answer(t)}, err
	}}}
}

// toEdit is a task that is asked for in order to be edited.
type toEdit struct{ task api.Task }

// Receive takes a task with everything.
func (d rows) Receive(env ui.Env, l lists.Dialog, value any, err error) (lists.Dialog, []ui.Effect) {
	switch v := value.(type) {
	case api.Task:
		if err == nil && l.View.ID == v.ID {
			d.result = &v
		}
	case []api.Schedule:
		d.schedules = v
	case taken:
		return d.answered(env, l, v, err)
	case dirfield.Names:
		if d.form != nil {
			f := *d.form
			if f.problem = ""; err != nil {
				f.problem = dirfield.Problem(err)
				d.form = &f
			} else {
				d.form = f.completed(v)
			}
		}
	case toEdit:
		if err == nil && d.form == nil {
			d.form = editForm(v.task)
		}
	}
	return l.With(d), nil
}
