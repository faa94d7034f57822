package sessions

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/sessions/launch"
	"ccdir/wire"
)

// Create starts a session and returns it once its process runs.
func (r *Registry) Create(ctx context.Context, n api.NewSession) (api.Session, error) {
	return r.createFor(ctx, n, nil)
}

// createFor creates a session; run is the attempt of its task, nil for none.
func (r *Registry) createFor(ctx context.Context, n api.NewSession, run *launch.TaskRun) (api.Session, error) {
	if r.o.Prepare != nil {
		if err := r.o.Prepare(ctx, &n); err != nil {
			return api.Session{}, err
		}
	}
	spec, adapter, err := launch.SpecOf(r.o.Config(), n, r.now())
	if err != nil {
		return api.Session{}, err
	}
	spec.Run = run
	return r.launch(ctx, newborn{spec: spec, adapter: adapter, prompt: n.Prompt, resume: n.Resume, given: launch.SecretVariables(n.ExtraEnv)})
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

// maxRequest bounds NewSession.Request, in bytes.
const maxRequest = 128

// CreateOnce is Create with an idempotency key: of the calls with the same Request (unless
// it is "") the first starts a session, and the others return that session and known true,
// as long as it exists. Later daemons know the key too: it is written to session.json
// before the process starts.
func (r *Registry) CreateOnce(ctx context.Context, n api.NewSession) (v api.Session, known bool, err error) {
	if n.Request == "" {
		v, err = r.Create(ctx, n)
		return v, false, err
	}
	if len(n.Request) > maxRequest || strings.ContainsFunc(n.Request, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return v, false, api.Errorf(api.CodeInvalid, "request must be 1 to %d printable ASCII characters without blanks", maxRequest)
	}
	leave, err := r.making.Enter(ctx, n.Request)
	if err != nil {
		return v, false, err
	}
	defer leave()
	if v, known, err = r.OfRequest(ctx, n.Request); known {
		return v, true, err
	}
	v, err = r.Create(ctx, n)
	return v, false, err
}

// launchOf returns the id of a start (api.Session.Launch): each has a host of its own.
func launchOf(hf wire.HostFile) string {
	if hf.PID == 0 {
		return ""
	}
	return strconv.Itoa(hf.PID) + "/" + hf.Start
}

// Version returns api.Session.Version of a session. Unlike Get it does not wait for the
// last change to be saved, so that a session can be ended while the disk is full.
func (r *Registry) Version(ctx context.Context, ref string) (version string, err error) {
	s, err := r.find(ref)
	if err != nil {
		return "", err
	}
	err = s.do(ctx, func() { version = s.cur.Version() })
	return version, err
}

// OfRequest returns the session that was made for a request.
func (r *Registry) OfRequest(ctx context.Context, request string) (v api.Session, known bool, err error) {
	for _, s := range r.all() {
		if s.spec.Request == request {
			v, err = s.value(ctx)
			return v, true, err
		}
	}
	return v, false, nil
}
