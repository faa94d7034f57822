package tui

import (
	"cmp"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/internal/cells"
	"ccdir/tui/grid/tiling"
	"ccdir/tui/paint"
	"ccdir/tui/terminal"
	"ccdir/tui/ui"
	"ccdir/tui/underway"
	"ccdir/tui/widget/theme"
)

// layer is a component that lies over the grid, and those below it. Scenes share layers:
// they are replaced, never changed in place. Nil is nothing over the grid.
type layer struct {
	ui.Component
	id    ui.ID          // answers find it by that
	popup uint64         // keys typed before this popup was on the screen come early
	call  *underway.Call // the call that it waits for; nil for none
	under *layer         // the component that comes back when it closes
}

// env is the components' read-only view of now.
func (m *model) env() ui.Env { return m.envAt(m.now()) }

func (m *model) envAt(now time.Time) ui.Env {
	world := m.World
	world.Names = m.AllNames()
	src := m.listSource()
	cols, rows := m.grid.NextSize()
	return ui.Env{
		Now: now, Cols: m.cols, Rows: m.rows, Theme: m.theme, Keys: m.keys, Facts: m.facts(), Home: m.opts.getenv("HOME"),
		Bottom: bottomOf(m.grid.Layout, m.rows),
		Dir:    m.opts.Dir, Environ: m.opts.Env, ConfigFile: m.opts.ConfigFile, Templates: m.opts.Templates, Walls: m.opts.Walls, Tiles: m.tiles(),
		Focus: m.grid.Focus, Float: m.grid.FloatRect(), ReadOnly: m.opts.ReadOnly, Typed: m.router.LastInput(), World: &world,
		Writing: m.mode == modePrompt, CanQueue: m.canQueue(), Banner: m.banner(), NextCols: cols, NextRows: rows,
		Unseen: m.unseen, Clear: m.overlay == nil && m.mode == modePane, Column: m.grid.Layout.List, EventsAt: m.grid.Layout.Sidebar, InEvents: m.mode == modeEvents, List: src,
	}
}

// bottomOf is the row of the status line, or that after the last one.
func bottomOf(l tiling.Screen, rows int) int {
	if l.Status.Empty() {
		return rows
	}
	return l.Status.Y
}

// open puts a component in front of what is open.
func (m *model) open(c ui.Component) {
	m.openOver(m.overlay, c)
}

// openOver opens a component that under comes back from, nil for nothing.
func (m *model) openOver(under *layer, c ui.Component) {
	m.popups++
	m.overlay = &layer{Component: c, id: ui.Opened(m.popups), popup: m.popups, under: under}
	m.refresh()
}

// front is the component in front, nil if there is none.
func (m *model) front() ui.Component {
	if m.overlay == nil {
		return nil
	}
	return m.overlay.Component
}

func (l *layer) key(m *model, k ui.Key) {
	if l.waits() != "" {
		m.typedAhead(l, k)
		return
	}
	c, effects := l.Key(m.envFor(l, k.At), k)
	m.became(l, c, effects)
}

func (l *layer) paste(m *model, text string) {
	if l.waits() != "" {
		m.carryOut(ui.Nobody, m.typeahead.keep(terminal.Typed{Paste: []byte(text), At: m.now()}))
		return
	}
	if p, ok := l.Component.(ui.Paster); ok {
		next := *l
		next.Component = p.Paste(m.env(), text)
		m.overlay = &next
	}
}

func (l *layer) mouse(m *model, msg tea.MouseMsg) {
	p, ok := l.Component.(ui.Mouser)
	if !ok {
		return
	}
	c, effects := p.Mouse(m.envFor(l, cmp.Or(m.pointed, m.now())), msg)
	m.became(l, c, effects)
}

// envFor is the Env for what came at that time.
func (m *model) envFor(l *layer, at time.Time) ui.Env {
	env := m.env()
	shown, ok := m.popupShown(l.popup)
	env.Early = !ok || at.Before(shown)
	return env
}

// refresh lets the component in front follow what is known.
func (m *model) refresh() {
	r, ok := m.front().(ui.Refresher)
	if !ok {
		return
	}
	c, effects := r.Refresh(m.env())
	m.became(m.overlay, c, effects)
}

// nextWake is when the component must be drawn again; zero: never.
func (l *layer) nextWake(env ui.Env) time.Time {
	if l == nil {
		return time.Time{}
	}
	if w, ok := l.Component.(ui.Waker); ok {
		return w.NextWake(env)
	}
	return time.Time{}
}

// waits names the call that the component waits for; "" for none.
func (l *layer) waits() string {
	if l == nil {
		return ""
	}
	if b, ok := l.Component.(ui.Busy); ok {
		return b.Waits()
	}
	return ""
}

// yieldsPrefix reports whether the prefix key leaves the component.
func (l *layer) yieldsPrefix() bool {
	if l == nil {
		return false
	}
	p, ok := l.Component.(ui.PrefixYielder)
	return ok && p.YieldsPrefix()
}

// large reports whether the component may be as high as the screen: those do that show
// much and ask nothing.
func (l *layer) large() bool { return l.yieldsPrefix() && !l.asks() }

// chip is the component's name in the status line, and its colour.
func (l *layer) chip(t *theme.Theme) (string, cells.Color) {
	name, c := "DIALOG", t.Accent
	if n, ok := l.Component.(ui.Named); ok {
		name = cmp.Or(n.Chip(), name)
	}
	if tinted, ok := l.Component.(ui.Tinted); ok {
		c = tinted.Tint(t)
	}
	return " " + name + " ", c
}

// asks reports whether the component's keys are answers.
func (l *layer) asks() bool {
	if l == nil {
		return false
	}
	a, ok := l.Component.(ui.Asker)
	return ok && a.Asks()
}

// became puts what a component has become in its place and carries its effects out.
func (m *model) became(l *layer, c ui.Component, effects []ui.Effect) {
	m.overlay = m.overlay.changed(l.id, func(now *layer) { now.Component = c })
	m.carryOut(l.id, effects)
}

// changed is the layers with the one of that number changed by f.
func (l *layer) changed(id ui.ID, f func(*layer)) *layer {
	if l == nil {
		return nil
	}
	next := *l
	if next.id == id {
		f(&next)
	} else {
		next.under = l.under.changed(id, f)
	}
	return &next
}

// find finds the layer of an open component, nil if it has closed.
func (l *layer) find(id ui.ID) *layer {
	for l != nil && l.id != id {
		l = l.under
	}
	return l
}

// has reports whether the component with that number is open.
func (l *layer) has(id ui.ID) bool { return l.find(id) != nil }

// waiter is the component in front if it has that number, or any for Nobody, and waits for
// the daemon.
func (l *layer) waiter(id ui.ID) *layer {
	if l.waits() == "" || id != ui.Nobody && l.id != id {
		return nil
	}
	return l
}

// leavesPrefix reports whether the prefix key is ccdir's by now, and the key after it: a
// dialog in which something is being written takes it for itself.
func (l *layer) leavesPrefix() bool { return l == nil || l.waits() != "" || l.yieldsPrefix() }

// part is the part of that number, nil if it is none's.
func (m *model) part(id ui.ID) ui.Part {
	if id == ui.Nobody || id > ui.ID(len(m.parts)) {
		return nil
	}
	return m.parts[id-1]
}

// receive gives a component or a part the answer to its call.
func (m *model) receive(id ui.ID, value any, err error) {
	if p := m.part(id); p != nil {
		m.carryOut(id, p.Receive(m.env(), value, err))
		return
	}
	l := m.overlay.find(id)
	if l == nil {
		return
	}
	r, ok := l.Component.(ui.Receiver)
	if !ok {
		return
	}
	c, effects := r.Receive(m.env(), value, err)
	m.became(l, c, effects)
}

// titleSign is how many columns of a pane's title have its number and its state.
const titleSign = 8

// covers reports whether the component lies over the sign of a pane's state.
func (l *layer) covers(env ui.Env, caps paint.Caps, t ui.Tile) bool {
	if l == nil {
		return false
	}
	sign := paint.Rect{X: t.Rect.X, Y: t.Rect.Y, W: min(t.Rect.W, titleSign), H: 1}
	s := paint.NewSurface(env.Cols, env.Rows, caps)
	s.Text(sign.X, sign.Y, sign.W, strings.Repeat("¤", sign.W), cells.Style{}) // no dialog has these
	before := slices.Clone(s.Row(sign.Y)[sign.X : sign.X+sign.W])
	l.Draw(env, s)
	after := s.Row(sign.Y)[sign.X : sign.X+sign.W]
	for i := range before {
		if before[i] == after[i] {
			return false
		}
	}
	return len(before) > 0
}
