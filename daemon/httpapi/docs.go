package httpapi

import (
	"context"
	"net/http"
	"strconv"

	"ccdir/api"
)

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
			{name: "ecosystem", doc: "of that ecosystem alone", enum: []string{"go", "node", "project"}},
			{name: "max_tokens", kind: "integer", doc: "bound of the texts; not given: 2000"}},
			more: "The first question builds the indexes; notes say which packages are still being indexed.", out: api.DocsAnswer{}, handle: (*server).docs},
		{method: "GET", path: "/v1/docs/piece", name: "docs.read", doc: "One piece of documentation whole", query: []param{dir, {name: "id", doc: "its id in an answer"}}, out: api.DocsHit{}, handle: (*server).docsPiece},
	}
}
