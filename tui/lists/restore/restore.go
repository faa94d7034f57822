// Package restore offers what ran before the machine was restarted: all of it that can be
// begun again is chosen at first. It owns the offer and the choice, and asks for a batch
// that begins what is chosen, or for the call that withdraws the offer.
package restore

import (
	"context"
	"errors"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/lists"
	"ccdir/tui/ui"
)

// Restorer is the part of a client that knows what ran before a reboot.
type Restorer interface {
	// RestoreOffer tells what does not run any more; from 0 is what is offered.
	RestoreOffer(ctx context.Context, from int) (api.RestoreOffer, error)
	// Restore begins it again.
	Restore(ctx context.Context, q api.Restore) ([]api.Restored, error)
	// RefuseRestore withdraws the offer.
	RefuseRestore(ctx context.Context) error
}

// rows are what is offered.
type rows struct {
	offer api.RestoreOffer
	vars  []string        // environment of what is begun
	left  map[string]bool // ids that are not chosen; replaced, never changed
}

// New offers sessions, which are begun with that environment.
func New(o api.RestoreOffer, vars []string) ui.Component {
	d := rows{offer: o, vars: vars, left: map[string]bool{}}
	for _, s := range o.Sessions {
		if s.Problem != "" {
			d.left[s.ID] = true
		}
	}
	return lists.New(d)
}

func (d rows) Mode() keymap.Mode { return keymap.ModeRestore }

// Guarded: it comes by itself.
func (d rows) Guarded() {}

// Intercept makes C-c what Escape is: later.
func (d rows) Intercept(env ui.Env, l lists.Dialog, k ui.Key) (lists.Dialog, []ui.Effect, bool) {
	if k.Name != "C-c" || l.View.Typing {
		return l, nil, false
	}
	return d.Act(env, l, keymap.ViewClose, "")
}

// Act chooses, begins what is chosen, and puts off or withdraws the offer.
func (d rows) Act(env ui.Env, l lists.Dialog, a keymap.Action, id string) (lists.Dialog, []ui.Effect, bool) {
	switch a {
	case keymap.ViewOpen:
		if len(d.chosen()) == 0 {
			return l, []ui.Effect{ui.Warn{Text: "none is chosen: " + env.Keys.Hint(keymap.RestoreChoose) + " chooses a row, " + env.Keys.Hint(keymap.RestoreAll) + " all"}}, true
		}
		return l, []ui.Effect{ui.Close{}, d.begin()}, true
	case keymap.ViewClose:
		if !l.View.Query.Empty() {
			return l, nil, false
		}
		return l, []ui.Effect{ui.Close{}, ui.Say{Text: "not now: " + env.Keys.Hint(keymap.Restore) + " offers it again"}}, true
	case keymap.RestoreRefuse:
		return l, []ui.Effect{ui.Close{}, ui.Call{What: "withdrawing the offer", Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
			said := ui.Result{Effects: []ui.Effect{ui.Say{Text: "not offered again; `ccdir restore --kept` lists what is kept"}}}
			r, err := ui.As[Restorer](c)
			if err == nil {
				err = r.RefuseRestore(ctx)
			}
			return said, err
		}}}, true
	case keymap.RestoreChoose:
		d = d.choose(func(other string, left bool) bool { return left != (other == id) })
		return l.With(d).Chosen(env, 1), nil, true
	case keymap.RestoreAll:
		all := len(d.left) > 0
		return l.With(d.choose(func(string, bool) bool { return !all })), nil, true
	}
	return l, nil, false
}

// chosen are the sessions that are chosen.
func (d rows) chosen() (list []api.OfferedSession) {
	for _, s := range d.offer.Sessions {
		if !d.left[s.ID] {
			list = append(list, s)
		}
	}
	return list
}

// begin begins the sessions that are chosen again.
func (d rows) begin() ui.Effect {
	var steps []ui.Step
	for _, s := range d.chosen() {
		steps = append(steps, ui.Step{Name: textsafe.Line(s.Name), Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
			return d.beginOne(ctx, c, s.ID)
		}})
	}
	return ui.Batch{What: "restoring", Noun: "session", Steps: steps, Abreast: 4}
}

func (d rows) beginOne(ctx context.Context, c ui.Client, id string) (ui.Result, error) {
	r, err := ui.As[Restorer](c)
	if err != nil {
		return ui.Result{}, err
	}
	list, err := r.Restore(ctx, api.Restore{Sessions: []string{id}, Env: d.vars})
	switch {
	case err != nil:
		return ui.Result{}, err
	case len(list) != 1 || list[0].Session == nil && list[0].Error == "":
		return ui.Result{}, errors.New("the daemon does not say what came of it")
	case list[0].Error != "":
		return ui.Result{}, errors.New(list[0].Error)
	}
	return ui.Result{Effects: []ui.Effect{ui.Learn{Session: *list[0].Session}}}, nil
}

// choose says anew which sessions are left out.
func (d rows) choose(leave func(id string, left bool) bool) rows {
	left := map[string]bool{}
	for _, s := range d.offer.Sessions {
		if leave(s.ID, d.left[s.ID]) {
			left[s.ID] = true
		}
	}
	d.left = left
	return d
}
