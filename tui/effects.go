package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"ccdir/internal/keymap"
	"ccdir/tui/copymode/clipboard"
	"ccdir/tui/ui"
)

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
		return m.doEffect(e)
	case ui.Tell:
		return m.tellFront(e.Value)
	case ui.Start:
		return m.startFor(id, e)
	case ui.Unstarted:
		m.unstarted = e.Prompt
	case ui.Started:
		m.focusStarted(e.Session, e.Typed)
	case ui.Arrived:
		m.typeahead.ready = true
	case ui.Pass:
		return m.key(e.Key)
	case ui.QueueCall:
		return m.queueDo(e)
	case ui.Remember:
		return m.promptDoes(m.prompt.Remember(m.env(), e.Text))
	case ui.Anew:
		if l := m.overlay; l != nil && l.id == id {
			popup := m.openPopup()
			m.change(id, func(l *layer) { l.popup = popup })
		}
	case ui.Write:
		return m.openPrompt(true, e.To)
	case ui.Hide:
		for _, v := range e.Sessions {
			m.grid.Hide(v, e.Hidden)
		}
	case ui.CancelWork:
		return m.cancelOne(e.ID)
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
		return m.receive(sidebarPart, e.Value, nil)
	case ui.Arranged:
		m.grid.Changed()
		if e.Hold {
			m.grid.Hold(m.now())
		}
	case ui.Border:
		m.border(e)
	case ui.PassMouse:
		return m.mouse(e.Msg)
	case ui.Input:
		m.toPaneInput(e.Input)
	case ui.Copy:
		return m.carryOut(0, m.clipboard.Copy(m.env(), clipboard.Way{Command: m.opts.CopyCommand, Via: m.caps.Clipboard}, e.Text))
	case ui.Suspend:
		return m.lend(e)
	case ui.Learn:
		m.answered(e.Session)
	case ui.Call:
		return m.callFor(id, e)
	case ui.Stream:
		return m.streamFor(id, e)
	case ui.Batch:
		return m.batchFor(id, e)
	}
	return nil
}

// lend gives the terminal to what a component runs.
func (m *model) lend(e ui.Suspend) cmd {
	suspend, ctx := m.suspend, m.ctx
	if suspend == nil {
		return nil // tests of the model alone
	}
	return func() tea.Msg { return resultMsg{what: e.What, err: e.Run(ctx, suspend)} }
}

// startFor starts what a component asks for.
func (m *model) startFor(id uint64, e ui.Start) cmd {
	if e.Count > 1 {
		return m.createSeveral(e.Session, e.Count)
	}
	n := e.Session
	n.Env = m.opts.Env
	n.Cols, n.Rows = m.grid.NextSize()
	before := ui.Making{Session: e.Before}
	of := m.setOut(startingOne)
	m.change(id, func(l *layer) { l.call = of })
	return m.create(id, of, before.NamedSession(n))
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
			if c.Done != nil {
				m.later = append(m.later, m.carryOut(id, c.Done(m.env())))
			}
		}
		m.later = append(m.later, m.receive(id, result.Value, err))
	}
	var turn ui.Turn
	if c.Turn != "" {
		turn = m.turns.Join(c.Turn)
	}
	most := callWithin
	if c.Patient {
		most = workWithin
	}
	return m.callNamed(c.What, most, func(calls calls) (_ func(*model), err error) {
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
			m.later = append(m.later, m.carryOut(id, c.Failed(m.env(), err)))
		case c.What != "":
			m.warn(ui.Failure(c.What, err))
		}
		answered(m, err)
	})
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
	case e.Action == keymap.New && strings.Contains(e.Arg, "/"):
		return m.openNewIn(e.Arg)
	case e.Action == keymap.Restart && v != nil:
		return m.restart(*v)
	case e.Action == keymap.Snooze && v != nil:
		return m.carryOut(0, m.attention.Snooze(m.env(), v.ID))
	case e.Action == keymap.AnswerNext:
		return m.nextRequest(e.Arg)
	case e.Action == keymap.Policy && v != nil:
		return m.openPolicy(*v)
	case keymap.ModeOf(m.keys.Of(e.Action).Group) == keymap.ModeList:
		return m.sidebarDoes(e.Action)
	}
	return m.run(m.keys.Of(e.Action), ui.Key{Name: e.Arg, At: m.now()})
}
