package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"

	"ccdir/api"
)

// Reviews compare what sessions did. ref is an id, a unique prefix of one, or a name.
type Reviews interface {
	Diff(ctx context.Context, ref string, q api.DiffQuestion) (api.ReviewDiff, error)
	// Looked notes that a person has seen the differences up to a snapshot.
	Looked(ctx context.Context, ref, head string) error

	// Comments lists what was said of a session's work, oldest first.
	Comments(ctx context.Context, ref string) ([]api.ReviewComment, error)
	// AddComment keeps a draft of a person; request makes it once.
	AddComment(ctx context.Context, ref string, n api.NewComment, request string) (api.ReviewComment, error)
	EditComment(ctx context.Context, ref, id string, e api.EditComment) (api.ReviewComment, error)
	DropComment(ctx context.Context, ref, id string) error
	// Send sends the drafts as one prompt, once for its request.
	Send(ctx context.Context, ref string, in api.SendComments) (api.SentComments, error)
	// SendPlan refuses the plan that waits for approval with the comments on it, once for its request; refuse answers a request.
	SendPlan(ctx context.Context, ref string, in api.SendComments, refuse func(request, message string) error) (api.SentComments, error)

	// Change stages changes or puts them back, Undo undoes the last of these; each once for its request.
	Change(ctx context.Context, ref string, c api.ReviewChange, request string) (api.ReviewChanged, error)
	Undo(ctx context.Context, ref, request string) (api.ReviewChanged, error)
	// Viewed notes that a person has seen a file's content, or not.
	Viewed(ctx context.Context, ref string, v api.ReviewViewed) error
}

func reviewRoutes() []route {
	var scopes []string
	for _, s := range append(api.DiffScopes(), api.DiffPlan) {
		scopes = append(scopes, string(s))
	}
	return []route{
		{method: "GET", path: "/v1/sessions/{ref}/diff", name: "sessions.diff", doc: "What differs in its work tree: of a turn, since a person looked, since it began, from the default branch, or uncommitted; or the plan that it asks approval for", query: []param{
			{name: "scope", doc: "what is compared; not given: turn", enum: scopes},
			{name: "turn", kind: "integer", doc: "with the scope turn: that one, counted from 1; not given: the last one"},
			{name: "stat", kind: "boolean", doc: "files and counts, without lines"},
			{name: "patch", kind: "boolean", doc: "files and counts, and the whole as a patch for git apply, in base64"},
			{name: "path", doc: "that file or folder, from the top of the work tree; may be given several times. A generated file that is named has its lines"}},
			more: "By snapshots, which are made as turns begin and end; what git ignores is not in them. 409 if there is nothing to compare with.", out: api.ReviewDiff{}, handle: (*server).diff},
		{method: "POST", path: "/v1/sessions/{ref}/diff/seen", name: "sessions.diff.seen", doc: "A person has looked at its changes up to a snapshot: the scope seen begins there", in: api.DiffSeenUpTo{}, required: []string{"head"}, handle: (*server).looked},
		{method: "GET", path: "/v1/sessions/{ref}/review/comments", name: "sessions.review.comments", doc: "What was said of its work, oldest first: drafts, and what became of those that were sent", out: []api.ReviewComment{}, handle: (*server).comments},
		{method: "POST", path: "/v1/sessions/{ref}/review/comments", name: "sessions.review.comment", doc: "Keep a comment on lines of a difference as a draft", in: api.NewComment{}, required: []string{"path", "text"},
			more: "400 if the lines are not in the difference, with what stands there. An empty path is the whole difference, without a line it is the file.", out: api.ReviewComment{}, status: http.StatusCreated, handle: (*server).addComment},
		{method: "PATCH", path: "/v1/sessions/{ref}/review/comments/{comment}", name: "sessions.review.edit", doc: "Change a draft", in: api.EditComment{}, out: api.ReviewComment{}, handle: (*server).editComment},
		{method: "DELETE", path: "/v1/sessions/{ref}/review/comments/{comment}", name: "sessions.review.drop", doc: "Remove a draft", handle: (*server).dropComment},
		{method: "POST", path: "/v1/sessions/{ref}/review/send", name: "sessions.review.send", doc: "Send all drafts as one prompt: to that session, another, or a new reviewer", in: api.SendComments{},
			more: "Answers once it is on disk; it is delivered once, as soon as the session takes it (see /v1/pending). If it is taken back or fails, its comments are drafts again. With the scope plan the comments on the plan that waits for approval go, as the words of its refusal; 404 or 409 if that was answered already.", out: api.SentComments{}, handle: (*server).sendComments, target: (*server).sentTarget, match: true},
		{method: "POST", path: "/v1/sessions/{ref}/review/changes", name: "sessions.review.change", doc: "Stage changes of a file, or put them back", in: api.ReviewChange{}, required: []string{"do", "base", "head", "path"},
			more: "Staging writes git's index alone, putting back the files of the work tree alone. 409 if the file is not as it was shown, or of a kind that is not compared by lines. No filter and no hook runs.", out: api.ReviewChanged{}, handle: (*server).change},
		{method: "POST", path: "/v1/sessions/{ref}/review/undo", name: "sessions.review.undo", doc: "Undo what was staged or put back last", out: api.ReviewChanged{},
			more: "409 if the file or its entry in the index has changed since.", handle: (*server).undo},
		{method: "POST", path: "/v1/sessions/{ref}/review/viewed", name: "sessions.review.viewed", doc: "A person has seen a file as it is, or not: that goes when the file changes", in: api.ReviewViewed{}, required: []string{"path"}, handle: (*server).viewed},
	}
}

func (s *server) comments(w http.ResponseWriter, r *http.Request) error {
	list, err := s.Reviews.Comments(r.Context(), ref(r))
	return ok(w, list, err)
}

func (s *server) addComment(w http.ResponseWriter, r *http.Request) error {
	var n api.NewComment
	if err := body(w, r, maxBody, &n); err != nil {
		return err
	}
	c, err := s.Reviews.AddComment(r.Context(), ref(r), n, attemptOf(r.Context()).id)
	if err != nil {
		return err
	}
	answer(w, http.StatusCreated, c)
	return nil
}

func (s *server) editComment(w http.ResponseWriter, r *http.Request) error {
	var e api.EditComment
	if err := body(w, r, maxBody, &e); err != nil {
		return err
	}
	c, err := s.Reviews.EditComment(r.Context(), ref(r), r.PathValue("comment"), e)
	return ok(w, c, err)
}

func (s *server) dropComment(w http.ResponseWriter, r *http.Request) error {
	return done(w, removed(r, s.Reviews.DropComment(r.Context(), ref(r), r.PathValue("comment"))))
}

func (s *server) sendComments(w http.ResponseWriter, r *http.Request) error {
	var in api.SendComments
	if err := body(w, r, maxBody, &in); err != nil {
		return err
	}
	if in.Request == "" {
		in.Request = attemptOf(r.Context()).id
	}
	switch in.Scope {
	case api.DiffPlan:
		out, err := s.Reviews.SendPlan(r.Context(), ref(r), in, func(request, message string) error {
			_, err := s.decide(r, request, api.Answer{Behavior: api.AnswerDeny, Message: message, Client: clientOf(r), Call: changeOf(r)})
			return err
		})
		return ok(w, out, err)
	case "":
		out, err := s.Reviews.Send(r.Context(), ref(r), in)
		return ok(w, out, err)
	}
	return api.Errorf(api.CodeInvalid, "the scope of what is sent is plan, or not given")
}

// sentTarget is the request for approval of a plan that comments would refuse, as "SESSION/REQUEST"; else the session.
func (s *server) sentTarget(r *http.Request, body []byte) string {
	var in api.SendComments
	if json.Unmarshal(body, &in) == nil && in.Scope == api.DiffPlan {
		if v, err := s.Sessions.Get(r.Context(), ref(r)); err == nil {
			id := ""
			for _, q := range s.openOf(v.ID) {
				if q.Kind == api.RequestPlan {
					id = q.ID
				}
			}
			return v.ID + "/" + id
		}
	}
	return s.sessionTarget(r, body)
}

func (s *server) change(w http.ResponseWriter, r *http.Request) error {
	var c api.ReviewChange
	if err := body(w, r, maxBody, &c); err != nil {
		return err
	}
	done, err := s.Reviews.Change(r.Context(), ref(r), c, attemptOf(r.Context()).id)
	return ok(w, done, err)
}

func (s *server) undo(w http.ResponseWriter, r *http.Request) error {
	done, err := s.Reviews.Undo(r.Context(), ref(r), attemptOf(r.Context()).id)
	return ok(w, done, err)
}

func (s *server) viewed(w http.ResponseWriter, r *http.Request) error {
	var v api.ReviewViewed
	if err := body(w, r, maxBody, &v); err != nil {
		return err
	}
	return done(w, s.Reviews.Viewed(r.Context(), ref(r), v))
}

func (s *server) diff(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	ask := api.DiffQuestion{Scope: api.DiffScope(q.Get("scope")), Stat: truth(q.Get("stat")), Patch: truth(q.Get("patch")), Paths: q["path"]}
	if text := q.Get("turn"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			return api.Errorf(api.CodeInvalid, "turn must be a number")
		}
		ask.Turn = n
	}
	d, err := s.Reviews.Diff(r.Context(), ref(r), ask)
	return ok(w, d, err)
}

func (s *server) looked(w http.ResponseWriter, r *http.Request) error {
	var in api.DiffSeenUpTo
	if err := body(w, r, maxBody, &in); err != nil {
		return err
	}
	return done(w, s.Reviews.Looked(r.Context(), ref(r), in.Head))
}
