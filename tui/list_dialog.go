package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/terminal/input"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/listbox"
	"ccdir/tui/widget/modal"
)

// listTyped takes a key of the filter.
func listTyped(m *model, d listDialog, c listbox.Content, k input.Key) cmd {
	v := d.list()
	if v.Query.Empty() && c.Menu {
		if i := slices.IndexFunc(c.Items, func(it listbox.Item) bool { return it.Key == k.Name }); i >= 0 {
			return listAct(m, d.with(v), c, keymap.ViewOpen, c.Items[i].ID)
		}
	}
	switch k.Name {
	case "Escape":
		if c.Menu {
			m.overlay = nil
			return nil
		}
		v.Typing, v.Query = false, edit.Line{}
	case "Enter":
		v.Typing = false
		d = d.with(v)
		m.overlay = d
		switch {
		case c.Searches:
			return listAct(m, d, c, keymap.ViewOpen, "")
		case c.Direct && v.ID != "":
			return listAct(m, d, c, keymap.ViewOpen, v.ID)
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
		v = v.Choose(c, -v.Plan(m.nowScene().Screen(), c).Page())
	case "NPage":
		v = v.Choose(c, v.Plan(m.nowScene().Screen(), c).Page())
	default:
		v.Query, _ = v.Query.Key(k.Name, k.Text())
		v.Place, v.ID = 0, ""
	}
	d = d.with(v)
	m.overlay = d.with(v.Settled(d.content(m.nowScene())))
	return nil
}

// listPaste puts a paste into the filter.
func listPaste(m *model, d listDialog, text string) {
	v := d.list()
	if !v.Open {
		v.Typing, v.Place, v.ID = true, 0, ""
		v.Query = v.Query.Insert(textsafe.Line(text))
		m.overlay = d.with(v)
	}
}

// listMouse: a click chooses a row, a click on the chosen one shows it whole, one
// on a key that the list names presses it, one beside the list closes it; the wheel
// scrolls.
func listMouse(m *model, d listDialog, msg tea.MouseMsg) cmd {
	sc := m.nowScene()
	c := d.content(sc)
	v := d.list().Settled(c)
	plan := v.Plan(sc.Screen(), c)
	e := msg.Mouse()
	switch msg.(type) {
	case tea.MouseWheelMsg:
		if v.Open {
			v.Detail = v.Sized(sc.Screen(), c).Detail.Wheel(e.Button)
			break
		}
		switch e.Button {
		case tea.MouseWheelUp:
			v = v.Choose(c, -modal.WheelLines)
		case tea.MouseWheelDown:
			v = v.Choose(c, modal.WheelLines)
		}
	case tea.MouseClickMsg:
		if e.Button != tea.MouseLeft {
			return nil
		}
		if !plan.Box.Contains(e.X, e.Y) {
			m.overlay = nil
			return nil
		}
		switch id := v.RowAt(c, plan, e.X, e.Y); {
		case id == "":
			if a, ok := v.FootAt(sc.Screen(), c, plan, e.X, e.Y); ok {
				d = d.with(v)
				m.overlay = d
				return listBound(m, d, c, m.keys.Of(a))
			}
		case c.Click != "":
			v.ID = id
			d = d.with(v.Settled(c))
			m.overlay = d
			return listAct(m, d, c, c.Click, id)
		case id == v.ID || c.Direct:
			v.ID = id
			v = v.Settled(c)
			m.overlay = d.with(v)
			return listAct(m, d.with(v), c, keymap.ViewOpen, id)
		default:
			v.ID = id
			v = v.Settled(c)
		}
		if e.Y == plan.FilterY && !v.Open && !c.Menu {
			v.Typing = true
		}
	}
	m.overlay = d.with(v)
	return nil
}

// listDialog is a dialog that is a list. The functions below do what all of them
// have in common.
type listDialog interface {
	overlay
	// list is the list's state, with puts another one into the dialog.
	list() listbox.View
	with(listbox.View) listDialog
	// content is what it lists now.
	content(sc *scene) listbox.Content
	// mode has the keys of the dialog's own; act runs them, and those of the list
	// that it wants for itself, on the chosen row ("" if there is none). taken is
	// false for others.
	mode() keymap.Mode
	act(m *model, a keymap.Action, id string) (c cmd, taken bool)
}

// nowScene is the scene as it is, for what a dialog shows.
func (m *model) nowScene() *scene { return m.scene(m.now(), m.shown(), nil) }

// listKey handles a key of a list: of the filter while it is typed, else of the
// dialog, else of all lists.
func listKey(m *model, d listDialog, k input.Key) cmd {
	sc := m.nowScene()
	c := d.content(sc)
	v := d.list().Settled(c)
	d = d.with(v)
	m.overlay = d
	if k.Name == "C-c" {
		m.overlay = nil
		return nil
	}
	if v.Typing || c.Menu {
		return listTyped(m, d, c, k)
	}
	b, ok := m.keys.LookupIn(d.mode(), k.Name)
	if !ok {
		b, ok = m.keys.LookupIn(keymap.ModeViews, k.Name)
	}
	if !ok {
		return nil
	}
	return listBound(m, d, c, b)
}

// listBound runs what is bound on the chosen row, or says why it is not possible.
func listBound(m *model, d listDialog, c listbox.Content, b keymap.Binding) cmd {
	if reason := b.Disabled(m.facts()); reason != "" {
		m.warn(reason)
		return nil
	}
	a := b.Action
	if t, ok := d.(interface {
		translate(keymap.Action) keymap.Action
	}); ok {
		a = t.translate(a)
	}
	return listAct(m, d, c, a, d.list().ID)
}

// listAct runs an action on a row.
func listAct(m *model, d listDialog, c listbox.Content, a keymap.Action, id string) cmd {
	v := d.list()
	if next, taken := d.act(m, a, id); taken {
		return next
	}
	if v.Open {
		if p, ok := v.Sized(m.nowScene().Screen(), c).Detail.Moved(a); ok {
			v.Detail = p
			m.overlay = d.with(v)
			return nil
		}
	}
	if n, ok := listbox.Moves(a, v.Plan(m.nowScene().Screen(), c).Page()); ok {
		m.overlay = d.with(v.Choose(c, n))
		return nil
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
			m.overlay = nil
			return nil
		}
	}
	m.overlay = d.with(v)
	return nil
}

// drawListDialog draws a list or its open row.
func drawListDialog(d listDialog, s *paint.Surface, sc *scene) paint.Cursor {
	c := d.content(sc)
	v := d.list().Settled(c)
	if v.ID != d.list().ID { // what is said about the chosen row
		c = d.with(v).content(sc)
	}
	return v.Draw(s, sc.Screen(), c)
}
