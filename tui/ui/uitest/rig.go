package uitest

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"ccdir/tui/paint"
	"ccdir/tui/ui"
)

// Rig is one component as a grid keeps it: keys go to it while it is open, its calls are
// made at once, and it follows the world after each step. What else it asks for is noted.
type Rig struct {
	T      *testing.T
	Env    ui.Env
	Client ui.Client
	// C is the component, nil once it has closed.
	C ui.Component
	// OnClose, if not nil, is called instead of closing: for components that are always
	// there.
	OnClose func()
	// Asked is what it asked for but calls, the latest last.
	Asked []ui.Effect
}

// NewRig opens a component.
func NewRig(t *testing.T, env ui.Env, client ui.Client, c ui.Component) *Rig {
	r := &Rig{T: t, Env: env, Client: client, C: c}
	r.Settle()
	return r
}

// Settle lets the component follow the world.
func (r *Rig) Settle() {
	if f, ok := r.C.(ui.Refresher); ok {
		c, effects := f.Refresh(r.Env)
		r.become(c, effects)
	}
}

// Do presses keys by their names.
func (r *Rig) Do(names ...string) {
	for _, name := range names {
		if r.C == nil {
			return
		}
		c, effects := Press(r.Env, r.C, name)
		r.become(c, effects)
		r.Settle()
	}
}

func (r *Rig) become(c ui.Component, effects []ui.Effect) {
	r.C = c
	for _, e := range effects {
		r.carryOut(e)
	}
}

// Become carries out what the component asks for by itself.
func (r *Rig) Become(effects []ui.Effect) { r.become(r.C, effects) }

func (r *Rig) carryOut(e ui.Effect) {
	switch e := e.(type) {
	case ui.Close, ui.Focus:
		if r.OnClose == nil {
			r.C = nil
		} else {
			r.OnClose()
		}
	case ui.Call:
		r.call(e)
		return
	case ui.Stream:
		r.stream(e)
		return
	}
	r.Asked = append(r.Asked, e)
}

// stream gives the component what its stream tells, and the error with which it ends. One
// that ends without an error goes on silently.
func (r *Rig) stream(s ui.Stream) {
	var values []any
	err := s.Run(context.Background(), r.Client, func(v any) error { values = append(values, v); return nil })
	if len(values) > 0 {
		r.Tell(ui.Told{Values: values}, nil)
	}
	if err != nil {
		r.Tell(ui.Told{Over: true}, err)
	}
}

// Tell gives the component a value as an answer.
func (r *Rig) Tell(value any, err error) {
	if f, ok := r.C.(ui.Receiver); ok {
		c, effects := f.Receive(r.Env, value, err)
		r.become(c, effects)
	}
}

func (r *Rig) call(call ui.Call) {
	result, err := call.Run(context.Background(), r.Client)
	var follows []ui.Effect
	switch {
	case err == nil:
		follows = result.Effects
		if call.Done != nil {
			follows = append(slices.Clone(follows), call.Done(r.Env)...)
		}
	case call.Own && r.C != nil:
	case call.Failed != nil:
		follows = call.Failed(r.Env, err)
	case call.What != "":
		follows = []ui.Effect{ui.Warn{Text: ui.Failure(call.What, err)}}
	}
	for _, e := range follows {
		r.carryOut(e)
	}
	if f, ok := r.C.(ui.Receiver); ok {
		c, effects := f.Receive(r.Env, result.Value, err)
		r.become(c, effects)
	}
}

// Said is the latest notice, "" if there is none.
func (r *Rig) Said() string {
	for _, e := range slices.Backward(r.Asked) {
		switch e := e.(type) {
		case ui.Say:
			return e.Text
		case ui.Warn:
			return e.Text
		}
	}
	return ""
}

// Asks reports whether the component asked for that.
func (r *Rig) Asks(e ui.Effect) bool {
	return slices.ContainsFunc(r.Asked, func(o ui.Effect) bool { return reflect.DeepEqual(o, e) })
}

// Dump is the component's picture as text.
func (r *Rig) Dump() string { return Picture(r.Env, r.C).Dump() }

// Shows fails unless all parts are on the screen.
func (r *Rig) Shows(parts ...string) {
	r.T.Helper()
	dump := r.Dump()
	for _, p := range parts {
		if !strings.Contains(dump, p) {
			r.T.Errorf("%q is not on the screen:\n%s", p, dump)
		}
	}
}

// ClickOn clicks on the last place of the screen that has a text.
func (r *Rig) ClickOn(text string) {
	r.T.Helper()
	lines := strings.Split(r.Dump(), "\n")
	for y, l := range slices.Backward(lines) {
		if i := strings.LastIndex(l, text); i >= 0 {
			c, effects := r.C.(ui.Mouser).Mouse(r.Env, tea.MouseClickMsg{X: paint.Width(l[:i]), Y: y, Button: tea.MouseLeft})
			r.become(c, effects)
			r.Settle()
			return
		}
	}
	r.T.Fatalf("%q is not on the screen:\n%s", text, strings.Join(lines, "\n"))
}
