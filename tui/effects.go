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
	case then:
		e.do(m)
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
		m.start(id, e)
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
		m.carryOut(0, m.clipboard.Copy(m.env(), clipboard.Way{Command: m.opts.CopyCommand, Via: m.caps.Clipboard}, e))
	case ui.Suspend:
		m.lend(e)
	case ui.Learn:
		m.answered(e.Session)
	case ui.Call:
		m.call(id, e)
	case ui.Stream:
		m.streamFor(id, e)
	case ui.Batch:
		m.startBatch(id, e)
	}
}

// lend gives the terminal to what a component runs.
func (m *model) lend(e ui.Suspend) {
	suspend, ctx := m.suspend, m.ctx
	if suspend == nil {
		return // tests of the model alone
	}
	m.out.put(func() tea.Msg { return resultMsg{err: e.Run(ctx, suspend), over: m.told(e.What)} })
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
