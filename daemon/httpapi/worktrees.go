package httpapi

import (
	"context"
	"net/http"

	"ccdir/api"
)

// Worktrees makes, lists and removes work trees of git repositories.
type Worktrees interface {
	// List returns those of the repository around dir; sizes: with what they take on disk.
	List(ctx context.Context, dir string, sizes bool) ([]api.Worktree, error)
}

func (s *server) worktrees(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	list, err := s.Worktrees.List(r.Context(), q.Get("dir"), truth(q.Get("sizes")))
	return ok(w, list, err)
}
