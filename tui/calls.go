package tui

import (
	"context"
	"errors"
	"fmt"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/tui/ui"
	"ccdir/tui/underway"
)

// way is how work leaves the program now.
func (m *model) way() underway.Way {
	return underway.Way{Ctx: m.ctx, Client: m.opts.Client, Out: &m.out, Waits: m.wait}
}

// call makes a call for the component with that number, 0 for the grid itself. Its answer
// comes to the component if it is open by then. What has a name is under way until then.
func (m *model) call(id ui.ID, c ui.Call) *underway.Call {
	if m.opts.Client == nil {
		m.receive(id, nil, ui.ErrUnknown)
		return nil // tests of the model alone
	}
	return m.work.Call(m.way(), m.now(), id, c)
}

// follow carries out what follows from a message of work that is under way.
func (m *model) follow(o underway.Outcome) {
	m.carryOut(o.To, o.Effects)
	if o.Then != nil && !(o.Own && m.overlay.find(o.To) != nil) {
		m.carryOut(o.To, o.Then(m.env()))
	}
	if o.Tells {
		m.receive(o.To, o.Value, o.Err)
	}
	m.carryOut(ui.Nobody, o.Last)
}

// then is an effect of the grid's own calls and menus: something that is done to the model.
type then struct {
	ui.Effect // none: the type is one, and no other package knows it
	do        func(*model)
}

// follows are the effects that f is done to the model.
func follows(f func(*model)) []ui.Effect { return []ui.Effect{then{do: f}} }

// askAgents fetches what the new-session dialog offers.
func (m *model) askAgents() {
	m.call(ui.Nobody, ui.Call{Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		agents, err := c.Agents(ctx)
		if err != nil {
			return ui.Result{}, err
		}
		dirs, err := c.Directories(ctx)
		if err != nil {
			dirs = nil // no reason to offer no agents
		}
		return ui.Result{Effects: follows(func(m *model) { m.Agents, m.Dirs = agents, dirs })}, nil
	}})
}

// startingOne names the call that starts a session.
const startingOne = "starting a session"

// start starts what the component with that number asks for, which may wait for it.
func (m *model) start(id ui.ID, e ui.Start) {
	n := e.Session
	n.Env = m.opts.Env
	n.Cols, n.Rows = m.grid.NextSize()
	if n.Beside != nil && n.Beside.Floating {
		n.Cols, n.Rows = m.grid.FloatSize()
	}
	if e.Count > 1 {
		m.carryOut(ui.Nobody, m.work.Batch(m.way(), m.keys, ui.Nobody, several(n, e.Count)))
		return
	}
	before := ui.Making{Session: e.Before}
	n = before.NamedSession(n)
	typed := m.router.LastInput()
	of := m.call(ui.Nobody, ui.Call{What: startingOne, Patient: true, Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		v, err := c.CreateSession(ctx, n)
		return ui.Result{Effects: follows(func(m *model) {
			m.Answered(v)
			if m.overlay.waiter(id) == nil {
				m.focusStarted(v, typed)
				return
			}
			m.overlay = nil
			m.setFocus(v.ID)
			m.typeahead.ready, m.typeahead.session = true, v.ID
		})}, err
	}, Failed: func(_ ui.Env, err error) []ui.Effect {
		return follows(func(m *model) { m.notStarted(id, n, err) })
	}})
	m.overlay = m.overlay.changed(id, func(l *layer) { l.call = of })
}

// notStarted tells the component that waits for a session why there is none, or the person.
func (m *model) notStarted(id ui.ID, n api.NewSession, err error) {
	cancelled := errors.Is(err, ui.ErrCancelled)
	if m.overlay.waiter(id) != nil {
		m.typeahead = typeahead{}
		v := ui.NotStarted{Problem: ui.NotMade("started", "", "the list", cancelled, err), Session: n}
		if api.Unsure(err) {
			v.Unsure = &n
		}
		m.receive(id, v, err)
		return
	}
	hint := ""
	if m.unstarted == "" {
		m.unstarted = n.Prompt // the next dialog has it
	}
	if api.CodeOf(err) == api.CodeNoAgent {
		hint = "; " + m.keys.Hint(keymap.New) + " offers the demo agent"
	}
	m.warn(ui.NotMade("started", "starting a session failed: ", "the list", cancelled, err) + hint)
}

// several starts n sessions of one kind, numbered if they have a name.
func several(one api.NewSession, n int) ui.Batch {
	var steps []ui.Step
	for i := range n {
		next := one
		if one.Name != "" {
			next.Name = fmt.Sprintf("%s-%d", one.Name, i+1)
		}
		next.Request = ui.NewRequest()
		steps = append(steps, ui.Step{Name: fmt.Sprintf("number %d", i+1), Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
			v, err := c.CreateSession(ctx, next)
			return ui.Result{Effects: []ui.Effect{ui.Learn{Session: v}}}, err
		}})
	}
	return ui.Batch{What: "starting", Noun: "session", Steps: steps}
}

// PanicError is a bug: a part of the grid panicked. The terminal was restored
// and the sessions are not affected.
type PanicError = underway.PanicError
