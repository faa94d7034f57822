package sessions

import (
	"context"
	"errors"

	"ccdir/api"
	"ccdir/sessions/launch"
)

// SetModel gives an agent's session another model. One that rests is started again for that,
// in the same conversation; one that has ended has the model from its next start on.
func (r *Registry) SetModel(ctx context.Context, ref, model string) (api.Session, error) {
	s, err := r.paned(ref)
	if err != nil {
		return api.Session{}, err
	}
	var restart bool
	var committed <-chan error
	doErr := s.do(ctx, func() { restart, committed, err = s.chooseModel(model) })
	if err := errors.Join(doErr, err); err != nil {
		return api.Session{}, err
	}
	unsaved, err := answer(ctx, committed)
	if err := errors.Join(err, inForce(unsaved)); err != nil {
		return api.Session{}, err
	}
	if restart {
		return r.Restart(ctx, s.id)
	}
	return s.value(ctx)
}

// chooseModel changes the spec; in the actor. restart: a process runs with another model.
func (s *session) chooseModel(model string) (restart bool, committed <-chan error, err error) {
	state := s.fold.State
	switch {
	case model == "":
		return false, nil, api.Errorf(api.CodeInvalid, "the model has no name")
	case s.spec.Plain():
		return false, nil, api.Errorf(api.CodeConflict, "session %s runs no agent, so it has no model", s.cur.Name)
	case !state.Ended() && state != api.StateIdle || s.restarting > 0:
		return false, nil, api.Errorf(api.CodeConflict, "session %s is %s: its model can be changed while it is idle (`ccdir wait %[1]s --state idle`)", s.cur.Name, state)
	}
	if err := launch.CheckModel(s.adapter, s.spec.Agent, model); err != nil {
		return false, nil, err
	}
	if s.spec.Model == model && s.cur.Model == model {
		return false, nil, nil
	}
	was := s.spec.Model
	s.spec.Model = model
	if err := s.saveSpec(); err != nil {
		s.spec.Model = was
		return false, nil, err
	}
	s.cur.Model, s.cur.ChosenModel = model, model
	return !state.Ended(), s.publish(s.plain(api.EventSessionModel, "its model is "+model), true), nil
}
