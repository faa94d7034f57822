package httpapi

import (
	"context"
	"net/http"

	"ccdir/api"
	"ccdir/daemon/httpapi/access"
)

// Insiders decides what processes that run inside sessions may do.
type Insiders interface {
	// Permit reports whether the session may use a tool of ccdir's, as if it
	// called it over MCP; it may wait for a person.
	Permit(ctx context.Context, o api.Origin, tool string, input map[string]any) error
	// Answer answers a request as the lead of the session that asks.
	Answer(ctx context.Context, o api.Origin, ref string, a api.Answer) (api.Decision, error)
	// Refused records a call that was refused. o is the zero value if the caller is not
	// known.
	Refused(o api.Origin, call, why string)
}

// right is the condition under which a process inside a session may make a call.
type right uint8

const (
	// forPerson: never.
	forPerson right = iota
	// forAll: always, since the call only reads, or its handler has a check of its own. Not for
	// what the daemon itself started (api.Origin.Nobody).
	forAll
	// forEverybody: to that, too.
	forEverybody
	// forItself: if the call is about the caller's own session.
	forItself
	// forKin: if the call is about the caller's own session, or one that it started.
	forKin
)

// rights are the routes that processes inside sessions may use besides the person. A
// route that is missing here is for the person only, so a new one is safe by default. What
// such a caller reads of other sessions is what viewer says.
var rights = map[string]right{
	"GET /v1/health":                 forEverybody,
	"GET /v1/caller":                 forEverybody,
	"GET /v1/sessions":               forAll,
	"GET /v1/sessions/{ref}":         forAll,
	"GET /v1/sessions/{ref}/explain": forKin,
	"GET /v1/sessions/{ref}/diff":    forKin,
	"GET /v1/sessions/{ref}/process": forAll,
	"GET /v1/sessions/{ref}/buffer":  forAll,
	"GET /v1/sessions/{ref}/wait":    forAll,
	"GET /v1/sessions/{ref}/policy":  forAll,
	"GET /v1/approvals":              forAll,
	"GET /v1/decisions":              forAll,
	"GET /v1/decisions/sum":          forAll,
	"GET /v1/decisions/verify":       forAll,
	"GET /v1/events":                 forAll,
	"GET /v1/events/stream":          forAll,
	"GET /v1/watch":                  forAll, // without the hosts' tickets
	"GET /v1/agents":                 forAll,
	"GET /v1/accounts":               forAll,
	"GET /v1/directories":            forAll,
	"GET /v1/grid":                   forAll,
	"GET /v1/config":                 forAll, // redacted
	"GET /v1/tasks":                  forAll,
	"GET /v1/tasks/{ref}":            forAll,
	"GET /v1/tasks/{ref}/wait":       forAll,
	"GET /v1/tasks/{ref}/logs":       forAll,
	"GET /v1/history/{ref}":          forKin,
	"GET /v1/queue":                  forAll,
	"GET /v1/restore":                forAll,
	"GET /v1/usage":                  forAll, // the windows alone

	"GET /v1/openapi.json":          forAll,
	"GET /v1/repos":                 forAll,
	"GET /v1/worktrees":             forAll,
	"GET /v1/conflicts":             forAll,
	"GET /v1/sessions/{ref}/events": forAll,

	// Known by its token, which no process inside another session may use: see
	// hooks.Endpoint.Check.
	"POST /v1/hook": forAll,

	// With a check of their own: see asTool and answerAs.
	"POST /v1/sessions/{ref}/reply":    forAll,
	"POST /v1/sessions/{ref}/input":    forAll,
	"POST /v1/sessions/{ref}/kill":     forAll,
	"POST /v1/approvals/{ref}/approve": forAll,
	"POST /v1/approvals/{ref}/deny":    forAll,

	"GET /v1/sessions/{ref}/transcript":        forKin,
	"GET /v1/sessions/{ref}/transcript/stream": forKin,

	"POST /v1/sessions/{ref}/rename": forItself,
	"POST /v1/sessions/{ref}/marks":  forItself,
	"POST /v1/sessions/{ref}/seen":   forItself,
}

// permitted refuses calls of processes inside sessions that are for the person only.
func (s *server) permitted(route route, r *http.Request) error {
	right := rights[route.method+" "+route.path]
	if s.Callers == nil || right == forEverybody {
		return nil
	}
	if right == forAll {
		// Whose origin cannot be told may look, and its handler checks what more it may.
		if o, err := access.OriginOf(r.Context(), s.Callers); err == nil && o.Nobody {
			return s.refuseInside(r, o, "")
		}
		return nil
	}
	o, err := s.originOf(r)
	if err != nil || !o.Inside {
		return err
	}
	if !o.Nobody && (right == forItself || right == forKin) && o.Session != "" {
		id, err := s.Sessions.Resolve(ref(r))
		if err == nil && (id == o.Session || right == forKin && s.viewer(r).all(id)) {
			return nil
		}
	}
	return s.refuseInside(r, o, "")
}

// refuseInside records a refused call of a process inside a session and returns the
// error. why is the reason; "": the call is for the person.
func (s *server) refuseInside(r *http.Request, o api.Origin, why string) error {
	who := "this process runs inside a session of ccdir"
	if o.Nobody {
		who = "this process was started by the daemon of ccdir"
	}
	if o.Name != "" {
		who += " (" + o.Name + ", role " + o.Role + ")"
	}
	if why == "" {
		why = "only the person may do that, from a terminal of their own"
	}
	if s.Insiders != nil {
		s.Insiders.Refused(o, r.Method+" "+r.URL.Path, why+" ("+o.Why+")")
	}
	return api.Errorf(api.CodeForbidden, "%s: %s", who, why)
}

// asTool permits a call to a process inside a session if the session may use that tool.
func (s *server) asTool(r *http.Request, tool string, input map[string]any) error {
	o, err := s.originOf(r)
	if err != nil || !o.Inside {
		return err
	}
	if o.Session == "" || s.Insiders == nil {
		return s.refuseInside(r, o, "")
	}
	if err := s.Insiders.Permit(r.Context(), o, tool, input); err != nil {
		return s.refuseInside(r, o, err.Error())
	}
	return nil
}

// caller returns the caller's origin. With for=WHAT, a change that the program is about to
// make by itself, a process inside a session is refused, and the refusal recorded.
func (s *server) caller(w http.ResponseWriter, r *http.Request) error {
	o, err := s.originOf(r)
	if err != nil {
		return err
	}
	if what := r.URL.Query().Get("for"); what != "" && o.Inside {
		return s.refuseInside(r, o, "only the person may do that ("+what+"), from a terminal of their own")
	}
	return ok(w, o, nil)
}

// originOf returns the origin of a call. If it is not known, the refusal is recorded. On
// the socket the origin stays the same for a connection, with the session's name and role
// of the first call.
func (s *server) originOf(r *http.Request) (api.Origin, error) {
	if s.Callers == nil {
		return api.Origin{}, nil
	}
	o, err := access.OriginOf(r.Context(), s.Callers)
	if err != nil && s.Insiders != nil {
		s.Insiders.Refused(api.Origin{}, r.Method+" "+r.URL.Path, err.Error())
	}
	return o, err
}
