package httpapi

import (
	"context"
	"net/http"
	"strings"
	"time"

	"ccdir/api"
)

// History has ended sessions and tasks.
type History interface {
	// History lists ended sessions and tasks, newest first, that follow a place;
	// limit 0 is the default.
	History(ctx context.Context, after api.HistoryPlace, limit int) ([]api.HistoryEntry, error)
	// Transcript returns that of an ended session, or of the last session of a task.
	Transcript(ctx context.Context, ref string) (api.Transcript, error)
	// Keep archives a session that has ended, before it is removed; Purge deletes what is kept
	// of a session that was removed.
	Keep(ctx context.Context, session string) error
	Purge(ctx context.Context, session string) error
	// Search finds places that have all words of text.
	Search(ctx context.Context, text string, limit int) ([]api.SearchHit, error)
}

func (s *server) history(w http.ResponseWriter, r *http.Request) error {
	limit, err := limitOf(r)
	if err != nil {
		return err
	}
	after, err := placeOf(r)
	if err != nil {
		return err
	}
	list, err := s.History.History(r.Context(), after, limit)
	if limit > 0 && len(list) == limit {
		next(w, r, "before", list[limit-1].Place().String())
	}
	return ok(w, list, err)
}

// placeOf reads where a page begins: before a time, or after an entry, as the Link header
// of the page before names it.
func placeOf(r *http.Request) (p api.HistoryPlace, err error) {
	text, entry, _ := strings.Cut(r.URL.Query().Get("before"), ",")
	if text == "" {
		return p, nil
	}
	if p.Ended, err = time.Parse(time.RFC3339Nano, text); err != nil {
		return p, api.Errorf(api.CodeInvalid, "before must be a time as 2006-01-02T15:04:05Z, found %.40q", text)
	}
	p.Kind, p.ID, _ = strings.Cut(entry, ",")
	return p, nil
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
