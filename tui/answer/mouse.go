package answer

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"ccdir/tui/ui"
	"ccdir/tui/widget/modal"
)

// Mouse: a click on an answer is that answer; one on a choice marks it, and takes
// it if it is marked. One beside the bar answers nothing.
func (d bar) Mouse(env ui.Env, msg tea.MouseMsg) (ui.Component, []ui.Effect) {
	if _, wheel := msg.(tea.MouseWheelMsg); wheel {
		if name := map[int]string{-1: "Up", 1: "Down"}[modal.WheelSteps(msg.Mouse().Button)]; name != "" {
			return d.Key(env, ui.Key{Name: name, At: env.Now})
		}
		return d, nil
	}
	e, ok := modal.Clicked(msg)
	if !ok || env.Early {
		return d, nil
	}
	p := d.plan(env)
	i := e.Y - (p.in.Y + p.in.H - len(p.foot))
	switch {
	case !p.box.Contains(e.X, e.Y):
		if !d.writes() && d.step != stepSending {
			return d, closing
		}
	case i < 0 || i >= len(p.foot):
	case p.foot[i].pick > 0 && d.step == stepChoose && d.paged():
		return d.Key(env, ui.Key{Name: strconv.Itoa(p.foot[i].pick), At: env.Now})
	case p.foot[i].pick > 0 && p.foot[i].mark && !d.req.Multiple:
		return d.Key(env, ui.Key{Name: "Enter", At: env.Now})
	case p.foot[i].pick > 0 && d.step == stepChoose && !d.req.Multiple:
		d.sel, d.problem = p.foot[i].pick-1, ""
	case p.foot[i].pick > 0:
		return d.Key(env, ui.Key{Name: strconv.Itoa(p.foot[i].pick), At: env.Now})
	case p.foot[i].keys:
		if name := modal.FootKeyAt(p.foot[i].text, e.X-p.in.X); name != "" {
			return d.Key(env, ui.Key{Name: name, At: env.Now})
		}
	}
	return d, nil
}
