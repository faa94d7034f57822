package queue

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"ccdir/api"
	"ccdir/tui/dialogs/dirfield"
	"ccdir/tui/lists"
	"ccdir/tui/ui"
)

// taken is the answer to a form that was sent.
type taken struct {
	sent int         // the form's number
	made string      // the id of the task that was added, "" for an edited one
	id   string      // of the edited task, "" for a new one
	task api.NewTask // what was asked for
}

// write gives a key to the form.
func (d rows) write(env ui.Env, l lists.Dialog, k ui.Key) (lists.Dialog, []ui.Effect) {
	f := d.form
	switch {
	case k.Name == "Escape", k.Name == "C-c":
		if d.form, d.held = nil, nil; f.id == "" {
			left := *f
			left.sent = 0
			d.left = &left
		}
	case f.sent > 0:
		d.held = append(d.held, k)
	case k.Name == "Enter":
		return d.submit(env, l)
	case k.Name == "Tab" && f.completes():
		asked := *f
		asked.typed, asked.problem = false, ""
		d.form = &asked
		return l.With(d), []ui.Effect{dirfield.Complete(f.fields[fieldDir].String(), f.base, env.Home)}
	default:
		d.form = f.key(env, k)
	}
	return l.With(d), nil
}

// submit sends the form, which stays until it is taken. What is typed meanwhile is for the
// list, when it was.
func (d rows) submit(env ui.Env, l lists.Dialog) (lists.Dialog, []ui.Effect) {
	f := *d.form
	n, field, err := f.task(env)
	if err != nil {
		f.at, f.problem, f.names = field, err.Error(), nil
		d.form = &f
		return l.With(d), nil
	}
	change := f.change(n)
	if f.id != "" && change == (api.EditTask{}) {
		d.form = nil
		return l.With(d), nil
	}
	d.sends++
	f.sent, f.problem, f.names = d.sends, "", nil
	d.form = &f
	var effects []ui.Effect
	if f.id == "" || change.Prompt != nil { // it is kept, for if the grid goes before it is taken
		effects = append(effects, ui.Tell{To: ui.Prompt, Value: ui.Remember{Text: n.Prompt}})
	}
	if f.id != "" {
		return l.With(d), append(effects, edited(f, n, change))
	}
	n.Env = d.vars
	n = (&ui.Making{Task: f.unsure}).NamedTask(n)
	return l.With(d), append(effects, added(f, n))
}

// added adds a task.
func added(f form, n api.NewTask) ui.Effect {
	return send("adding the task", taken{sent: f.sent, task: n}, func(ctx context.Context, c ui.Queue) (made string, err error) {
		tasks, err := c.AddTasks(ctx, []api.NewTask{n})
		if len(tasks) > 0 {
			made = tasks[0].ID
		}
		return made, err
	})
}

// edited changes a queued task.
func edited(f form, n api.NewTask, change api.EditTask) ui.Effect {
	return send("changing "+f.id, taken{sent: f.sent, id: f.id, task: n}, func(ctx context.Context, c ui.Queue) (string, error) {
		_, err := c.EditTask(ctx, f.id, change)
		return "", err
	})
}

// send makes a form's call.
func send(what string, answer taken, run func(ctx context.Context, c ui.Queue) (made string, err error)) ui.Effect {
	return ui.Call{What: what, Own: true, Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		q, err := ui.As[ui.Queue](c)
		answer := answer
		if err == nil {
			answer.made, err = run(ctx, q)
		}
		return ui.Result{Value: answer}, err
	}, Failed: func(_ ui.Env, err error) []ui.Effect { return []ui.Effect{ui.Warn{Text: notTaken(answer, err)}} }}
}

// notTaken says why a form was not taken when it is gone.
func notTaken(v taken, err error) string {
	if v.id != "" {
		return ui.Failure("changing "+v.id, err)
	}
	return ui.NotMade("added", "not added, the text is in the history of the prompt bar (Up): ", "the queue", errors.Is(err, context.Canceled), err)
}

// answered takes the answer: the form goes, or says what is wrong. If it was left before, a
// failure is told.
func (d rows) answered(env ui.Env, l lists.Dialog, v taken, err error) (lists.Dialog, []ui.Effect) {
	here := d.form != nil && d.form.sent == v.sent
	if v.made != "" {
		d.wanted, l.View.ID = v.made, v.made
	}
	switch {
	case err == nil && !here:
		if d.left != nil && d.left.id == "" && v.id == "" && strings.TrimSpace(d.left.fields[fieldPrompt].String()) == v.task.Prompt {
			d.left = nil
		}
		return l.With(d), nil
	case err != nil && !here:
		return l.With(d), []ui.Effect{ui.Warn{Text: notTaken(v, err)}}
	case err != nil:
		f := *d.form
		f.sent, f.problem = 0, ui.Problem(err)
		if v.id == "" {
			f.problem = ui.NotMade("added", "", "the queue", errors.Is(err, context.Canceled), err)
		}
		f.at = f.about(v.task, f.problem)
		if f.unsure = nil; v.id == "" && api.Unsure(err) {
			f.unsure = &v.task
		}
		d.form, d.held = &f, nil
		return l.With(d), nil
	}
	held := d.held
	d.form, d.held = nil, nil
	return replay(env, l.With(d), held)
}

// replay gives the list the keys that came while a form was sent.
func replay(env ui.Env, l lists.Dialog, keys []ui.Key) (_ lists.Dialog, all []ui.Effect) {
	for _, k := range keys {
		c, effects := l.Key(env, k)
		all = append(all, effects...)
		next, ok := c.(lists.Dialog)
		if !ok {
			break
		}
		l = next
	}
	return l, all
}

// about is the field that a reason is about: it names what the field holds.
func (f form) about(n api.NewTask, reason string) int {
	names := func(text string) bool { return text != "" && text != "." && strings.Contains(reason, text) }
	switch {
	case strings.Contains(reason, "--base"), n.Base != "" && strings.Contains(reason, strconv.Quote(n.Base)):
		return fieldBase
	case n.Worktree != "" && n.Worktree != "." && strings.Contains(reason, strconv.Quote(n.Worktree)):
		return fieldBranch
	case names(n.CWD):
		return fieldDir
	case names(n.Worktree):
		return fieldBranch
	}
	for _, a := range n.After {
		if strings.Contains(reason, strconv.Quote(a.Task)) {
			return fieldAfter
		}
	}
	return f.at
}
