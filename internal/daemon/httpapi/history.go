package httpapi

import (
	"context"
	"net/http"
	"strconv"

	"ccdir/internal/api"
)

// History is what the API asks of the past.
type History interface {
	// History lists ended sessions and tasks, newest first; limit 0 is the
	// default.
	History(ctx context.Context, limit int) ([]api.HistoryEntry, error)
	// Transcript is that of an ended session, or of a task's last one.
	Transcript(ctx context.Context, ref string) (api.Transcript, error)
	// Search finds what has all words of text.
	Search(ctx context.Context, text string, limit int) ([]api.SearchHit, error)
}

// limitOf reads the query's limit.
func limitOf(r *http.Request) (int, error) {
	text := r.URL.Query().Get("limit")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, api.Errorf(api.CodeInvalid, "limit must be 1 or more, found %.40q", text)
	}
	return n, nil
}

func (s *server) history(w http.ResponseWriter, r *http.Request) error {
	limit, err := limitOf(r)
	if err != nil {
		return err
	}
	list, err := s.History.History(r.Context(), limit)
	return ok(w, list, err)
}

func (s *server) transcript(w http.ResponseWriter, r *http.Request) error {
	t, err := s.History.Transcript(r.Context(), ref(r))
	return ok(w, t, err)
}

func (s *server) search(w http.ResponseWriter, r *http.Request) error {
	limit, err := limitOf(r)
	if err != nil {
		return err
	}
	hits, err := s.History.Search(r.Context(), r.URL.Query().Get("q"), limit)
	if hits == nil {
		hits = []api.SearchHit{}
	}
	return ok(w, hits, err)
}
