package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"ccdir/internal/keymap"
	"ccdir/tui/copymode/clipboard"
	"ccdir/tui/ui"
)

// carryOut carries out the effects of the component with that number.
func (m *model) carryOut(id uint64, effects []ui.Effect) {
	for _, e := range effects {
		m.effect(id, e)
	}
}

func (m *model) effect(id uint64, e ui.Effect) {
	switch e := e.(type) {
	case ui.Say:
		m.say(e.Text)
	case ui.Warn:
		m.warn(e.Text)
	case ui.Open:
		m.open(e.Component)
	case ui.Close:
		if id == sidebarPart || id == partPrompt && m.mode == modePrompt {
			m.mode = modePane
		}
		if l := m.overlay; l != nil && l.id == id {
			m.overlay = l.under
		}
	case ui.CloseAll:
		m.overlay = nil
	case ui.Find:
		if m.openSession(e.Session); m.grid.Focus == e.Session {
			m.copies.Seek(m.env(), e.Session, e.Text)
		}
	case ui.Focus:
		m.openSession(e.Session)
	case ui.Do:
		m.doEffect(e)
	case ui.Tell:
		m.tellFront(e.Value)
	case ui.Start:
		m.startFor(id, e)
	case ui.Unstarted:
		m.unstarted = e.Prompt
	case ui.Started:
		m.focusStarted(e.Session, e.Typed)
	case ui.Arrived:
		m.typeahead.ready = true
	case ui.Pass:
		m.key(e.Key)
	case ui.QueueCall:
		m.queueDo(e)
	case ui.Remember:
		m.promptDoes(m.prompt.Remember(m.env(), e.Text))
	case ui.Anew:
		if l := m.overlay; l != nil && l.id == id {
			popup := m.openPopup()
			m.change(id, func(l *layer) { l.popup = popup })
		}
	case ui.Write:
		m.openPrompt(true, e.To)
	case ui.Hide:
		for _, v := range e.Sessions {
			m.grid.Hide(v, e.Hidden)
		}
	case ui.CancelWork:
		m.cancelOne(e.ID)
	case ui.Quit:
		if m.abandons = e.Abandon; e.Abandon {
			m.quitting = true
		} else {
			m.leave()
		}
	case ui.Emit:
		if m.emit != nil {
			m.emit(e.Bytes)
		}
	case ui.Sidebar:
		m.receive(sidebarPart, e.Value, nil)
	case ui.Arranged:
		m.grid.Changed()
		if e.Hold {
			m.grid.Hold(m.now())
		}
	case ui.Border:
		m.border(e)
	case ui.PassMouse:
		m.mouse(e.Msg)
	case ui.Input:
		m.toPaneInput(e.Input)
	case ui.Copy:
		m.carryOut(0, m.clipboard.Copy(m.env(), clipboard.Way{Command: m.opts.CopyCommand, Via: m.caps.Clipboard}, e.Text))
	case ui.Suspend:
		m.lend(e)
	case ui.Learn:
		m.answered(e.Session)
	case ui.Call:
		m.callFor(id, e)
	case ui.Stream:
		m.streamFor(id, e)
	case ui.Batch:
		m.batchFor(id, e)
	}
}

// lend gives the terminal to what a component runs.
func (m *model) lend(e ui.Suspend) {
	suspend, ctx := m.suspend, m.ctx
	if suspend == nil {
		return // tests of the model alone
	}
	m.out.put(func() tea.Msg { return resultMsg{what: e.What, err: e.Run(ctx, suspend)} })
}

// startFor starts what a component asks for.
func (m *model) startFor(id uint64, e ui.Start) {
	if e.Count > 1 {
		m.createSeveral(e.Session, e.Count)
		return
	}
	n := e.Session
	n.Env = m.opts.Env
	n.Cols, n.Rows = m.grid.NextSize()
	before := ui.Making{Session: e.Before}
	of := m.setOut(startingOne)
	m.change(id, func(l *layer) { l.call = of })
	m.create(id, of, before.NamedSession(n))
}

// callFor makes a component's call. Its answer comes to the component if it is open
// by then.
func (m *model) callFor(id uint64, c ui.Call) {
	if m.opts.Client == nil {
		m.receive(id, nil, ui.ErrUnknown)
		return // tests of the model alone
	}
	var result ui.Result
	answered := func(m *model, err error) {
		if err == nil {
			m.carryOut(id, result.Effects)
			if c.Done != nil {
				m.carryOut(id, c.Done(m.env()))
			}
		}
		m.receive(id, result.Value, err)
	}
	var turn ui.Turn
	if c.Turn != "" {
		turn = m.turns.Join(c.Turn)
	}
	most := callWithin
	if c.Patient {
		most = workWithin
	}
	m.callNamed(c.What, most, func(calls calls) (_ func(*model), err error) {
		defer turn.Over()
		if err := turn.Wait(calls.ctx); err != nil {
			return nil, err
		}
		result, err = c.Run(calls.ctx, calls.Client)
		return func(m *model) { answered(m, nil) }, err
	}, func(m *model, err error) {
		switch {
		case c.Own && m.layerOf(id) != nil:
		case c.Failed != nil:
			m.carryOut(id, c.Failed(m.env(), err))
		case c.What != "":
			m.warn(ui.Failure(c.What, err))
		}
		answered(m, err)
	})
}

// batchFor begins a component's batch.
func (m *model) batchFor(id uint64, b ui.Batch) {
	steps := make([]batchStep, 0, len(b.Steps))
	for _, s := range b.Steps {
		steps = append(steps, batchStep{s.Name, func(c calls) (func(*model), error) {
			result, err := s.Run(c.ctx, c.Client)
			return func(m *model) {
				m.carryOut(id, result.Effects)
				m.receive(id, result.Value, nil)
			}, err
		}})
	}
	m.startBatch(batch{what: b.What, noun: b.Noun, steps: steps, abreast: b.Abreast})
}

// doEffect runs an action that a component asks for.
func (m *model) doEffect(e ui.Do) {
	v := m.session(e.Arg)
	switch {
	case e.Action == keymap.List:
		m.openList(e.Arg)
		return
	case e.Action == keymap.New && strings.Contains(e.Arg, "/"):
		m.openNewIn(e.Arg)
		return
	case e.Action == keymap.Restart && v != nil:
		m.restart(*v)
		return
	case e.Action == keymap.Snooze && v != nil:
		m.carryOut(0, m.attention.Snooze(m.env(), v.ID))
		return
	case e.Action == keymap.AnswerNext:
		m.nextRequest(e.Arg)
		return
	case e.Action == keymap.Policy && v != nil:
		m.openPolicy(*v)
		return
	case keymap.ModeOf(m.keys.Of(e.Action).Group) == keymap.ModeList:
		m.sidebarDoes(e.Action)
		return
	}
	m.run(m.keys.Of(e.Action), ui.Key{Name: e.Arg, At: m.now()})
}
