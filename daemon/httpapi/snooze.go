package httpapi

import (
	"net/http"
	"time"

	"ccdir/api"
)

func (s *server) snooze(w http.ResponseWriter, r *http.Request) error {
	var in api.Snooze
	if err := body(w, r, maxBody, &in); err != nil {
		return err
	}
	if most := int(api.MaxSnooze / time.Second); in.Seconds < 1 || in.Seconds > most {
		return api.Errorf(api.CodeInvalid, "seconds are from 1 to %d", most)
	}
	session, err := s.Sessions.Snooze(r.Context(), ref(r), time.Duration(in.Seconds)*time.Second)
	return ok(w, session, err)
}

func (s *server) unsnooze(w http.ResponseWriter, r *http.Request) error {
	session, err := s.Sessions.Snooze(r.Context(), ref(r), 0)
	return ok(w, session, err)
}
