package hooks

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"ccdir/api"
	"ccdir/internal/once"
)

// Bounds of the endpoint.
const (
	// remembered is how many replies are kept for retries; a later retry reaches the
	// registry, which still knows the ids of older calls.
	remembered = 4096
	// maxHeader bounds the value of each header of a call, in bytes.
	maxHeader = 256
)

// Endpoint serves POST /v1/hook. Its methods are safe for concurrent use.
type Endpoint struct {
	// Check returns an error if the process that makes a call over HTTP, which is in ctx,
	// may not call the hooks of the session ("" for an agent outside). The error is the
	// answer, and the call changes nothing. nil: every process may. Set before the first
	// call.
	Check func(ctx context.Context, session, hook string) error

	registry Registry
	now      func() time.Time

	// calls has the replies of calls with an id.
	calls *once.Group[callKey, api.HookReply]
}

// callKey identifies a call. It includes the token, so that a caller without it does not
// get the session's replies.
type callKey struct{ session, token, id string }

// NewEndpoint returns an endpoint over the registry; now is the clock.
func NewEndpoint(registry Registry, now func() time.Time) *Endpoint {
	return &Endpoint{registry: registry, now: now, calls: once.NewGroup[callKey, api.HookReply](remembered)}
}

// ServeHTTP answers one hook call: api.HookReply, or api.Error with its status.
func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		writeError(w, http.StatusMethodNotAllowed, api.Errorf(api.CodeInvalid, "hook calls are POST requests"))
		return
	}
	call, err := e.read(w, r)
	if err == nil && e.Check != nil {
		err = e.Check(r.Context(), call.Session, call.Hook)
	}
	if err != nil {
		writeError(w, api.CodeOf(err).Status(), err)
		return
	}
	ctx, delivered := api.WithDelivery(r.Context())
	defer delivered()
	silence := sign(w)
	reply, err := e.Do(ctx, call)
	silence()
	if err != nil {
		writeError(w, api.CodeOf(err).Status(), err)
		return
	}
	writeJSON(w, http.StatusOK, reply)
	_ = http.NewResponseController(w).Flush() // before delivered is called
}

// signAfter is when a hook process is told that its call is worked on (api.HookSignTime).
const signAfter = 2 * time.Second

// sign writes that the call is worked on, unless silence is called before; silence waits for it.
func sign(w http.ResponseWriter) (silence func()) {
	done := make(chan struct{})
	timer := time.AfterFunc(signAfter, func() {
		defer close(done)
		w.WriteHeader(http.StatusProcessing)
	})
	return func() {
		if !timer.Stop() {
			<-done
		}
	}
}

// Call is one hook call.
type Call struct {
	Session, Token, Hook, ID string
	// Role is the role in the caller's environment; it gives no rights.
	Role string
	// PID is the agent's process in calls from outside ccdir; Session and Token
	// are empty then.
	PID     int
	At      time.Time
	Payload []byte
}

// read decodes the call.
func (e *Endpoint) read(w http.ResponseWriter, r *http.Request) (Call, error) {
	c := Call{
		Session: r.Header.Get(api.HeaderSession),
		Token:   r.Header.Get(api.HeaderToken),
		Hook:    r.Header.Get(api.HeaderHook),
		ID:      r.Header.Get(api.HeaderHookID),
		Role:    r.Header.Get(api.HeaderRole),
		At:      e.now(),
	}
	if pid, err := strconv.Atoi(r.Header.Get(api.HeaderPID)); err == nil && pid > 1 && c.Session == "" {
		c.PID = pid
	}
	if c.Session == "" && c.PID == 0 || c.Hook == "" {
		return c, api.Errorf(api.CodeInvalid, "a hook call needs the headers %s and %s", api.HeaderSession, api.HeaderHook)
	}
	for _, v := range []string{c.Session, c.Token, c.Hook, c.ID, c.Role} {
		if len(v) > maxHeader {
			return c, api.Errorf(api.CodeInvalid, "a header of the hook call is longer than %d bytes", maxHeader)
		}
	}
	// A time in the future would make later evidence look older.
	if at, err := time.Parse(time.RFC3339Nano, r.Header.Get(api.HeaderAt)); err == nil && at.Before(c.At) {
		c.At = at
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, api.MaxHookPayload))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return c, api.Errorf(api.CodeTooLarge, "the payload of hook %s is larger than %d MiB", c.Hook, api.MaxHookPayload>>20)
	case err != nil:
		return c, api.Errorf(api.CodeInvalid, "the payload of hook %s did not arrive whole", c.Hook)
	}
	c.Payload = body
	return c, nil
}

// Do hands the call to the registry once: a retry of a call that was answered gets the
// same reply, and a retry of one in flight waits for it. A call that failed is forgotten,
// and a retry makes it again. A call without an id is always new. Do blocks until the
// reply is known or ctx ends.
func (e *Endpoint) Do(ctx context.Context, c Call) (api.HookReply, error) {
	if c.ID == "" {
		return e.call(ctx, c)
	}
	key := callKey{c.Session, c.Token, c.ID}
	if c.PID > 0 {
		key.session = "pid " + strconv.Itoa(c.PID)
	}
	content := once.Print(sha256.Sum256(append([]byte(c.Hook+"\x00"), c.Payload...)))
	waited := true // e.call was not called
	reply, _, err := e.calls.Do(ctx, key, content, func() (api.HookReply, error) {
		waited = false
		return e.call(ctx, c)
	})
	switch {
	case errors.Is(err, once.ErrReused):
		return api.HookReply{}, e.forged(c)
	case err != nil && waited:
		return api.HookReply{}, api.Errorf(api.CodeUnavailable, "the hook process hung up")
	}
	return reply, err
}

// forged refuses a call with the id of another one, so that it does not get the reply to
// that.
func (e *Endpoint) forged(c Call) error {
	err := api.Errorf(api.CodeForbidden, "the hook call's id was used for another call")
	if r, ok := e.registry.(Rejecter); ok {
		r.RejectHook(c.Session, c.Hook, err.Message)
	}
	return err
}

// call hands the call to the registry.
func (e *Endpoint) call(ctx context.Context, c Call) (api.HookReply, error) {
	if claims, ok := e.registry.(RoleClaims); ok && c.Role != "" && c.PID == 0 {
		claims.RoleClaimed(ctx, c.Session, c.Token, c.Role)
	}
	if c.PID == 0 {
		return e.registry.Hook(ctx, c.Session, c.Token, c.Hook, c.ID, c.At, c.Payload)
	}
	outside, ok := e.registry.(Outside)
	if !ok {
		return api.HookReply{}, api.Errorf(api.CodeForbidden, "hooks outside of sessions are not taken")
	}
	return api.HookReply{}, outside.ExternalHook(ctx, c.PID, c.Hook, c.ID, c.At, c.Payload)
}

func writeError(w http.ResponseWriter, status int, err error) {
	var known *api.Error
	if !errors.As(err, &known) {
		known = api.Errorf(api.CodeInternal, "%s", err.Error())
	}
	writeJSON(w, status, known)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil { // cannot fail: strings and numbers
		status = http.StatusInternalServerError
	}
	body = append(body, '\n')
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
