package httpapi

import (
	"context"
	"net/http"
	"time"

	"ccdir/internal/api"
)

// History is what the API asks of the past.
type History interface {
	// History lists ended sessions and tasks, newest first, that ended before a
	// time unless it is zero; limit 0 is the default.
	History(ctx context.Context, before time.Time, limit int) ([]api.HistoryEntry, error)
	// Transcript is that of an ended session, or of a task's last one.
	Transcript(ctx context.Context, ref string) (api.Transcript, error)
	// Search finds what has all words of text.
	Search(ctx context.Context, text string, limit int) ([]api.SearchHit, error)
}

func (s *server) history(w http.ResponseWriter, r *http.Request) error {
	limit, err := limitOf(r)
	if err != nil {
		return err
	}
	before, err := timeOf(r, "before")
	if err != nil {
		return err
	}
	list, err := s.History.History(r.Context(), before, limit)
	if limit > 0 && len(list) == limit {
		next(w, r, "before", list[limit-1].Ended.Format(time.RFC3339Nano))
	}
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
