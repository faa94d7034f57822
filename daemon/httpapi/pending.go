package httpapi

import (
	"context"
	"net/http"

	"ccdir/api"
)

// Pending are the prompts that wait for their sessions.
type Pending interface {
	// Add keeps a prompt for a session; it is on disk when Add returns.
	Add(ctx context.Context, ref string, n api.NewPending) (api.PendingPrompt, error)
	// List lists prompts, oldest first; session is an id, "": of all.
	List(ctx context.Context, session string) ([]api.PendingPrompt, error)
	Edit(ctx context.Context, id string, n api.NewPending) (api.PendingPrompt, error)
	Cancel(ctx context.Context, id string) error
}

func (s *server) addPending(w http.ResponseWriter, r *http.Request) error {
	var n api.NewPending
	if err := body(w, r, maxNew, &n); err != nil {
		return err
	}
	n.Request = attemptOf(r.Context()).id
	p, err := s.Pending.Add(r.Context(), ref(r), n)
	if err != nil {
		return err
	}
	answer(w, http.StatusCreated, p)
	return nil
}

func (s *server) listPending(w http.ResponseWriter, r *http.Request) error {
	session := r.URL.Query().Get("session")
	if id, err := s.Sessions.Resolve(session); session != "" && err == nil {
		session = id // else it is that of a session that was removed
	}
	list, err := s.Pending.List(r.Context(), session)
	return ok(w, list, err)
}

func (s *server) editPending(w http.ResponseWriter, r *http.Request) error {
	var n api.NewPending
	if err := body(w, r, maxNew, &n); err != nil {
		return err
	}
	p, err := s.Pending.Edit(r.Context(), ref(r), n)
	return ok(w, p, err)
}

func (s *server) cancelPending(w http.ResponseWriter, r *http.Request) error {
	return done(w, removed(r, s.Pending.Cancel(r.Context(), ref(r))))
}

// pendingTarget is the prompt's id, if it is there.
func (s *server) pendingTarget(r *http.Request, _ []byte) string {
	list, err := s.Pending.List(r.Context(), "")
	if err != nil {
		return ""
	}
	for _, p := range list {
		if p.ID == ref(r) {
			return p.ID
		}
	}
	return ""
}
