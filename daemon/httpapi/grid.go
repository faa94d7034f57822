package httpapi

import (
	"context"
	"net/http"

	"ccdir/api"
)

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
