package httpapi

import (
	"net/http"

	"ccdir/internal/api"
)

// Approvals is what the API asks of the open permission requests. ref is an id
// or a unique prefix of one.
type Approvals interface {
	// List returns the requests that people can answer, oldest first.
	List() []api.Request
	Answer(ref, by string, a api.Answer) (api.Decision, error)
}

func (s *server) approvals(w http.ResponseWriter, _ *http.Request) error {
	return ok(w, s.Approvals.List(), nil)
}

func (s *server) approve(w http.ResponseWriter, r *http.Request) error {
	return s.answerRequest(w, r, api.AnswerAllow)
}

func (s *server) deny(w http.ResponseWriter, r *http.Request) error {
	return s.answerRequest(w, r, api.AnswerDeny)
}

// answerRequest answers a request; the route says how, the body the rest.
func (s *server) answerRequest(w http.ResponseWriter, r *http.Request, how api.AnswerBehavior) error {
	var a api.Answer
	if err := body(w, r, maxBody, &a); err != nil {
		return err
	}
	if a.Behavior != "" && a.Behavior != how {
		return api.Errorf(api.CodeInvalid, "the call says %s and its body %.40q", how, a.Behavior)
	}
	// What only the server says.
	a.Behavior, a.Rule, a.File, a.Line, a.Kept, a.Lead, a.Client = how, "", "", 0, false, "", clientOf(r)
	d, err := s.Approvals.Answer(ref(r), api.ByPerson, a)
	return ok(w, d, err)
}
