package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"ccdir/internal/keymap"
	"ccdir/internal/textsafe"
	"ccdir/tui/dialog"
	"ccdir/tui/edit"
)

// listTyped takes a key of the filter.
func listTyped(m *model, d listDialog, c listContent, k keyMsg) cmd {
	v := d.list()
	if v.query.Empty() && c.menu {
		if i := slices.IndexFunc(c.items, func(it listItem) bool { return it.key == k.name }); i >= 0 {
			return listAct(m, d.with(v), c, keymap.ViewOpen, c.items[i].id)
		}
	}
	switch k.name {
	case "Escape":
		if c.menu {
			m.overlay = nil
			return nil
		}
		v.typing, v.query = false, edit.Line{}
	case "Enter":
		v.typing = false
		d = d.with(v)
		m.overlay = d
		switch {
		case c.searches:
			return listAct(m, d, c, keymap.ViewOpen, "")
		case c.direct && v.id != "":
			return listAct(m, d, c, keymap.ViewOpen, v.id)
		}
	case "Up", "C-p", "BTab":
		v = v.choose(c, -1)
	case "Tab":
		if v.typing = false; c.menu {
			v = v.choose(c, 1)
		}
	case "Down", "C-n":
		v = v.choose(c, 1)
	case "PPage":
		v = v.choose(c, -v.plan(m.nowScene(), c).page())
	case "NPage":
		v = v.choose(c, v.plan(m.nowScene(), c).page())
	default:
		v.query, _ = v.query.Key(k.name, k.text())
		v.place, v.id = 0, ""
	}
	d = d.with(v)
	m.overlay = d.with(v.settled(d.content(m.nowScene())))
	return nil
}

// listPaste puts a paste into the filter.
func listPaste(m *model, d listDialog, text string) {
	v := d.list()
	if !v.open {
		v.typing, v.place, v.id = true, 0, ""
		v.query = v.query.Insert(textsafe.Line(text))
		m.overlay = d.with(v)
	}
}

// listMouse: a click chooses a row, a click on the chosen one shows it whole, one
// on a key that the list names presses it, one beside the list closes it; the wheel
// scrolls.
func listMouse(m *model, d listDialog, msg tea.MouseMsg) cmd {
	sc := m.nowScene()
	c := d.content(sc)
	v := d.list().settled(c)
	plan := v.plan(sc, c)
	e := msg.Mouse()
	switch msg.(type) {
	case tea.MouseWheelMsg:
		if v.open {
			v.detail = v.sized(sc, c).detail.Wheel(e.Button)
			break
		}
		switch e.Button {
		case tea.MouseWheelUp:
			v = v.choose(c, -dialog.WheelLines)
		case tea.MouseWheelDown:
			v = v.choose(c, dialog.WheelLines)
		}
	case tea.MouseClickMsg:
		if e.Button != tea.MouseLeft {
			return nil
		}
		if !plan.box.Contains(e.X, e.Y) {
			m.overlay = nil
			return nil
		}
		switch id := v.rowAt(c, plan, e.X, e.Y); {
		case id == "":
			if a, ok := v.footAt(sc, c, plan, e.X, e.Y); ok {
				d = d.with(v)
				m.overlay = d
				return listBound(m, d, c, m.keys.Of(a))
			}
		case c.click != "":
			v.id = id
			d = d.with(v.settled(c))
			m.overlay = d
			return listAct(m, d, c, c.click, id)
		case id == v.id || c.direct:
			v.id = id
			v = v.settled(c)
			m.overlay = d.with(v)
			return listAct(m, d.with(v), c, keymap.ViewOpen, id)
		default:
			v.id = id
			v = v.settled(c)
		}
		if e.Y == plan.filterY && !v.open && !c.menu {
			v.typing = true
		}
	}
	m.overlay = d.with(v)
	return nil
}
