package httpapi

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"ccdir/api"
)

// History has ended sessions and tasks.
type History interface {
	// History lists ended sessions and tasks, newest first, that follow a place;
	// limit 0 is the default.
	History(ctx context.Context, after api.HistoryPlace, limit int) ([]api.HistoryEntry, error)
	// Transcript returns what an ended session, or the last session of a task, showed.
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

// Past restores sessions that ran before a reboot.
type Past interface {
	// Offer returns the sessions of a generation that do not run now; from 0: of the
	// present offer.
	Offer(ctx context.Context, from int) (api.RestoreOffer, error)
	// Note returns the value of api.Restore.Before for a retry whose first attempt begins
	// now.
	Note(ctx context.Context, q api.Restore) []byte
	// Restore starts the sessions and returns when each runs or has failed.
	Restore(ctx context.Context, q api.Restore) ([]api.Restored, error)
	// Refuse withdraws the offer.
	Refuse(ctx context.Context) error
}

// pastRoutes are those of Past.
func pastRoutes() []route {
	return []route{
		{method: "GET", path: "/v1/restore", name: "restore.offer", doc: "What ran before a reboot or a crash and does not run now",
			query: []param{{name: "from", kind: "integer", doc: "what the generation of that number has, instead of what is offered"}}, out: api.RestoreOffer{}, handle: (*server).offer},
		{method: "POST", path: "/v1/restore", name: "restore.begin", doc: "Begin it again, all or chosen", in: api.Restore{}, out: []api.Restored{},
			more: "Answers when every session runs or has failed; one that fails stops no other.", handle: (*server).restore, target: (*server).restoreTarget},
		{method: "DELETE", path: "/v1/restore", name: "restore.refuse", doc: "Offer it no more; what is kept stays", handle: (*server).refuse},
	}
}

func (s *server) offer(w http.ResponseWriter, r *http.Request) error {
	from := 0
	if text := r.URL.Query().Get("from"); text != "" {
		var err error
		if from, err = strconv.Atoi(text); err != nil || from < 1 {
			return api.Errorf(api.CodeInvalid, "from is the number of a generation, found %.20q", text)
		}
	}
	o, err := s.Past.Offer(r.Context(), from)
	v := s.viewer(r)
	for i, one := range o.Sessions {
		o.Sessions[i] = v.past(one)
	}
	return ok(w, o, err)
}

func (s *server) restore(w http.ResponseWriter, r *http.Request) error {
	var q api.Restore
	if err := body(w, r, maxNew, &q); err != nil {
		return err
	}
	// Restore is completed even if the caller hangs up.
	a := attemptOf(r.Context())
	q.Request = a.id
	if a.retry {
		q.Before = []byte(a.target)
	}
	list, err := s.Past.Restore(context.WithoutCancel(r.Context()), q)
	return ok(w, list, err)
}

func (s *server) refuse(w http.ResponseWriter, r *http.Request) error {
	return done(w, s.Past.Refuse(r.Context()))
}
