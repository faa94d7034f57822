package newsession

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/modal"
)

// Mouse: a click on a field goes there, one on an agent or a directory chooses it.
// One beside the dialog closes it as long as nothing would be lost.
func (d dialog) Mouse(env ui.Env, msg tea.MouseMsg) (ui.Component, []ui.Effect) {
	if d.setup != nil {
		return d.setupMouse(env, msg)
	}
	if _, wheel := msg.(tea.MouseWheelMsg); wheel {
		switch modal.WheelSteps(msg.Mouse().Button) {
		case -1:
			return d.vertical(false), nil
		case 1:
			return d.vertical(true), nil
		}
		return d, nil
	}
	e, ok := modal.Clicked(msg)
	if !ok || d.busy {
		return d, nil
	}
	box, notes := d.place(env)
	in := paint.Rect{X: box.X + 2, Y: box.Y + 1, W: box.W - 4, H: box.H - 2}
	row := e.Y - in.Y
	first, fields := d.window(env)
	switch {
	case !box.Contains(e.X, e.Y):
		if d.fields[fieldPrompt].Empty() && d.fields[fieldName].Empty() {
			return d, []ui.Effect{ui.Close{}}
		}
	case row == in.H-1:
		if name := modal.FootKeyAt(foot, e.X-in.X); name != "" {
			return d.Key(env, ui.Key{Name: name, At: env.Now})
		}
	case row >= 0 && row < fields:
		shown := d.shown()
		if d = d.step(first + row - slices.Index(shown, d.at)); d.at == fieldAgent {
			d.agent = d.agentAt(e.X-in.X-labelWidth, d.agent)
		}
	default:
		if i := d.offerAt(notes, row-fields); i >= 0 && i < len(d.offers()) {
			d = d.take(i)
		}
	}
	return d, nil
}

// agentAt is the agent at column x of their row, else old.
func (d dialog) agentAt(x, old int) int {
	at := 0
	for i, a := range d.agents {
		w := paint.Width(textsafe.Line(a.Name))
		if a.Path == "" {
			w++
		}
		if i == d.agent {
			w += 2
		}
		if x >= at && x < at+w {
			return i
		}
		at += w + 1
	}
	return old
}

// offerAt is the offer that a line of the notes names, -1 for others.
func (d dialog) offerAt(notes []string, line int) int {
	if line < 0 || line >= len(notes) || len(d.names) > 0 {
		return -1
	}
	i := -1
	for _, n := range notes[:line+1] {
		if strings.HasPrefix(n, "  ") || strings.HasPrefix(n, "▸ ") {
			i++
		} else {
			i = -1
		}
	}
	return i
}
