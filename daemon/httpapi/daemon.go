package httpapi

import (
	"context"
	"net/http"
	"strconv"

	"ccdir/api"
)

func (s *server) health(w http.ResponseWriter, _ *http.Request) error {
	return ok(w, s.Log.Server(), nil)
}

func (s *server) shutdown(w http.ResponseWriter, r *http.Request) error {
	var stop api.Stop
	if err := body(w, r, maxBody, &stop); err != nil {
		return err
	}
	if !attemptOf(r.Context()).retry { // else the daemon of the first attempt ended, or is about to
		s.Shutdown(stop)
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (s *server) agents(w http.ResponseWriter, r *http.Request) error {
	return ok(w, s.Agents(r.URL.Query().Get("path")), nil)
}

func (s *server) accounts(w http.ResponseWriter, _ *http.Request) error {
	return ok(w, s.Accounts(), nil)
}

func (s *server) directories(w http.ResponseWriter, r *http.Request) error {
	list, err := s.Directories(r.Context())
	return ok(w, list, err)
}

func (s *server) config(w http.ResponseWriter, _ *http.Request) error {
	return ok(w, s.Config(), nil)
}

func (s *server) repos(w http.ResponseWriter, r *http.Request) error {
	list, err := s.Repos(r.Context(), truth(r.URL.Query().Get("status")))
	return ok(w, list, err)
}

func (s *server) hook(w http.ResponseWriter, r *http.Request) error {
	s.Hook.ServeHTTP(w, r)
	return nil
}

// Grid keeps the arrangement of the grid.
type Grid interface {
	Grid() api.Grid
	// SetGrid replaces it; the last call wins.
	SetGrid(ctx context.Context, g api.Grid) error
}

func (s *server) getGrid(w http.ResponseWriter, _ *http.Request) error {
	return ok(w, s.Grid.Grid(), nil)
}

func (s *server) putGrid(w http.ResponseWriter, r *http.Request) error {
	var g api.Grid
	if err := body(w, r, maxNew, &g); err != nil {
		return err
	}
	return done(w, s.Grid.SetGrid(context.WithoutCancel(r.Context()), g))
}

// Docs looks up documentation of what a work tree uses.
type Docs interface {
	Lookup(ctx context.Context, q api.DocsQuestion) (api.DocsAnswer, error)
	// Read returns one piece whole.
	Read(ctx context.Context, dir, id string) (api.DocsHit, error)
}

func (s *server) docs(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	in := api.DocsQuestion{Dir: q.Get("dir"), Query: q.Get("q"), Package: q.Get("package"), Ecosystem: q.Get("ecosystem")}
	if text := q.Get("max_tokens"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			return api.Errorf(api.CodeInvalid, "max_tokens must be a number, not %.40q", text)
		}
		in.MaxTokens = n
	}
	answer, err := s.Docs.Lookup(r.Context(), in)
	return ok(w, answer, err)
}

func (s *server) docsPiece(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	hit, err := s.Docs.Read(r.Context(), q.Get("dir"), q.Get("id"))
	return ok(w, hit, err)
}

func docsRoutes() []route {
	dir := param{name: "dir", doc: "a directory in the work tree, absolute"}
	return []route{
		{method: "GET", path: "/v1/docs", name: "docs.lookup", doc: "Documentation of the versions that a work tree uses, the best pieces first", query: []param{dir,
			{name: "q", doc: "a symbol, or in words what it is to do"}, {name: "package", doc: "NAME or NAME@VERSION: of that package alone"},
			{name: "ecosystem", doc: "of that ecosystem alone", enum: []string{"go", "node", "python", "rust", "man", "project"}},
			{name: "max_tokens", kind: "integer", doc: "bound of the texts; not given: 2000"}},
			more: "The first question builds the indexes; notes say which packages are still being indexed.", out: api.DocsAnswer{}, handle: (*server).docs},
		{method: "GET", path: "/v1/docs/piece", name: "docs.read", doc: "One piece of documentation whole", query: []param{dir, {name: "id", doc: "its id in an answer"}}, out: api.DocsHit{}, handle: (*server).docsPiece},
	}
}
