package httpapi

import (
	"context"
	"errors"
	"math"
	"net/http"
	"slices"
	"time"

	"ccdir/api"
	"ccdir/daemon/journal"
	"ccdir/wire"
)

func ref(r *http.Request) string { return r.PathValue("ref") }

func (s *server) list(w http.ResponseWriter, r *http.Request) error {
	states, err := wordsOf(r, "state", api.States())
	if err != nil {
		return err
	}
	agent := r.URL.Query().Get("agent")
	list := slices.DeleteFunc(s.Log.Values(), func(v *journal.Value) bool {
		return states != nil && !slices.Contains(states, v.State) || agent != "" && v.Agent != agent
	})
	list, err = page(w, r, list, func(v *journal.Value) string { return v.ID })
	if err != nil {
		return err
	}
	if v := s.viewer(r); !v.person {
		seen := make([]api.Session, 0, len(list))
		for _, one := range list {
			seen = append(seen, v.of(one.Session))
		}
		return ok(w, seen, nil)
	}
	return answerValues(w, list)
}

// answerValues sends a list of sessions. Each is encoded once per change, not per call,
// so that polling is cheap.
func answerValues(w http.ResponseWriter, list []*journal.Value) error {
	parts, size := make([][]byte, len(list)), len("[]\n")
	for i, v := range list {
		var err error
		if parts[i], err = v.JSON(); err != nil {
			return err
		}
		size += len(parts[i]) + len(",")
	}
	out := append(make([]byte, 0, size), '[')
	for i, part := range parts {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, part...)
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(out, "]\n"...)) // the client is gone if this fails
	return nil
}

func (s *server) create(w http.ResponseWriter, r *http.Request) error {
	var n api.NewSession
	if err := body(w, r, maxNew, &n); err != nil {
		return err
	}
	if n.Env == nil {
		n.Env = s.Env
	}
	if id := attemptOf(r.Context()).id; n.Request == "" {
		n.Request = id
	}
	// The start is completed even if the caller hangs up.
	session, known, err := s.Sessions.CreateOnce(context.WithoutCancel(r.Context()), n)
	if err != nil {
		return err
	}
	w.Header().Set("Location", "/v1/sessions/"+session.ID)
	status := http.StatusCreated
	if known {
		status = http.StatusOK
	}
	answer(w, status, session)
	return nil
}

func (s *server) get(w http.ResponseWriter, r *http.Request) error {
	session, err := s.Sessions.Get(r.Context(), ref(r))
	if err != nil {
		return err
	}
	w.Header().Set(api.HeaderVersion, `"`+session.Version()+`"`)
	return ok(w, s.viewer(r).of(session), nil)
}

func (s *server) remove(w http.ResponseWriter, r *http.Request) error {
	id, purge := ref(r), truth(r.URL.Query().Get("purge"))
	found, err := s.Sessions.Resolve(id)
	if err == nil {
		id = found
		if !purge {
			if err := s.History.Keep(r.Context(), id); err != nil {
				return api.Errorf(api.CodeUnavailable, "what session %s said cannot be kept (%v): try again, or remove it with --purge", id, err)
			}
		}
		err = s.Sessions.Remove(r.Context(), id)
	}
	if purge && (err == nil || api.CodeOf(err) == api.CodeNotFound) {
		purged := s.History.Purge(r.Context(), id)
		if err == nil && api.CodeOf(purged) == api.CodeNotFound {
			purged = nil // nothing was kept yet
		}
		err = purged
	}
	return done(w, removed(r, err))
}

func (s *server) explain(w http.ResponseWriter, r *http.Request) error {
	x, err := s.Sessions.Explain(r.Context(), ref(r))
	return ok(w, x, err)
}

func (s *server) process(w http.ResponseWriter, r *http.Request) error {
	use, err := s.Process(r.Context(), ref(r))
	return ok(w, use, err)
}

func (s *server) host(w http.ResponseWriter, r *http.Request) error {
	a, err := s.Sessions.HostAddress(r.Context(), ref(r))
	return ok(w, a, err)
}

func (s *server) input(w http.ResponseWriter, r *http.Request) error {
	var p api.SendPrompt
	if err := body(w, r, maxNew, &p); err != nil {
		return err
	}
	err := s.asTool(r, "session_send", map[string]any{"session": ref(r), "text": p.Text})
	if err != nil {
		return err
	}
	given := p.ID
	if p.ID, err = s.inputID(r, given); err != nil {
		return err
	}
	result, err := s.Sessions.Send(r.Context(), ref(r), p)
	if given != "" {
		result.ID = given
	}
	return ok(w, result, err)
}

func (s *server) rawInput(w http.ResponseWriter, r *http.Request) error {
	var in api.RawInput
	if err := body(w, r, maxInput, &in); err != nil {
		return err
	}
	in.ID = attemptOf(r.Context()).id
	return done(w, s.Sessions.Input(r.Context(), ref(r), in))
}

func (s *server) resize(w http.ResponseWriter, r *http.Request) error {
	var size api.Resize
	if err := body(w, r, maxBody, &size); err != nil {
		return err
	}
	return done(w, s.Sessions.Resize(r.Context(), ref(r), size))
}

func (s *server) kill(w http.ResponseWriter, r *http.Request) error {
	var k api.Kill
	if err := body(w, r, maxBody, &k); err != nil {
		return err
	}
	if err := s.asTool(r, "session_stop", map[string]any{"session": ref(r), "force": k.Force}); err != nil {
		return err
	}
	session, err := s.Sessions.Kill(r.Context(), ref(r), k)
	return ok(w, session, err)
}

func (s *server) restart(w http.ResponseWriter, r *http.Request) error {
	var how api.Restart
	if err := body(w, r, maxBody, &how); err != nil {
		return err
	}
	ctx := context.WithoutCancel(r.Context())
	if how.Account != "" {
		session, err := s.Sessions.RestartWith(ctx, ref(r), how.Account)
		return ok(w, session, err)
	}
	session, err := s.Sessions.Restart(ctx, ref(r))
	return ok(w, session, err)
}

func (s *server) park(w http.ResponseWriter, r *http.Request) error {
	session, err := s.Sessions.Park(context.WithoutCancel(r.Context()), ref(r), true)
	return ok(w, session, err)
}

func (s *server) parking(w http.ResponseWriter, r *http.Request) error {
	why, err := s.Sessions.WhyNotPark(r.Context(), ref(r))
	return ok(w, api.Parking{May: err == nil && why == "", Why: why}, err)
}

func (s *server) wake(w http.ResponseWriter, r *http.Request) error {
	session, err := s.Sessions.Wake(context.WithoutCancel(r.Context()), ref(r))
	return ok(w, session, err)
}

func (s *server) reset(w http.ResponseWriter, r *http.Request) error {
	session, err := s.Sessions.Reset(context.WithoutCancel(r.Context()), ref(r))
	return ok(w, session, err)
}

func (s *server) fork(w http.ResponseWriter, r *http.Request) error {
	var f api.Fork
	if err := body(w, r, maxBody, &f); err != nil {
		return err
	}
	f.Request = attemptOf(r.Context()).id
	session, err := s.Sessions.Fork(context.WithoutCancel(r.Context()), ref(r), f)
	if err != nil {
		return err
	}
	if f.Check {
		return ok(w, session, nil)
	}
	w.Header().Set("Location", "/v1/sessions/"+session.ID)
	answer(w, http.StatusCreated, session)
	return nil
}

func (s *server) setModel(w http.ResponseWriter, r *http.Request) error {
	var m api.SetModel
	if err := body(w, r, maxBody, &m); err != nil {
		return err
	}
	session, err := s.Sessions.SetModel(context.WithoutCancel(r.Context()), ref(r), m.Model)
	return ok(w, session, err)
}

func (s *server) resume(w http.ResponseWriter, r *http.Request) error {
	var how api.Resume
	if err := body(w, r, maxBody, &how); err != nil {
		return err
	}
	session, err := s.Sessions.SetResume(r.Context(), ref(r), how)
	return ok(w, session, err)
}

func (s *server) rename(w http.ResponseWriter, r *http.Request) error {
	var n api.Rename
	if err := body(w, r, maxBody, &n); err != nil {
		return err
	}
	session, err := s.Sessions.Rename(r.Context(), ref(r), n.Name)
	return ok(w, session, err)
}

func (s *server) mark(w http.ResponseWriter, r *http.Request) error {
	var m api.SetMarks
	if err := body(w, r, maxBody, &m); err != nil {
		return err
	}
	session, err := s.Sessions.Mark(r.Context(), ref(r), m)
	return ok(w, session, err)
}

func (s *server) focus(w http.ResponseWriter, r *http.Request) error {
	return done(w, s.Sessions.Focus(r.Context(), ref(r)))
}

func (s *server) seen(w http.ResponseWriter, r *http.Request) error {
	return done(w, s.Sessions.Seen(r.Context(), ref(r)))
}

func truth(s string) bool { return s == "1" || s == "true" }

// Bounds of a wait.
const (
	defaultWait = 30 * time.Second
	maxWait     = time.Hour
)

// wait blocks until the session is in one of the states. It fails at once for an ended
// session, whose state does not change by itself.
func (s *server) wait(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	states, err := wordsOf(r, "state", api.WaitStates())
	if err != nil {
		return err
	}
	if states == nil {
		return api.Errorf(api.CodeInvalid, "state must name one or more of %v", api.WaitStates())
	}
	limit, err := durationOf(r, "timeout", defaultWait)
	if err != nil {
		return err
	}
	id, err := s.Sessions.Resolve(ref(r))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), limit)
	defer cancel()
	if limit == 0 {
		// Poll: the first message of a watch comes at once.
		ctx = r.Context()
	}
	var last api.Session
	session, err := s.Log.Wait(ctx, id, func(v api.Session) bool {
		last = v
		return limit == 0 || v.In(states) || v.State.Ended()
	})
	switch {
	case err == nil && session.In(states):
		return ok(w, s.viewer(r).of(session), nil)
	case err == nil && session.State.Ended():
		return api.Errorf(api.CodeNotRunning, "session %s is %s and will not become %s: `ccdir restart %[1]s` begins it again", session.Name, session.State, q.Get("state"))
	case err == nil, errors.Is(err, context.DeadlineExceeded):
		return api.Errorf(api.CodeTimeout, "session %s is still %s after %s", last.Name, last.State, limit)
	}
	return err
}

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
