package lists

import (
	"slices"
	"time"

	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/listbox"
	"ccdir/tui/widget/modal"
)

// Dialog is the dialog.
type Dialog struct {
	Rows Rows
	View listbox.View
}

// New lists rows.
func New(r Rows) Dialog { return Dialog{Rows: r} }

// With is the dialog with other rows.
func (d Dialog) With(r Rows) Dialog { d.Rows = r; return d }

// Chosen is the dialog after its choice has moved by n rows.
func (d Dialog) Chosen(env ui.Env, n int) Dialog {
	d.View = d.View.Choose(d.content(env), n)
	return d
}

func (d Dialog) content(env ui.Env) listbox.Content { return d.Rows.Content(env, d.View) }

// closing is the effect that closes the dialog.
var closing = []ui.Effect{ui.Close{}}

// Draw draws the list or its open row.
func (d Dialog) Draw(env ui.Env, s *paint.Surface) paint.Cursor {
	c := d.content(env)
	v := d.View.Settled(c)
	if v.ID != d.View.ID { // what is said about the chosen row
		c = Dialog{d.Rows, v}.content(env)
	}
	cur := v.Draw(s, env.Screen(), c)
	if over, ok := d.Rows.(Drawer); ok {
		return over.DrawOver(env, s, cur)
	}
	return cur
}

// Key gives a key to the filter while it is typed, else to the rows, else to the list.
func (d Dialog) Key(env ui.Env, k ui.Key) (ui.Component, []ui.Effect) {
	if _, guarded := d.Rows.(Guarded); guarded && env.Early {
		return d, nil
	}
	if first, ok := d.Rows.(Interceptor); ok {
		if d, effects, taken := first.Intercept(env, d, k); taken {
			return d, effects
		}
	}
	c := d.content(env)
	d.View = d.View.Settled(c)
	if k.Name == "C-c" {
		return d, closing
	}
	if d.View.Typing || c.Menu {
		return d.typed(env, c, k)
	}
	b, ok := env.Keys.LookupIn(d.Rows.Mode(), k.Name)
	if !ok {
		b, ok = env.Keys.LookupIn(keymap.ModeViews, k.Name)
	}
	if !ok {
		return d, nil
	}
	return d.bound(env, c, b)
}

// bound runs what is bound on the chosen row, or says why it is not possible.
func (d Dialog) bound(env ui.Env, c listbox.Content, b keymap.Binding) (Dialog, []ui.Effect) {
	if reason := b.Disabled(env.Facts); reason != "" {
		return d, []ui.Effect{ui.Warn{Text: reason}}
	}
	a := b.Action
	if t, ok := d.Rows.(Translator); ok {
		a = t.Translate(a)
	}
	return d.act(env, c, a, d.View.ID)
}

// act runs an action on a row.
func (d Dialog) act(env ui.Env, c listbox.Content, a keymap.Action, id string) (Dialog, []ui.Effect) {
	if next, effects, taken := d.Rows.Act(env, d, a, id); taken {
		return next, effects
	}
	v := d.View
	if v.Open {
		if p, ok := v.Sized(env.Screen(), c).Detail.Moved(a); ok {
			d.View.Detail = p
			return d, nil
		}
	}
	if n, ok := listbox.Moves(a, v.Plan(env.Screen(), c).Page()); ok {
		d.View = v.Choose(c, n)
		return d, nil
	}
	switch a {
	case keymap.ViewOpen:
		if v.Open {
			v.Open = false
		} else if v.ID != "" && c.Detail != nil {
			v.Open, v.Detail = true, modal.Pager{}
		}
	case keymap.ViewFilter:
		v.Typing = !v.Open
	case keymap.ViewClose:
		switch {
		case v.Open:
			v.Open = false
		case !v.Query.Empty():
			v.Query = edit.Line{}
		default:
			return d, closing
		}
	}
	d.View = v
	return d, nil
}

// typed takes a key of the filter.
func (d Dialog) typed(env ui.Env, c listbox.Content, k ui.Key) (Dialog, []ui.Effect) {
	v := d.View
	if v.Query.Empty() && c.Menu {
		if i := slices.IndexFunc(c.Items, func(it listbox.Item) bool { return it.Key == k.Name }); i >= 0 {
			return d.act(env, c, keymap.ViewOpen, c.Items[i].ID)
		}
	}
	switch k.Name {
	case "Escape":
		if c.Menu {
			return d, closing
		}
		v.Typing, v.Query = false, edit.Line{}
	case "Enter":
		v.Typing = false
		d.View = v
		switch {
		case c.Searches:
			return d.act(env, c, keymap.ViewOpen, "")
		case c.Menu && c.Direct && v.ID != "":
			return d.act(env, c, keymap.ViewOpen, v.ID)
		}
	case "Up", "C-p", "BTab":
		v = v.Choose(c, -1)
	case "Tab":
		if v.Typing = false; c.Menu {
			v = v.Choose(c, 1)
		}
	case "Down", "C-n":
		v = v.Choose(c, 1)
	case "PPage":
		v = v.Choose(c, -v.Plan(env.Screen(), c).Page())
	case "NPage":
		v = v.Choose(c, v.Plan(env.Screen(), c).Page())
	default:
		v.Query, _ = v.Query.Key(k.Name, k.Text())
		v.Place, v.ID = 0, ""
	}
	d.View = v
	d.View = v.Settled(d.content(env))
	return d, nil
}

// Paste puts text into the filter.
func (d Dialog) Paste(_ ui.Env, text string) ui.Component {
	if p, ok := d.Rows.(Paster); ok {
		if next, taken := p.Paste(d, text); taken {
			return next
		}
	}
	if v := &d.View; !v.Open {
		v.Typing, v.Place, v.ID = true, 0, ""
		v.Query = v.Query.Insert(textsafe.Line(text))
	}
	return d
}

// YieldsPrefix: nothing is lost, unless its rows say otherwise.
func (d Dialog) YieldsPrefix() bool {
	w, ok := d.Rows.(Writer)
	return !ok || !w.Writes()
}

// Theme is the theme that is shown while its row is chosen (ui.Previewer).
func (d Dialog) Theme() string {
	p, ok := d.Rows.(Previewer)
	if !ok {
		return ""
	}
	return p.Theme(d.View.ID)
}

// ShowsTasks reports whether its rows are tasks (ui.TaskViewer).
func (d Dialog) ShowsTasks() bool {
	v, ok := d.Rows.(ui.TaskViewer)
	return ok && v.ShowsTasks()
}

// Chip is the component's name in the status line.
func (d Dialog) Chip() string {
	if n, ok := d.Rows.(Named); ok {
		return n.Chip()
	}
	return ""
}

// Refresh lets the rows follow what is known.
func (d Dialog) Refresh(env ui.Env) (ui.Component, []ui.Effect) {
	f, ok := d.Rows.(Follower)
	if !ok {
		return d, nil
	}
	rows, effects := f.Refresh(env)
	if m, ok := rows.(Mover); ok {
		d.View = m.Move(d.Rows, d.View)
	}
	return d.With(rows), effects
}

// Receive gives the rows an answer.
func (d Dialog) Receive(env ui.Env, value any, err error) (ui.Component, []ui.Effect) {
	if r, ok := d.Rows.(Receiver); ok {
		return r.Receive(env, d, value, err)
	}
	return d, nil
}

// NextWake is when the rows show something else.
func (d Dialog) NextWake(env ui.Env) time.Time {
	if w, ok := d.Rows.(Waker); ok {
		return w.NextWake(env)
	}
	return time.Time{}
}
