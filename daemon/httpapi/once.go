package httpapi

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"ccdir/api"
)

// A call with an idempotency key (api.HeaderKey) is carried out once. Its record is saved
// before it begins, and its answer before that is sent. If the daemon dies between the
// two, the record has no answer, and the handler carries out the retry; it finds out how
// far the first attempt came
//   - by the id of the call (attempt.id), which is saved with what the call makes:
//     sessions, tasks, prompts, messages, rows of the ledger;
//   - by the version that the call's target had when it began (see precondition.go): if
//     that has changed, the first attempt took effect.

// Keys saves idempotency records.
type Keys interface {
	// BeginCall saves a record, unless the key has one: then it returns that (known).
	BeginCall(c api.CallRecord) (old api.CallRecord, known bool, err error)
	// EndCall saves the answer.
	EndCall(c api.CallRecord) error
}

// Points of a call with a key at which tests stop the daemon (Deps.Pause).
const (
	PauseCallBegun = "call-begun" // the record is saved, nothing was done
	PauseCallDone  = "call-done"  // the call was carried out, its answer is not saved
	PauseCallKept  = "call-kept"  // the answer is saved and not sent
)

// attempt is one attempt to carry out a call with a key, as its handler sees it. The zero
// value is a call without a key.
type attempt struct {
	// id is unique among all calls of all callers, and the same in retries.
	id string
	// retry: an earlier attempt began and its outcome is unknown (the daemon died, or the
	// caller hung up).
	retry bool
	// target names the call's target as it was when the first attempt began; "" if the
	// route needs none.
	target string
	// at is when the first attempt began.
	at time.Time
}

type attemptKey struct{}

// attemptOf returns the attempt that a handler's context belongs to.
func attemptOf(ctx context.Context) attempt {
	a, _ := ctx.Value(attemptKey{}).(attempt)
	return a
}

// changeOf returns the call's identity, which is stored with the change, so that a retry
// finds it.
func changeOf(r *http.Request) api.Call {
	a := attemptOf(r.Context())
	c := api.Call{ID: a.id}
	if a.retry {
		c.Begun = a.at
	}
	return c
}

// begunAt returns when the first attempt began.
func begunAt(r *http.Request) time.Time {
	if at := attemptOf(r.Context()).at; !at.IsZero() {
		return at
	}
	return time.Now()
}

// once carries out a call with a key, or sends the recorded answer.
func (s *server) once(route route, key, match string, w http.ResponseWriter, r *http.Request) error {
	owner, err := s.ownerOf(r)
	if err != nil {
		return err
	}
	data, err := readBody(w, r, route.most())
	if err != nil {
		return err
	}
	k := owned{owner, key}
	leave, err := s.records.Enter(r.Context(), k)
	if err != nil {
		return err
	}
	defer leave()
	rec, known, saved, err := s.begin(route, k, match, r, data)
	if err != nil {
		return err
	}
	if known && rec.Status != 0 {
		replay(w, rec)
		return nil
	}
	s.Pause(PauseCallBegun)
	out := &unsent{header: http.Header{}}
	if err := s.attempt(route, attempt{id: callID(k), retry: known, target: rec.Target, at: rec.At}, match, out, r, data); err != nil {
		return err
	}
	s.Pause(PauseCallDone)
	rec.Status, rec.Location, rec.Body = out.status, out.header.Get("Location"), out.body.Bytes()
	if lasts(out.status) {
		s.keep(rec, saved, r)
	}
	s.Pause(PauseCallKept)
	out.send(w)
	return nil
}

// begin saves the record of a call before it is carried out. If the key has a record
// already (known), begin returns that: with a status if its answer still holds, without
// one if the call has to be carried out (again). saved: the record is in the database.
func (s *server) begin(route route, k owned, match string, r *http.Request, data []byte) (rec api.CallRecord, known, saved bool, err error) {
	rec = newRecord(k, match, r, data)
	rec.Target = match
	if match == "" && route.target != nil {
		rec.Target = route.target(s, r, data)
	}
	old, known := s.records.recall(k)
	saved = !known
	if !known {
		if old, known, err = s.Keys.BeginCall(rec); err != nil {
			// A full disk must not keep anybody from ending a session.
			s.log.Warn("the idempotency record of a call cannot be saved: a retry after the daemon's end could carry it out again", "path", r.URL.Path, "error", err)
			saved = false
		}
	}
	switch {
	case known && !bytes.Equal(old.Print, rec.Print):
		return rec, known, saved, api.Errorf(api.CodeKeyReused, "the key %.40q was that of another call: every call needs a key of its own", k.key)
	case known && old.Status != 0 && (route.stands == nil || route.stands(s, r, old)):
		return old, known, saved, nil
	case known:
		rec.Target, rec.At = old.Target, old.At
	}
	return rec, known, saved, nil
}

// attempt performs the call and has the answer written to out. It returns an error only
// if the caller hung up.
func (s *server) attempt(route route, a attempt, match string, out *unsent, r *http.Request, data []byte) error {
	inner := r.WithContext(context.WithValue(r.Context(), attemptKey{}, a))
	inner.Body, inner.ContentLength = io.NopCloser(bytes.NewReader(data)), int64(len(data))
	err := s.perform(route, match, out, inner)
	if err == nil {
		return nil
	}
	var known *api.Error
	if !errors.As(err, &known) && r.Context().Err() != nil {
		return err
	}
	s.fail(out, inner, err)
	return nil
}

// keep saves the answer of a call: in the database, or in memory if that fails.
func (s *server) keep(c api.CallRecord, saved bool, r *http.Request) {
	if saved {
		err := s.Keys.EndCall(c)
		if err == nil {
			return
		}
		s.log.Warn("the answer to a call with a key cannot be saved", "path", r.URL.Path, "error", err)
	}
	s.records.remember(c)
}

// lasts reports whether an answer is recorded. Failures that may pass and were not the
// call's doing are not: a retry carries the call out.
func lasts(status int) bool {
	return status < http.StatusInternalServerError && status != http.StatusTooManyRequests || status == http.StatusGatewayTimeout
}

// removed turns "not found" into success for a retry of a call that removes something:
// it was there when the first attempt began.
func removed(r *http.Request, err error) error {
	if a := attemptOf(r.Context()); a.retry && a.target != "" && api.CodeOf(err) == api.CodeNotFound {
		return nil
	}
	return err
}

// inputID returns the id of a prompt: the call's, or the caller's own. Ids that a
// session gives are its own: with one of the person's or the queue's it could keep their
// prompt from being typed.
func (s *server) inputID(r *http.Request, given string) (string, error) {
	if given == "" {
		return attemptOf(r.Context()).id, nil
	}
	o, err := s.originOf(r)
	if err != nil || !o.Inside {
		return given, err
	}
	return callID(owned{o.Session, "input " + given}), nil
}

// most bounds a route's body, in bytes.
func (r route) most() int64 {
	switch r.in.(type) {
	case []api.NewTask:
		return maxTasks
	case api.RawInput:
		return maxInput
	case api.NewSession, api.SendPrompt, api.NewPending, api.Ask, api.Restore:
		return maxNew
	}
	return maxBody
}

// takesKey reports whether a route's calls can have keys: those that change something.
func (r route) takesKey() bool { return r.kind == call && r.method != http.MethodGet }

// keyOf reads the idempotency key of a call, "" if it has none.
func keyOf(r *http.Request) (string, error) {
	key, err := stringOf(r, api.HeaderKey, api.MaxKey)
	if err != nil {
		return "", api.Errorf(api.CodeInvalid, "%s must be one name of 1 to %d printable ASCII characters without blanks, quotes and backslashes", api.HeaderKey, api.MaxKey)
	}
	return key, nil
}

var errString = errors.New("not one string")

// stringOf reads a header that holds one string of 1 to limit characters, in quotes (a
// string of RFC 8941, an entity tag) or bare; "" if there is none.
func stringOf(r *http.Request, header string, limit int) (string, error) {
	all := r.Header.Values(header)
	if len(all) == 0 {
		return "", nil
	}
	text := strings.TrimSpace(all[0])
	if n := len(text); n >= 2 && text[0] == '"' && text[n-1] == '"' {
		text = text[1 : n-1]
	}
	bad := strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || c > '~' || c == '"' || c == '\\' })
	if len(all) > 1 || text == "" || len(text) > limit || bad {
		return "", errString
	}
	return text, nil
}
