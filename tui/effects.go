package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"ccdir/internal/keymap"
	"ccdir/tui/copymode/clipboard"
	"ccdir/tui/dialogs/review"
	"ccdir/tui/ui"
	"ccdir/tui/underway"
)

// carryOut carries out the effects of the component with that number.
func (m *model) carryOut(id ui.ID, effects []ui.Effect) {
	for _, e := range effects {
		m.effect(id, e)
	}
}

func (m *model) effect(id ui.ID, e ui.Effect) {
	switch e := e.(type) {
	case then:
		e.do(m)
	case ui.Say:
		m.say(e.Text)
	case ui.SayFor:
		m.notice = notice{text: e.Text, until: m.now().Add(e.For)}
	case ui.Warn:
		m.warn(e.Text)
	case ui.Open:
		m.open(e.Component)
	case ui.Close:
		m.close(id, e.All)
	case ui.Focus:
		m.openSession(e.Session)
		if e.Text != "" && m.grid.Focus == e.Session {
			m.copies.Seek(m.env(), e.Session, e.Text)
		}
	case ui.Do:
		m.doEffect(id, e)
	case ui.Tell:
		if e.To == ui.Nobody && m.overlay != nil {
			e.To = m.overlay.id
		}
		m.receive(e.To, e.Value, nil)
	case ui.Start:
		m.start(id, e)
	case ui.Learn:
		if e.Server != nil {
			m.Server.Unsaved = e.Server.Unsaved
		}
		if m.Answered(e.Session); e.Started {
			m.focusStarted(e.Session, e.Typed)
		}
	case ui.Arrived:
		m.typeahead.ready = true
	case ui.Anew:
		if m.overlay != nil && m.overlay.id == id {
			m.popups++
			m.overlay = m.overlay.changed(id, func(l *layer) { l.popup = m.popups })
		}
	case ui.Pass:
		m.pass(e)
	case ui.Write:
		m.openPrompt(true, e.To)
	case ui.Emit:
		if m.emit != nil {
			m.emit(e.Bytes)
		}
	case ui.Copy:
		m.carryOut(ui.Nobody, m.clipboard.Copy(m.env(), clipboard.Way{Command: m.opts.CopyCommand, Via: m.caps.Clipboard}, e))
	case ui.Suspend:
		m.lend(e)
	case ui.QueueCall:
		m.carryOut(id, m.work.QueueCall(m.way(), m.env(), e))
	case ui.Call:
		m.call(id, e)
	case ui.Stream:
		if m.opts.Client == nil {
			m.receive(id, ui.Told{Over: true}, ui.ErrUnknown) // tests of the model alone
			return
		}
		m.work.Stream(m.way(), id, e)
	case ui.Batch:
		m.carryOut(id, m.work.Batch(m.way(), m.keys, id, e))
	}
}

// close closes a component, or gives the keyboard of a part back to the pane.
func (m *model) close(id ui.ID, all bool) {
	switch {
	case all:
		m.overlay = nil
	case m.part(id) != nil:
		m.mode = modePane
	case m.overlay != nil && m.overlay.id == id:
		m.overlay = m.overlay.under
	}
}

// pass gives input to what has it by now.
func (m *model) pass(e ui.Pass) {
	switch {
	case e.Input != nil:
		m.toPaneInput(e.Input)
	case e.Mouse != nil:
		m.mouse(e.Mouse)
	default:
		m.key(e.Key)
	}
}

// lend gives the terminal to what a component runs.
func (m *model) lend(e ui.Suspend) {
	suspend, ctx := m.suspend, m.ctx
	if suspend == nil {
		return // tests of the model alone
	}
	m.out.Put(func() tea.Msg { return underway.Over{Err: e.Run(ctx, suspend), What: e.What} })
}

// doEffect runs an action that the component with that number asks for.
func (m *model) doEffect(id ui.ID, e ui.Do) {
	v, r := m.Session(e.Arg), m.Request(e.Arg)
	switch {
	case e.Action == keymap.Attention && r != nil:
		m.onward(id, *r)
		return
	case e.Action == keymap.Review && r != nil:
		if v := m.Session(r.Session); v != nil {
			m.open(review.New(m.env(), *v))
		}
		return
	case e.Action == keymap.List:
		m.openList(e.Arg)
		return
	case e.Action == keymap.New && strings.Contains(e.Arg, "/"):
		m.openNew(e.Arg)
		return
	case e.Action == keymap.Snooze && v != nil:
		m.carryOut(ui.Nobody, m.attention.Snooze(m.env(), v.ID))
		return
	case e.Action == keymap.Queue && e.Arg != "":
		m.grid.Queued = e.Arg
		m.doView(keymap.Queue, "")
		return
	case e.Action == keymap.AnswerNext:
		m.nextRequest(e.Arg)
		return
	case v != nil:
		m.doTo(*v, e.Action)
		return
	case keymap.ModeOf(m.keys.Of(e.Action).Group) == keymap.ModeList:
		m.carryOut(ui.Sidebar, m.sidebar.Do(m.env(), e.Action))
		return
	}
	m.run(m.keys.Of(e.Action), ui.Key{Name: e.Arg, At: m.now()})
}
