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

// callWithin bounds each call of the daemon; starting a session may take an
// agent's time.
const callWithin = 30 * time.Second

// calls is the client with the context of one call.
type calls struct {
	ui.Client
	ctx context.Context
}

// resultMsg is the result of a call.
type resultMsg struct {
	what string // for the notice when it failed, "" keeps quiet
	then func(*model)
	err  error
	fail func(*model, error)
	of   *underway // nil for calls that nobody waits for
}

// call runs f away from the program. then, if not nil, is applied to the model
// when f has worked; an error is told unless what is empty. What has a name is shown
// if it takes long, and can be cancelled.
func (m *model) call(what string, f func(calls) (then func(*model), err error)) {
	m.callOr(what, f, nil)
}

// callOr is call with an own way to tell the error.
func (m *model) callOr(what string, f func(calls) (func(*model), error), fail func(*model, error)) {
	m.callNamed(what, callWithin, f, fail)
}

// callNamed is callOr that takes so long at most.
func (m *model) callNamed(what string, most time.Duration, f func(calls) (func(*model), error), fail func(*model, error)) {
	parent, of := m.ctx, (*underway)(nil)
	if what != "" {
		of = m.setOut(what)
		parent = of.ctx
	}
	r := m.callWithin(most, parent, nil, f, fail)
	m.out.put(func() tea.Msg {
		msg := r()
		if res, ok := msg.(resultMsg); ok {
			res.what, res.of = what, of
			return res
		}
		return msg
	})
}

// callWithin is callOr that takes so long at most, ends with a context of its own, and waits
// for a place in slots, unless that is nil.
func (m *model) callWithin(most time.Duration, parent context.Context, slots chan struct{}, f func(calls) (func(*model), error), fail func(*model, error)) cmd {
	client := m.opts.Client
	return func() (msg tea.Msg) {
		defer func() {
			if r := recover(); r != nil {
				msg = crashMsg{&PanicError{Value: r, Stack: debug.Stack()}}
			}
		}()
		if slots != nil {
			select {
			case slots <- struct{}{}:
				defer func() { <-slots }()
			case <-parent.Done():
			}
		}
		if err := parent.Err(); err != nil {
			return resultMsg{err: err, fail: fail}
		}
		ctx, cancel := context.WithTimeout(parent, most)
		defer cancel()
		then, err := f(calls{client, ctx})
		return resultMsg{then: then, err: err, fail: fail}
	}
}

// crashMsg brings a command's panic to the program, which ends with it.
type crashMsg struct{ err error }

func (m *model) result(r resultMsg) {
	if r.of != nil {
		r.err = m.arrived(r.of, r.err)
	}
	if r.err == nil {
		if r.then != nil {
			r.then(m)
		}
		return
	}
	if m.ctx.Err() != nil {
		return
	}
	if r.fail != nil {
		r.fail(m, r.err)
		return
	}
	if r.what != "" {
		m.warn(ui.Failure(r.what, r.err))
	}
}

func (m *model) failed(what string, err error) { m.warn(ui.Failure(what, err)) }

// askAgents fetches what the new-session dialog offers.
func (m *model) askAgents() {
	if m.opts.Client == nil {
		return
	}
	m.call("", func(c calls) (func(*model), error) {
		agents, err := c.Agents(c.ctx)
		if err != nil {
			return nil, err
		}
		dirs, err := c.Directories(c.ctx)
		if err != nil {
			dirs = nil // no reason to offer no agents
		}
		return func(m *model) {
			m.Agents, m.Dirs = agents, dirs
		}, nil
	})
}

// create starts a session and gives it the focus; of is the call, id is the component
// that asked for it and may wait for it.
func (m *model) create(id uint64, of *underway, n api.NewSession) {
	typed := m.router.LastInput()
	m.workOn(of, func(c calls) (func(*model), error) {
		v, err := c.CreateSession(c.ctx, n)
		return func(m *model) {
			m.answered(v)
			if m.waiter(id) == nil {
				m.focusStarted(v, typed)
				return
			}
			m.overlay = nil
			m.setFocus(v.ID)
			m.typeahead.ready, m.typeahead.session = true, v.ID
		}, err
	}, func(m *model, err error) {
		cancelled := errors.Is(err, ui.ErrCancelled)
		if m.waiter(id) != nil {
			m.dropTypeahead()
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
	})
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
