package httpapi

import (
	"math"
	"net/http"

	"ccdir/api"
	"ccdir/wire"
)

// formatJSON is the format of api.Screen; the others are those of package wire.
const formatJSON = "json"

// buffer sends the screen of a session, with or without its history.
func (s *server) buffer(w http.ResponseWriter, r *http.Request) error {
	if err := s.mayRead(r); err != nil {
		return err
	}
	q := r.URL.Query()
	if q.Get("format") == formatJSON {
		return s.lines(w, r)
	}
	if q.Get("lines") != "" {
		return api.Errorf(api.CodeInvalid, "lines goes with format=json")
	}
	from, err := numberOf(r, "from", 0, math.MaxInt64)
	if err != nil {
		return err
	}
	p := wire.OutputParams{Format: q.Get("format"), Scrollback: truth(q.Get("scrollback")), From: uint64(from)}
	out, err := s.Sessions.Buffer(r.Context(), ref(r), p)
	return ok(w, out, err)
}

// mayRead refuses the screen of a session to processes of others that may not use the
// tool for it.
func (s *server) mayRead(r *http.Request) error {
	id, err := s.Sessions.Resolve(ref(r))
	if err != nil || s.viewer(r).all(id) {
		return err
	}
	return s.asTool(r, "session_output", map[string]any{"session": id})
}

// lines sends an api.Screen.
func (s *server) lines(w http.ResponseWriter, r *http.Request) error {
	count, err := numberOf(r, "lines", 1, api.MaxScreenLines)
	if err != nil {
		return err
	}
	var from *uint64
	if r.URL.Query().Get("from") != "" {
		n, err := numberOf(r, "from", 0, math.MaxInt64)
		if err != nil {
			return err
		}
		first := uint64(n)
		from = &first
	}
	screen, err := s.Sessions.Lines(r.Context(), ref(r), from, int(count))
	return ok(w, screen, err)
}
