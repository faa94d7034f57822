package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/internal/keymap"
	"ccdir/tui/paint"
	"ccdir/tui/terminal"
	"ccdir/tui/ui"
)

// layer is a component that lies over the grid. It is an overlay, so that components
// and the dialogs that are none yet lie over one another.
type layer struct {
	ui.Component
	id    uint64    // answers find it by that
	popup uint64    // keys typed before this popup was on the screen come early
	call  *underway // what it waits for, nil if it does not
	under overlay   // what comes back when it closes, nil nothing
}

// env is what components may know now.
func (m *model) env() ui.Env { return m.envAt(m.now()) }

func (m *model) envAt(now time.Time) ui.Env {
	world := m.World
	world.Names = m.names()
	return ui.Env{
		Now: now, Cols: m.cols, Rows: m.rows, Theme: m.theme, Keys: m.keys, Facts: m.facts(), Home: m.opts.getenv("HOME"),
		Focus: m.focus, ReadOnly: m.opts.ReadOnly, Typed: m.router.LastInput(), World: &world, Column: m.layout.List, List: m.listSource(),
	}
}

// open puts a component in front of what is open.
func (m *model) open(c ui.Component) cmd { return m.openOver(m.overlay, c) }

// openOver opens a component that under comes back from, nil for nothing.
func (m *model) openOver(under overlay, c ui.Component) cmd {
	id := m.openPopup()
	l := layer{Component: c, id: id, popup: id, under: under}
	m.overlay = l
	return m.refresh()
}

// front is the component in front, nil if there is none.
func (m *model) front() ui.Component {
	l, _ := m.overlay.(layer)
	return l.Component
}

func (l layer) draw(s *paint.Surface, sc *scene) paint.Cursor { return l.Draw(sc.Env, s) }

func (l layer) key(m *model, k ui.Key) cmd {
	if l.waits() != "" {
		return m.typedAhead(l, k)
	}
	c, effects := l.Key(m.envFor(l, k.At), k)
	return m.became(l, c, effects)
}

func (l layer) paste(m *model, text string) {
	if l.waits() != "" {
		m.hold(terminal.Typed{Paste: []byte(text), At: m.now()})
		return
	}
	if p, ok := l.Component.(ui.Paster); ok {
		l.Component = p.Paste(m.env(), text)
		m.overlay = l
	}
}

func (l layer) mouse(m *model, msg tea.MouseMsg) cmd {
	p, ok := l.Component.(ui.Mouser)
	if !ok {
		return nil
	}
	c, effects := p.Mouse(m.envFor(l, m.clickedAt()), msg)
	return m.became(l, c, effects)
}

// envFor is the Env for what came at that time.
func (m *model) envFor(l layer, at time.Time) ui.Env {
	env := m.env()
	env.Early = !m.seen(l.popup, at)
	return env
}

// refresh lets the component in front follow what is known.
func (m *model) refresh() cmd {
	l, _ := m.overlay.(layer)
	r, ok := l.Component.(ui.Refresher)
	if !ok {
		return nil
	}
	c, effects := r.Refresh(m.env())
	return m.became(l, c, effects)
}

// nextWake is when the component in front is to be drawn anew, the zero time never.
func (m *model) nextWake() time.Time {
	if w, ok := m.front().(ui.Waker); ok {
		return w.NextWake(m.env())
	}
	return time.Time{}
}

// waits is what the component waits for, "" if it doesn't.
func (l layer) waits() string {
	if b, ok := l.Component.(ui.Busy); ok {
		return b.Waits()
	}
	return ""
}

// yieldsPrefix reports whether the prefix key leaves the component.
func (l layer) yieldsPrefix() bool {
	p, ok := l.Component.(ui.PrefixYielder)
	return ok && p.YieldsPrefix()
}

// large reports whether a dialog may be as high as the screen: those do that show much
// and ask nothing.
func large(o overlay) bool {
	switch d := o.(type) {
	case layer:
		return d.yieldsPrefix() && !d.asks()
	case listDialog:
		return true
	}
	return false
}

// overlayChip names what has the keyboard.
func overlayChip(o overlay) string {
	switch o := o.(type) {
	case layer:
		return " " + o.chip() + " "
	case borders:
		return " BORDERS "
	}
	return " DIALOG "
}

// chip is what the status line calls the component.
func (l layer) chip() string {
	if n, ok := l.Component.(ui.Named); ok && n.Chip() != "" {
		return n.Chip()
	}
	return "DIALOG"
}

// asks reports whether the component's keys are answers.
func (l layer) asks() bool {
	a, ok := l.Component.(ui.Asker)
	return ok && a.Asks()
}

// became puts what a component has become in its place and carries its effects out.
func (m *model) became(l layer, c ui.Component, effects []ui.Effect) cmd {
	l.Component = c
	m.overlay = m.replaced(m.overlay, l)
	return m.carryOut(l.id, effects)
}

// replaced is o with the layer in the place of the one with its number.
func (m *model) replaced(o overlay, l layer) overlay {
	now, ok := o.(layer)
	switch {
	case !ok:
		return o
	case now.id == l.id:
		l.under, l.popup, l.call = now.under, now.popup, now.call
		return l
	}
	now.under = m.replaced(now.under, l)
	return now
}

// layerOf finds the layer of an open component.
func (m *model) layerOf(id uint64) (layer, bool) {
	for l, ok := m.overlay.(layer); ok; l, ok = l.under.(layer) {
		if l.id == id {
			return l, true
		}
	}
	return layer{}, false
}

// carryOut carries out the effects of the component with that number.
func (m *model) carryOut(id uint64, effects []ui.Effect) cmd {
	var cmds []cmd
	for _, e := range effects {
		cmds = append(cmds, m.effect(id, e))
	}
	return tea.Batch(cmds...)
}

func (m *model) effect(id uint64, e ui.Effect) cmd {
	switch e := e.(type) {
	case ui.Say:
		m.say(e.Text)
	case ui.Warn:
		m.warn(e.Text)
	case ui.Open:
		return m.open(e.Component)
	case ui.Close:
		if l, ok := m.overlay.(layer); ok && l.id == id {
			m.overlay = l.under
		}
	case ui.CloseAll:
		m.overlay = nil
	case ui.Focus:
		m.openSession(e.Session)
	case ui.Do:
		return m.doEffect(e)
	case ui.Tell:
		return m.tellFront(e.Value)
	case ui.Start:
		return m.startFor(id, e)
	case ui.Unstarted:
		m.unstarted = e.Prompt
	case ui.QueueCall:
		return m.queueDo(e)
	case ui.Remember:
		return m.remember(e.Text)
	case ui.Anew:
		if l, ok := m.overlay.(layer); ok && l.id == id {
			l.popup = m.openPopup()
			m.overlay = l
		}
	case ui.Write:
		return m.writeTo(e.To)
	case ui.Hide:
		for _, v := range e.Sessions {
			m.setHidden(v, e.Hidden)
		}
	case ui.Func:
		e()
		return m.goOn()
	case ui.Quit:
		if m.abandons = e.Abandon; e.Abandon {
			m.quitting = true
		} else {
			m.leave()
		}
	case ui.Learn:
		m.answered(e.Session)
	case ui.Call:
		return m.callFor(id, e)
	case ui.Batch:
		return m.batchFor(id, e)
	}
	return nil
}

// startFor starts what a component asks for.
func (m *model) startFor(id uint64, e ui.Start) cmd {
	if e.Count > 1 {
		return m.createSeveral(e.Session, e.Count)
	}
	n := e.Session
	n.Env = m.opts.Env
	n.Cols, n.Rows = m.nextSize()
	before := making{session: e.Before}
	of := m.setOut(startingOne)
	if l, ok := m.overlay.(layer); ok && l.id == id {
		l.call = of
		m.overlay = l
	}
	return m.create(id, of, before.namedSession(n))
}

// callFor makes a component's call. Its answer comes to the component if it is open
// by then.
func (m *model) callFor(id uint64, c ui.Call) cmd {
	if m.opts.Client == nil {
		return m.receive(id, nil, ui.ErrUnknown) // tests of the model alone
	}
	var result ui.Result
	answered := func(m *model, err error) {
		if err == nil {
			m.later = append(m.later, m.carryOut(id, result.Effects))
		}
		m.later = append(m.later, m.receive(id, result.Value, err))
	}
	var before []chan struct{}
	var over chan struct{}
	if c.Turn != "" {
		before, over = m.prompt.join(c.Turn)
	}
	run := m.callOr(c.What, func(calls calls) (_ func(*model), err error) {
		if err := await(calls.ctx, before); err != nil {
			return nil, err
		}
		result, err = c.Run(calls.ctx, calls.Client)
		return func(m *model) { answered(m, nil) }, err
	}, func(m *model, err error) {
		switch {
		case c.Failed != nil:
			m.later = append(m.later, m.carryOut(id, c.Failed(m.env(), err)))
		case c.What != "":
			m.warn(ui.Failure(c.What, err))
		}
		answered(m, err)
	})
	if over != nil {
		return ending(run, over)
	}
	return run
}

// tellFront gives what is in front a value.
func (m *model) tellFront(value any) cmd {
	l, _ := m.overlay.(layer)
	return m.receive(l.id, value, nil)
}

// receive gives a component the answer to its call.
func (m *model) receive(id uint64, value any, err error) cmd {
	l, open := m.layerOf(id)
	r, ok := l.Component.(ui.Receiver)
	if !open || !ok {
		return nil
	}
	c, effects := r.Receive(m.env(), value, err)
	return m.became(l, c, effects)
}

// batchFor begins a component's batch.
func (m *model) batchFor(id uint64, b ui.Batch) cmd {
	steps := make([]batchStep, 0, len(b.Steps))
	for _, s := range b.Steps {
		steps = append(steps, batchStep{s.Name, func(c calls) (func(*model), error) {
			result, err := s.Run(c.ctx, c.Client)
			return func(m *model) {
				m.later = append(m.later, m.carryOut(id, result.Effects), m.receive(id, result.Value, nil))
			}, err
		}})
	}
	return m.startBatch(batch{what: b.What, noun: b.Noun, steps: steps, abreast: b.Abreast})
}

// doEffect runs an action that a component asks for.
func (m *model) doEffect(e ui.Do) cmd {
	v := m.session(e.Arg)
	switch {
	case e.Action == keymap.List:
		return m.openList(e.Arg)
	case e.Action == keymap.Restart && v != nil:
		return m.restart(*v)
	case e.Action == keymap.Snooze && v != nil:
		return m.openSnooze(v.ID)
	case e.Action == keymap.Policy && v != nil:
		return m.openPolicy(*v)
	case keymap.ModeOf(m.keys.Of(e.Action).Group) == keymap.ModeList:
		return m.arrangeList(e.Action)
	}
	return m.run(m.keys.Of(e.Action), ui.Key{Name: e.Arg, At: m.now()})
}
