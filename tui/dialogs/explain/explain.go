// Package explain shows a session: what it does, asks or answered last, where, and since
// when. Behind a key are the command, the processes, and which evidence gave it its state,
// what that overruled, and what would change it. It owns the last answers of the
// daemon about that, follows the session while it is open, and asks again when the
// session has changed: one call at a time. It asks for nothing else.
package explain

import (
	"context"
	"time"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/tui/dialogs/textview"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
)

// ProcessReader is the part of a client that can tell what a session's processes use.
type ProcessReader interface {
	Process(ctx context.Context, id string) (api.ProcessUse, error)
}

// text is the dialog's.
type text struct {
	session api.Session      // as it was last
	exp     *api.Explanation // nil until the answer is here
	use     *api.ProcessUse  // nil until it is known
	problem string           // why there is no explanation, "" if nothing is wrong
	asking  bool
	inside  bool // the command, the processes and the evidence are shown
	of      mark // the values that exp and problem are about
}

// mark identifies the values that an explanation depends on.
type mark struct {
	state    api.State
	since    time.Time
	question string
	seq      int64 // of the session's newest event
}

// answer is the daemon's answer.
type answer struct {
	exp *api.Explanation
	use *api.ProcessUse
}

// New shows a session.
func New(v api.Session) ui.Component { return textview.New(text{session: v}) }

// Turned shows the evidence, or the session again.
func (t text) Turned() textview.Text {
	t.inside = !t.inside
	return t
}

// Other names what Turned shows.
func (t text) Other() string {
	if t.inside {
		return "the session"
	}
	return "evidence, command, processes"
}

// Own is the action that opens it.
func (t text) Own() keymap.Action { return keymap.Explain }

// markOf is the present mark of a session.
func markOf(env ui.Env, v api.Session) mark {
	m := mark{state: v.State, since: v.Since, question: v.Question}
	for i := len(env.Events) - 1; i >= 0; i-- {
		if env.Events[i].Session == v.ID {
			m.seq = env.Events[i].Seq
			break
		}
	}
	return m
}

// Refresh takes the session's new value, and asks for another explanation if it has changed.
func (t text) Refresh(env ui.Env) (textview.Text, []ui.Effect) {
	v := env.Session(t.session.ID)
	if v == nil {
		return t, nil
	}
	t.session = *v
	now := markOf(env, *v)
	if t.asking || env.Offline != "" || t.of == now && (t.exp != nil || t.problem != "") {
		return t, nil
	}
	t.asking, t.of = true, now
	id := v.ID
	return t, []ui.Effect{ui.Call{Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		e, err := c.Explain(ctx, id)
		if err != nil {
			return ui.Result{}, err
		}
		a := answer{exp: &e}
		if reader, err := ui.As[ProcessReader](c); err == nil {
			if use, err := reader.Process(ctx, id); err == nil { // else its rows are missing
				a.use = &use
			}
		}
		return ui.Result{Value: a}, nil
	}}}
}

// Receive takes the answer.
func (t text) Receive(_ ui.Env, value any, err error) textview.Text {
	a, _ := value.(answer)
	t.asking, t.exp, t.use, t.problem = false, a.exp, a.use, ""
	if err != nil {
		t.problem = ui.Problem(err)
	}
	return t
}

// NextWake is when the first of the ages that it shows changes.
func (t text) NextWake(env ui.Env) time.Time {
	all := []time.Time{t.session.Created, t.session.Since}
	if t.exp != nil {
		all = append(all, t.exp.Since)
		if t.exp.Winner != nil {
			all = append(all, t.exp.Winner.At)
		}
		for _, o := range t.exp.Overruled {
			all = append(all, o.Evidence.At)
		}
	}
	return format.NextAge(env.Now, all...)
}
