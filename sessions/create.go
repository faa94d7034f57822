package sessions

import (
	"context"
	"errors"
	"os"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/sessions/launch"
)

// Create starts a session and returns it once its process runs.
func (r *Registry) Create(ctx context.Context, n api.NewSession) (api.Session, error) {
	return r.createFor(ctx, n, nil)
}

// createFor creates a session; run is the attempt of its task, nil for none.
func (r *Registry) createFor(ctx context.Context, n api.NewSession, run *launch.TaskRun) (api.Session, error) {
	spec, adapter, err := launch.SpecOf(r.o.Config(), n, r.now())
	if err != nil {
		return api.Session{}, err
	}
	spec.Run = run
	return r.launch(ctx, newborn{spec: spec, adapter: adapter, prompt: n.Prompt, resume: n.Resume, given: secretVariables(n.ExtraEnv)})
}

// newborn is a session that is to be started.
type newborn struct {
	spec    launch.Spec // without id; without a name, if it is to get one
	adapter agents.Adapter
	// prompt is its first, resume the conversation to continue, given the variables with
	// secrets that the caller gave besides the environment.
	prompt, resume string
	given          []string
}

// launch starts a new session.
func (r *Registry) launch(ctx context.Context, b newborn) (api.Session, error) {
	id, err := r.newID(ctx)
	if err != nil {
		return api.Session{}, err
	}
	b.spec.ID = id
	s := r.newSession(id, b.spec, b.adapter)
	if err := r.reserve(s, b.spec.Name == ""); err != nil {
		return api.Session{}, err
	}
	s.delivery.Restore(nil, b.prompt)
	s.given = b.given
	var committed <-chan error
	var failed error // do's own error must not overwrite it
	err = s.do(ctx, func() { committed, failed = s.create(b.resume) })
	r.release(s)
	if err = errors.Join(err, failed); err != nil {
		// The session was not published, so nobody uses it.
		r.abandon(s)
		return api.Session{}, err
	}
	if err := wait(ctx, committed); err != nil {
		return api.Session{}, err
	}
	if err := r.o.Store.UseDirectory(b.spec.CWD, r.now()); err != nil {
		r.log.Warn("cannot remember the directory", "error", err)
	}
	if b.prompt != "" {
		s.delivery.SendFirst(b.prompt)
	}
	r.pause(PauseCreated)
	return s.value(ctx)
}

// reserve takes the name and one of max_sessions, and starts the actor.
func (r *Registry) reserve(s *session, anyName bool) error {
	if err := r.claim(s); err != nil {
		return err
	}
	for {
		if anyName {
			s.spec.Name = r.freeName(s.spec.Agent)
		}
		err := r.add(s, s.spec.Name)
		if err == nil || !anyName || api.CodeOf(err) != api.CodeConflict {
			if err != nil {
				r.release(s)
			}
			return err
		}
	}
}

// claim counts a session that is about to run against max_sessions.
func (r *Registry) claim(s *session) error {
	limit := r.o.Config().MaxSessions
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(r.claimed)
	for _, other := range r.sessions {
		if other.seen().running && !r.claimed[other] {
			n++
		}
	}
	if n >= limit {
		return api.Errorf(api.CodeLimit, "%d sessions run already: kill one, or raise max_sessions in config.toml and run `ccdir daemon restart`", n)
	}
	r.claimed[s] = true
	return nil
}

// release undoes claim: the session runs now, which counts too, or it never will.
func (r *Registry) release(s *session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.claimed, s)
}

// abandon removes a session that failed to start.
func (r *Registry) abandon(s *session) {
	r.drop(s.id)
	s.cancel()
	<-s.done
	if err := os.RemoveAll(s.dir); err != nil {
		r.log.Warn("cannot remove the directory of a session that did not start", "session", s.id, "error", err)
	}
}
