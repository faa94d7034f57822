package lists

import (
	tea "charm.land/bubbletea/v2"

	"ccdir/internal/keymap"
	"ccdir/tui/ui"
	"ccdir/tui/widget/listbox"
	"ccdir/tui/widget/modal"
)

// Mouse: a click chooses a row, a click on the chosen one shows it whole, one on a key
// that the list names presses it, one beside the list closes it; the wheel scrolls.
func (d Dialog) Mouse(env ui.Env, msg tea.MouseMsg) (ui.Component, []ui.Effect) {
	if _, guarded := d.Rows.(Guarded); guarded && env.Early {
		return d, nil
	}
	c := d.content(env)
	v := d.View.Settled(c)
	e := msg.Mouse()
	switch msg.(type) {
	case tea.MouseWheelMsg:
		switch {
		case v.Open:
			v.Detail = v.Sized(env.Screen(), c).Detail.Wheel(e.Button)
		default:
			v = v.Choose(c, modal.WheelLines*modal.WheelSteps(e.Button))
		}
	case tea.MouseClickMsg:
		if m, ok := d.Rows.(Menued); ok && e.Button == tea.MouseRight {
			if id := v.RowAt(c, v.Plan(env.Screen(), c), e.X, e.Y); id != "" {
				v.ID = id
				d.View = v.Settled(c)
				return d.act(env, c, m.Menu(), id)
			}
		}
		if e.Button != tea.MouseLeft {
			return d, nil
		}
		d.View = v
		return d.click(env, c, e)
	}
	d.View = v
	return d, nil
}

// click is one with the left button.
func (d Dialog) click(env ui.Env, c listbox.Content, e tea.Mouse) (ui.Component, []ui.Effect) {
	plan := d.View.Plan(env.Screen(), c)
	if !plan.Box.Contains(e.X, e.Y) {
		return d, closing
	}
	id := d.View.RowAt(c, plan, e.X, e.Y)
	if id == "" {
		if a, ok := d.View.FootAt(env.Screen(), c, plan, e.X, e.Y); ok {
			return d.bound(env, c, env.Keys.Of(a))
		}
	} else {
		again := id == d.View.ID
		d.View.ID = id
		d.View = d.View.Settled(c)
		switch {
		case c.Click != "":
			return d.act(env, c, c.Click, id)
		case again || c.Direct:
			return d.act(env, c, keymap.ViewOpen, id)
		}
	}
	if e.Y == plan.FilterY && !d.View.Open && !c.Menu {
		d.View.Typing = true
	}
	return d, nil
}
