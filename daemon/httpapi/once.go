package httpapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"ccdir/api"
)

// Calls with a key (api.HeaderKey) are carried out once. A call is noted before it
// begins, its answer before it is told. A daemon that dies between the two leaves a
// call that was begun: a repeat of it is carried out by the same handler, which is
// told so (keyed.again) and looks first how far the call had come. What it makes
// bears the call's id, or is known from the note that was made before it began.

// Keys keeps calls with keys.
type Keys interface {
	// BeginCall notes a call, or returns what is kept of it.
	BeginCall(c api.KeyedCall) (old api.KeyedCall, known bool, err error)
	// EndCall keeps the answer.
	EndCall(c api.KeyedCall) error
}

// Points of a call with a key at which tests stop the daemon (Deps.Pause).
const (
	PauseCallBegun = "call-begun" // it is noted, nothing was done
	PauseCallDone  = "call-done"  // it was done, its answer is not kept
	PauseCallKept  = "call-kept"  // the answer is kept, and not told
)

// keyed is a call with a key, as its handler sees it.
type keyed struct {
	// id names the call among all of all callers.
	id string
	// again: a daemon before this one has begun it, or a call whose caller hung up.
	again bool
	// note is what the route noted before it began.
	note string
	// at is when it came first.
	at time.Time
}

type keyedKey struct{}

// callOf is the call's key; the zero value if it has none.
func callOf(ctx context.Context) keyed {
	k, _ := ctx.Value(keyedKey{}).(keyed)
	return k
}

// changeOf is the call as what it changes knows it.
func changeOf(r *http.Request) api.Call {
	call := callOf(r.Context())
	c := api.Call{ID: call.id}
	if call.again {
		c.Begun = call.at
	}
	return c
}

// begunAt is when the call came: of a repeat, when it came first.
func begunAt(r *http.Request) time.Time {
	if at := callOf(r.Context()).at; !at.IsZero() {
		return at
	}
	return time.Now()
}

// takesKey reports whether a route's calls can have keys: those that change
// something.
func (r route) takesKey() bool { return r.kind == call && r.method != http.MethodGet }

// keyOf reads the key of a call, "" if it has none. It may be written as a string of
// a structured field (RFC 8941), in quotes, or bare.
func keyOf(r *http.Request) (string, error) {
	all := r.Header.Values(api.HeaderKey)
	if len(all) == 0 {
		return "", nil
	}
	key := strings.TrimSpace(all[0])
	if n := len(key); n >= 2 && key[0] == '"' && key[n-1] == '"' {
		key = key[1 : n-1]
	}
	bad := strings.ContainsFunc(key, func(c rune) bool { return c <= ' ' || c > '~' || c == '"' || c == '\\' })
	if len(all) > 1 || key == "" || len(key) > api.MaxKey || bad {
		return "", api.Errorf(api.CodeInvalid, "%s must be one name of 1 to %d printable ASCII characters without blanks, quotes and backslashes", api.HeaderKey, api.MaxKey)
	}
	return key, nil
}

// once carries out a call with a key, or answers as the one before it.
func (s *server) once(route route, key string, w http.ResponseWriter, r *http.Request) error {
	owner, err := s.ownerOf(r)
	if err != nil {
		return err
	}
	data, err := readBody(w, r, route.most())
	if err != nil {
		return err
	}
	k := owned{owner, key}
	leave, err := s.running.Enter(r.Context(), k)
	if err != nil {
		return err
	}
	defer leave()
	now, known, saved, err := s.begin(route, k, r, data)
	if err != nil {
		return err
	}
	if known && now.Status != 0 {
		replay(w, now)
		return nil
	}
	s.Pause(PauseCallBegun)
	out := &kept{header: http.Header{}}
	if err := s.handleKeyed(route, keyed{id: callID(k), again: known, note: now.Note, at: now.At}, out, r, data); err != nil {
		return err
	}
	s.Pause(PauseCallDone)
	now.Status, now.Location, now.Body = out.status, out.header.Get("Location"), out.body.Bytes()
	if lasts(out.status) {
		s.keep(now, saved, r)
	}
	s.Pause(PauseCallKept)
	out.tell(w)
	return nil
}

// begin notes a call before it is carried out. Of one that is known it returns what is
// kept, with a status if its answer stands, and otherwise as it was begun. saved: it is
// in the database.
func (s *server) begin(route route, k owned, r *http.Request, data []byte) (now api.KeyedCall, known, saved bool, err error) {
	now = keyedCall(k, r, data)
	if route.note != nil {
		now.Note = route.note(s, r, data)
	}
	old, known := s.running.recall(k)
	saved = !known
	if !known {
		if old, known, err = s.Keys.BeginCall(now); err != nil {
			// A disk that is full must not keep anybody from ending a session.
			s.log.Warn("a call with a key cannot be noted: it is carried out, and could be once more after the daemon's end", "path", r.URL.Path, "error", err)
			saved = false
		}
	}
	switch {
	case known && !bytes.Equal(old.Print, now.Print):
		return now, known, saved, api.Errorf(api.CodeKeyReused, "the key %.40q was that of another call: every call needs a key of its own", k.key)
	case known && old.Status != 0 && (route.stands == nil || route.stands(s, r, old)):
		return old, known, saved, nil
	case known:
		now.Note, now.At = old.Note, old.At
	}
	return now, known, saved, nil
}

// handleKeyed has the route's handler answer into out. It returns an error only if the
// caller hung up.
func (s *server) handleKeyed(route route, call keyed, out *kept, r *http.Request, data []byte) error {
	inner := r.WithContext(context.WithValue(r.Context(), keyedKey{}, call))
	inner.Body, inner.ContentLength = io.NopCloser(bytes.NewReader(data)), int64(len(data))
	if call.again && strings.HasPrefix(route.path, "/v1/sessions/{ref}") {
		sameSession(inner, call.note)
	}
	err := route.handle(s, out, inner)
	if err == nil {
		return nil
	}
	var told *api.Error
	if !errors.As(err, &told) && r.Context().Err() != nil {
		return err
	}
	s.fail(out, inner, err)
	return nil
}

// keep keeps the answer of a call: in the database, or in memory if that cannot be.
func (s *server) keep(c api.KeyedCall, saved bool, r *http.Request) {
	if saved {
		err := s.Keys.EndCall(c)
		if err == nil {
			return
		}
		s.log.Warn("the answer to a call with a key cannot be kept", "path", r.URL.Path, "error", err)
	}
	s.running.remember(c)
}

// lasts reports whether an answer is kept. After what may be otherwise the next
// time, and was not the call's doing, a repeat is carried out.
func lasts(status int) bool {
	return status < http.StatusInternalServerError && status != http.StatusTooManyRequests || status == http.StatusGatewayTimeout
}

// ownerOf is whose keys a call's are.
func (s *server) ownerOf(r *http.Request) (string, error) {
	o, err := s.originOf(r)
	switch {
	case err != nil:
		return "", err
	case !o.Inside:
		return api.Person, nil
	case o.Session == "":
		return "", s.refuseInside(r, o, "")
	}
	return o.Session, nil
}

// callID is the id of a call in what it makes. It says nothing of the key, which
// whoever reads the id could use otherwise.
func callID(k owned) string {
	sum := sha256.Sum256([]byte(k.owner + "\x00" + k.key))
	return "key-" + hex.EncodeToString(sum[:16])
}

// keyedCall is a call as it is kept. Its print does not depend on how the body was
// written, or on which way the call came.
func keyedCall(k owned, r *http.Request, body []byte) api.KeyedCall {
	h := sha256.New()
	for _, part := range [][]byte{[]byte(r.Method), []byte(r.URL.Path), []byte(r.URL.Query().Encode()), canonical(body)} {
		sum := sha256.Sum256(part)
		_, _ = h.Write(sum[:]) // never fails
	}
	return api.KeyedCall{Owner: k.owner, Key: k.key, At: time.Now(), Print: h.Sum(nil)}
}

// canonical is JSON with its fields in order and no blanks; what is no JSON stays as
// it is.
func canonical(body []byte) []byte {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil || dec.More() {
		return body
	}
	data, err := json.Marshal(v)
	if err != nil {
		return body
	}
	return data
}

// most bounds a route's body, in bytes.
func (r route) most() int64 {
	switch r.in.(type) {
	case []api.NewTask:
		return maxTasks
	case api.RawInput:
		return maxInput
	case api.NewSession, api.SendPrompt, api.Restore:
		return maxNew
	}
	return maxBody
}

// replay answers with what is kept.
func replay(w http.ResponseWriter, c api.KeyedCall) {
	w.Header().Set(api.HeaderReplayed, "true")
	if c.Location != "" {
		w.Header().Set("Location", c.Location)
	}
	if len(c.Body) > 0 {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(c.Status)
	_, _ = w.Write(c.Body) // the client is gone if this fails
}

// kept is an answer that is not told before it is kept.
type kept struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (k *kept) Header() http.Header { return k.header }

// WriteHeader implements http.ResponseWriter.
func (k *kept) WriteHeader(status int) {
	if k.status == 0 {
		k.status = status
	}
}

// Write implements http.ResponseWriter.
func (k *kept) Write(p []byte) (int, error) {
	k.WriteHeader(http.StatusOK)
	return k.body.Write(p)
}

// tell sends the answer.
func (k *kept) tell(w http.ResponseWriter) {
	for name, values := range k.header {
		w.Header()[name] = values
	}
	k.WriteHeader(http.StatusOK)
	w.WriteHeader(k.status)
	_, _ = w.Write(k.body.Bytes()) // the client is gone if this fails
}
