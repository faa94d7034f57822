package mcpserver

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/server"
)

const (
	// maxBody bounds the body of a request over HTTP, in bytes.
	maxBody = 8 << 20
	// idleSession is the time without a request after which a session over HTTP is
	// forgotten.
	idleSession = time.Hour
	// maxHTTPSessions bounds the sessions over HTTP; the oldest is evicted.
	maxHTTPSessions = 1024
)

// HTTP is the server over Streamable HTTP. Create it with Server.HTTP, end it with
// Close.
type HTTP struct {
	server   *Server
	stream   *server.StreamableHTTPServer
	identify func(ctx context.Context, token string) (Caller, error)
	// loopback: it is reached over TCP, so by browsers too.
	loopback bool
	ids      *sessionIDs
	handler  http.Handler
}

// HTTP returns a handler of one endpoint. Every request needs the token of a session
// (Authorization: Bearer TOKEN), which identify turns into the caller; its error is
// answered with 401. With loopback the Host must also be a name of this machine.
// Requests from web pages of other origins are always refused.
func (s *Server) HTTP(identify func(ctx context.Context, token string) (Caller, error), loopback bool) *HTTP {
	h := &HTTP{server: s, identify: identify, loopback: loopback, ids: &sessionIDs{known: map[string]string{}}}
	h.stream = server.NewStreamableHTTPServer(s.mcp, server.WithSessionIdManager(h.ids),
		server.WithSessionIdleTTL(idleSession), server.WithEventStore(newEventStore()), server.WithDisableLocalhostProtection(true))
	h.handler = http.NewCrossOriginProtection().Handler(http.MaxBytesHandler(http.HandlerFunc(h.serve), maxBody))
	return h
}

// Close ends the sessions.
func (h *HTTP) Close() { _ = h.stream.Shutdown(context.Background()) }

// ServeHTTP checks the origin of the request and passes it on.
func (h *HTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h.loopback && !localHost(r.Host) {
		http.Error(w, "this address answers to localhost alone", http.StatusForbidden)
		return
	}
	// The standard library's cross-origin check allows safe methods; here no web page
	// needs those either.
	if o := r.Header.Get("Origin"); o != "" && !sameOrigin(o, r.Host) {
		http.Error(w, "requests of web pages are refused", http.StatusForbidden)
		return
	}
	h.handler.ServeHTTP(w, r)
}

// localHost reports whether the Host header names this machine.
func localHost(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.Trim(name, "[]")
	if strings.EqualFold(name, "localhost") {
		return true
	}
	ip := net.ParseIP(name)
	return ip != nil && ip.IsLoopback()
}

// sameOrigin reports whether the origin is this endpoint's.
func sameOrigin(origin, host string) bool {
	_, name, ok := strings.Cut(origin, "://")
	return ok && strings.EqualFold(name, host)
}

func (h *HTTP) serve(w http.ResponseWriter, r *http.Request) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	token = strings.TrimSpace(token)
	var caller Caller
	err := errors.New("a request needs the token of a session: Authorization: Bearer TOKEN (CCDIR_TOKEN in the session's environment)")
	if strings.EqualFold(scheme, "Bearer") && token != "" {
		caller, err = h.identify(r.Context(), token)
	}
	var p *peer
	var release func()
	if err == nil {
		p, release, err = h.server.newPeer(caller)
	}
	if err != nil {
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, err.Error(), http.StatusUnauthorized)
		return
	}
	defer release()
	if id := r.Header.Get(server.HeaderKeySessionID); id != "" && !h.ids.of(id, caller.Session) {
		http.Error(w, "the session is another one's, or has ended", http.StatusNotFound)
		return
	}
	body, err := io.ReadAll(r.Body) // the body is bounded
	if err == nil {
		err = p.slots.room.take(len(body))
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	defer p.slots.room.give(len(body))
	if values(body) > maxValues {
		http.Error(w, tooManyValues, http.StatusRequestEntityTooLarge)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	p.lossyTransport = true
	h.stream.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, p)))
	h.ids.own(w.Header().Get(server.HeaderKeySessionID), caller.Session)
}

// sessionIDs are the ids of sessions over HTTP. An unknown or expired id is answered
// with 404, upon which a client starts a new session; so is an id of another caller,
// who must not read its streams.
type sessionIDs struct {
	mu    sync.Mutex
	known map[string]string // id → session of its caller; unowned until the first answer
	order []string
}

// unowned marks an id that was not sent to its caller yet, so that only the server
// knows it.
const unowned = "\x00"

// of reports whether the id belongs to that caller, or is unknown.
func (m *sessionIDs) of(id, session string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	owner, ok := m.known[id]
	return !ok || owner == unowned || owner == session
}

// own assigns a new id to its caller.
func (m *sessionIDs) own(id, session string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known[id] == unowned {
		m.known[id] = session
	}
}

// Generate creates an id.
func (m *sessionIDs) Generate() string {
	id := rand.Text()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known[id] = unowned
	if m.order = append(m.order, id); len(m.order) > maxHTTPSessions {
		delete(m.known, m.order[0])
		m.order = m.order[1:]
	}
	return id
}

// Validate reports an unknown id as terminated.
func (m *sessionIDs) Validate(id string) (isTerminated bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, ok := m.known[id]
	return !ok, nil
}

// Terminate forgets an id.
func (m *sessionIDs) Terminate(id string) (isNotAllowed bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.known, id)
	return false, nil
}
