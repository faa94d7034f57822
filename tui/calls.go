package tui

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/ui"
)

// callWithin bounds a call of the daemon; patientWithin one that a person can cancel: long enough
// for a daemon that somebody has to bring back.
const (
	callWithin    = 30 * time.Second
	patientWithin = time.Hour
)

// resultMsg is the result of work away from the program, and what follows from it.
type resultMsg struct {
	ui.Result
	err  error
	over func(ui.Result, error)
}

// crashMsg brings a command's panic to the program, which ends with it.
type crashMsg struct{ err error }

// away runs f away from the program, for so long at most and until ctx ends; over is called
// with its result.
func (m *model) away(ctx context.Context, most time.Duration, f func(context.Context, ui.Client) (ui.Result, error), over func(ui.Result, error)) {
	client := m.opts.Client
	m.out.put(func() (msg tea.Msg) {
		defer func() {
			if r := recover(); r != nil {
				msg = crashMsg{&PanicError{Value: r, Stack: debug.Stack()}}
			}
		}()
		if err := ctx.Err(); err != nil {
			return resultMsg{ui.Result{}, err, over}
		}
		ctx, cancel := context.WithTimeout(ctx, most)
		defer cancel()
		r, err := f(ctx, client)
		return resultMsg{r, err, over}
	})
}

// told says that something has failed, if it has.
func (m *model) told(what string) func(ui.Result, error) {
	return func(_ ui.Result, err error) {
		if err != nil && what != "" {
			m.warn(ui.Failure(what, err))
		}
	}
}

// call makes a call for the component with that number, 0 for the grid itself. Its answer
// comes to the component if it is open by then. What has a name is under way until then.
func (m *model) call(id ui.ID, c ui.Call) (of *underway) {
	if m.opts.Client == nil {
		m.receive(id, nil, ui.ErrUnknown)
		return nil // tests of the model alone
	}
	ctx, most := m.ctx, callWithin
	if c.What != "" {
		of = m.setOut(m.ctx, c.What, m.now())
		ctx = of.ctx
	}
	if c.Patient {
		most = patientWithin
	}
	var turn ui.Turn
	if c.Turn != "" {
		turn = m.turns.Join(c.Turn)
	}
	m.away(ctx, most, func(ctx context.Context, client ui.Client) (ui.Result, error) {
		defer turn.Over()
		if err := turn.Wait(ctx); err != nil {
			return ui.Result{}, err
		}
		return c.Run(ctx, client)
	}, func(r ui.Result, err error) {
		if of != nil {
			err = m.arrived(of, err)
		}
		switch {
		case err == nil:
			m.carryOut(id, r.Effects)
			if c.Done != nil {
				m.carryOut(id, c.Done(m.env()))
			}
		case c.Own && m.overlay.find(id) != nil:
		case c.Failed != nil:
			m.carryOut(id, c.Failed(m.env(), err))
		default:
			m.told(c.What)(r, err)
		}
		m.receive(id, r.Value, err)
	})
	return of
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
		m.startBatch(ui.Nobody, several(n, e.Count))
		return
	}
	before := ui.Making{Session: e.Before}
	n = before.NamedSession(n)
	typed := m.router.LastInput()
	of := m.call(ui.Nobody, ui.Call{What: startingOne, Patient: true, Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		v, err := c.CreateSession(ctx, n)
		return ui.Result{Effects: follows(func(m *model) {
			m.answered(v)
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
type PanicError struct {
	Value any
	Stack []byte
}

// Error is one line; Stack has the rest.
func (e *PanicError) Error() string {
	return fmt.Sprintf("the grid crashed (%s); the sessions go on: run ccdir again", textsafe.Line(fmt.Sprint(e.Value)))
}
