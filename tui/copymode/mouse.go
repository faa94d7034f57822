package copymode

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/tui/copymode/core"
	"ccdir/tui/ui"
	"ccdir/tui/widget/modal"
)

const (
	// clickTime: clicks within it on the same cell count together.
	clickTime = 400 * time.Millisecond
	// scrollEvery is how often a pointer that is held above or below the pane scrolls.
	scrollEvery = 50 * time.Millisecond
)

// press is a selection that may begin: the left button is down in a pane whose program
// does not have the mouse.
type press struct {
	tile   ui.Tile
	x, y   int
	clicks int
	at     time.Time
	down   bool
	// held is where the pointer is held above or below the pane, which scrolls on at next;
	// zero if it is not.
	held tea.Mouse
	next time.Time
}

// NextWake is when Refresh scrolls on or looks again, the zero time if never.
func (p *Panes) NextWake(ui.Env) time.Time {
	if due := p.seek.due; p.press.next.IsZero() || !due.IsZero() && due.Before(p.press.next) {
		return due
	}
	return p.press.next
}

// Mouse takes what nobody else wants over a pane: presses and the wheel.
func (p *Panes) Mouse(env ui.Env, msg tea.MouseMsg) (effects []ui.Effect, taken bool) {
	e := msg.Mouse()
	t, ok := env.TileAt(e.X, e.Y)
	if !ok {
		return nil, false
	}
	switch msg.(type) {
	case tea.MouseClickMsg:
		return p.pressAt(env, t, e), true
	case tea.MouseWheelMsg:
		return p.wheel(t, e), true
	}
	return nil, false
}

// pressAt notes a press of the left button on a pane's text. A second and a third one select
// a word and a line at once.
func (p *Panes) pressAt(env ui.Env, t ui.Tile, e tea.Mouse) []ui.Effect {
	if !t.Inner().Contains(e.X, e.Y) {
		return nil
	}
	s := &p.press
	again := s.tile.ID() == t.ID() && s.x == e.X && s.y == e.Y && env.Now.Sub(s.at) < clickTime
	clicks := 1
	if again {
		clicks = s.clicks%3 + 1
	}
	*s = press{tile: t, x: e.X, y: e.Y, clicks: clicks, at: env.Now, down: true}
	if v := p.views[t.ID()]; v != nil && clicks == 1 {
		v.st.Kind = core.None
		v.st.Jump(v.lineAt(t, e.X, e.Y))
	}
	if clicks > 1 {
		return p.drag(env, e)
	}
	return nil
}

// lineAt is the line and column below a cell of the screen, within the pane.
func (v *View) lineAt(t ui.Tile, x, y int) core.Pos {
	in := t.Inner()
	x, y = min(max(x-in.X, 0), in.W-1), min(max(y-in.Y, 0), in.H-1)
	return core.Pos{Line: v.st.Top + y, Col: v.st.Left + x}
}

// drag selects from where the button went down to the pointer, never beyond the pane; a
// pointer above or below it scrolls.
func (p *Panes) drag(env ui.Env, e tea.Mouse) []ui.Effect {
	s := &p.press
	s.next = time.Time{}
	t, shown := env.Tile(s.tile.ID())
	if !shown {
		return nil // until the button is let go
	}
	if t.Rect != s.tile.Rect { // it has moved: what was below the press is not known any more
		s.tile, s.x, s.y = t, e.X, e.Y
	}
	v := p.views[t.ID()]
	var effects []ui.Effect
	if v == nil {
		if v, effects = p.enter(t, true); v == nil {
			s.down = false
			return effects
		}
	}
	if !v.dragging {
		v.dragging = true
		v.st.Kind = core.None
		v.st.Jump(v.lineAt(t, s.x, s.y))
		v.st.Select([]core.Kind{core.Char, core.Words, core.Lines}[s.clicks-1])
		if e.Mod&tea.ModAlt != 0 || e.Mod&tea.ModCtrl != 0 {
			v.st.Kind = core.Block
		}
	}
	p.scrollPast(env, v, t, e)
	v.st.Jump(v.lineAt(t, e.X, e.Y))
	return append(effects, v.load()...)
}

// scrollPast scrolls towards a pointer above or below the pane, and goes on as long as
// there is something to come.
func (p *Panes) scrollPast(env ui.Env, v *View, t ui.Tile, e tea.Mouse) {
	in, top, n := t.Inner(), v.st.Top, 0
	switch {
	case e.Y < in.Y:
		n = e.Y - in.Y
	case e.Y >= in.Y+in.H:
		n = e.Y - in.Y - in.H + 1
	}
	v.st.Scroll(n)
	if v.st.Top != top || n < 0 && !v.complete {
		p.press.held, p.press.next = e, env.Now.Add(scrollEvery)
	}
}

// scrollOn scrolls on below a pointer that is held.
func (p *Panes) scrollOn(env ui.Env) []ui.Effect {
	s := &p.press
	if !s.down || s.next.IsZero() || env.Now.Before(s.next) {
		return nil
	}
	return p.drag(env, s.held)
}

// release copies what was selected.
func (p *Panes) release() []ui.Effect {
	s := &p.press
	s.down, s.next = false, time.Time{}
	v := p.views[s.tile.ID()]
	if v == nil || !v.dragging {
		if v != nil {
			p.endPeek(v)
		}
		return nil
	}
	v.dragging = false
	return p.yank(v, false)
}

// Drag handles motion and release while the button is down. Anything else ends that and
// is not handled.
func (p *Panes) Drag(env ui.Env, msg tea.MouseMsg) (effects []ui.Effect, taken bool) {
	s := &p.press
	if !s.down {
		return nil, false
	}
	switch msg.(type) {
	case tea.MouseMotionMsg:
		if e := msg.Mouse(); e.X != s.x || e.Y != s.y || p.On(s.tile.ID()) {
			return p.drag(env, e), true
		}
		return nil, true
	case tea.MouseReleaseMsg:
		return p.release(), true
	}
	s.down, s.next = false, time.Time{}
	return nil, false
}

// wheel scrolls through a pane's history.
func (p *Panes) wheel(t ui.Tile, e tea.Mouse) []ui.Effect {
	n := modal.WheelLines
	switch e.Button {
	case tea.MouseWheelUp:
		n = -n
	case tea.MouseWheelDown:
	default:
		return nil
	}
	v := p.views[t.ID()]
	if v == nil {
		if n > 0 || t.Pane == nil || !t.Pane.HasPicture() {
			return nil
		}
		v, effects := p.enter(t, true)
		if v == nil {
			return effects
		}
		v.toScroll = n
		return append(effects, v.load()...)
	}
	if !v.known || v.toScroll != 0 {
		v.toScroll += n // there is nothing above the screen yet to scroll to
		return nil
	}
	v.st.Scroll(n)
	p.endPeek(v)
	return v.load()
}
