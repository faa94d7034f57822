package httpapi

import (
	"context"
	"net/http"
	"strconv"

	"ccdir/api"
)

// Reviews compare what sessions did. ref is an id, a unique prefix of one, or a name.
type Reviews interface {
	Diff(ctx context.Context, ref string, q api.DiffQuestion) (api.ReviewDiff, error)
	// Looked notes that a person has seen the differences up to a snapshot.
	Looked(ctx context.Context, ref, head string) error
}

func reviewRoutes() []route {
	var scopes []string
	for _, s := range api.DiffScopes() {
		scopes = append(scopes, string(s))
	}
	return []route{
		{method: "GET", path: "/v1/sessions/{ref}/diff", name: "sessions.diff", doc: "What differs in its work tree: of a turn, since a person looked, since it began, from the default branch, or uncommitted", query: []param{
			{name: "scope", doc: "what is compared; not given: turn", enum: scopes},
			{name: "turn", kind: "integer", doc: "with the scope turn: that one, counted from 1; not given: the last one"},
			{name: "stat", kind: "boolean", doc: "files and counts, without lines"},
			{name: "path", doc: "that file or folder, from the top of the work tree; may be given several times. A generated file that is named has its lines"}},
			more: "By snapshots, which are made as turns begin and end; what git ignores is not in them. 409 if there is nothing to compare with.", out: api.ReviewDiff{}, handle: (*server).diff},
		{method: "POST", path: "/v1/sessions/{ref}/diff/seen", name: "sessions.diff.seen", doc: "A person has looked at its changes up to a snapshot: the scope seen begins there", in: api.DiffSeenUpTo{}, required: []string{"head"}, handle: (*server).looked},
	}
}

func (s *server) diff(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	ask := api.DiffQuestion{Scope: api.DiffScope(q.Get("scope")), Stat: truth(q.Get("stat")), Paths: q["path"]}
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
