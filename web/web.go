package web

import (
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/api/hint"
)

// server has the handlers.
type server struct {
	Deps
	mux *http.ServeMux
}

// handler answers one call. Its error is a page, or JSON for a script.
type handler func(*server, http.ResponseWriter, call) error

// route is an address of the page. rights "" needs no device.
type route struct {
	method, path string
	rights       api.WebRights
	handle       handler
}

// routes are all addresses.
func routes() []route {
	const get, post = http.MethodGet, http.MethodPost
	return []route{
		{get, "/assets/{name...}", "", (*server).asset},
		{get, "/manifest.webmanifest", "", (*server).manifest},
		{get, "/worker.js", "", (*server).worker},
		{get, "/pair", "", (*server).pairPage},
		{post, "/pair", "", (*server).pair},
		{get, "/{$}", api.WebSee, (*server).overview},
		{get, "/live", api.WebSee, (*server).live},
		{get, "/approvals", api.WebSee, (*server).approvals},
		{get, "/approvals/{id}", api.WebSee, (*server).approval},
		{get, "/approvals/{id}/always", api.WebApprove, (*server).alwaysPage},
		{post, "/approvals/{id}", api.WebApprove, (*server).answer},
		{get, "/sessions/{id}", api.WebSee, (*server).session},
		{get, "/sessions/{id}/changes", api.WebSee, (*server).changes},
		{post, "/sessions/{id}/changes/seen", api.WebSee, (*server).looked},
		{post, "/sessions/{id}/comments", api.WebType, (*server).addComment},
		{post, "/sessions/{id}/comments/send", api.WebType, (*server).sendComments},
		{post, "/sessions/{id}/comments/{comment}/drop", api.WebType, (*server).dropComment},
		{get, "/sessions/{id}/terminal", api.WebSee, (*server).terminal},
		{get, "/sessions/{id}/attach", api.WebSee, (*server).attach},
		{get, "/terminals", api.WebSee, (*server).terminals},
		{post, "/sessions/{id}/prompt", api.WebType, (*server).prompt},
		{get, "/sessions/{id}/end", api.WebType, (*server).endPage},
		{post, "/sessions/{id}/end", api.WebType, (*server).end},
		{get, "/sessions/{id}/restart", api.WebType, (*server).restartPage},
		{post, "/sessions/{id}/restart", api.WebType, (*server).restart},
		{get, "/new", api.WebType, (*server).newPage},
		{post, "/new", api.WebType, (*server).create},
		{get, "/conversations/{id}", api.WebSee, (*server).conversation},
		{get, "/queue", api.WebSee, (*server).queue},
		{post, "/queue", api.WebType, (*server).addTask},
		{post, "/queue/hold", api.WebType, (*server).holdQueue},
		{get, "/queue/{id}", api.WebSee, (*server).task},
		{post, "/queue/{id}/start", api.WebType, (*server).startTask},
		{post, "/queue/{id}/cancel", api.WebType, (*server).cancelTask},
		{get, "/events", api.WebSee, (*server).events},
		{get, "/decisions", api.WebSee, (*server).decisions},
		{get, "/trees", api.WebSee, (*server).trees},
		{get, "/nodes", api.WebSee, (*server).nodes},
		{get, "/usage", api.WebSee, (*server).usage},
		{get, "/config", api.WebSee, (*server).config},
		{get, "/search", api.WebSee, (*server).search},
		{get, "/notifications", api.WebSee, (*server).notifications},
		{post, "/notifications", api.WebSee, (*server).subscribe},
		{post, "/notifications/test", api.WebSee, (*server).testPush},
		{post, "/notifications/end", api.WebSee, (*server).unsubscribe},
		{post, "/unpair", api.WebSee, (*server).unpair},
	}
}

// New makes the page's handler.
func New(d Deps) http.Handler {
	s := &server{Deps: d, mux: http.NewServeMux()}
	if s.Now == nil {
		s.Now = time.Now
	}
	if s.Nodes == nil {
		s.Nodes = noNodes{}
	}
	if s.Logger == nil {
		s.Logger = slog.New(slog.DiscardHandler)
	}
	for _, r := range routes() {
		s.mux.HandleFunc(r.method+" "+r.path, s.enter(r))
	}
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		c, _ := r.Context().Value(callKey{}).(call)
		c.Request = r
		s.fail(w, c, api.Errorf(api.CodeNotFound, "the page has no %.20s %.200s", r.Method, r.URL.Path))
	})
	return s.contain(s)
}

// contain turns a panic into a failure of its call.
func (s *server) contain(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
				panic(p)
			}
			s.Logger.Error("panic in a call of the page", "method", r.Method, "path", r.URL.Path, "panic", p, "stack", string(debug.Stack()))
			s.fail(w, call{Request: r}, api.Errorf(api.CodeInternal, "the daemon failed in this call: its log says why"))
		}()
		next.ServeHTTP(w, r)
	})
}

// fail answers with an error: a page, or JSON for a script.
func (s *server) fail(w http.ResponseWriter, c call, err error) {
	var known *api.Error
	switch {
	case errors.Is(err, errElsewhere):
		s.render(w, c, http.StatusForbidden, page{Title: "A link leads here", Body: "elsewhere", Data: c.URL.RequestURI()})
		return
	case errors.Is(err, errEarly):
		fields := maps.Clone(c.PostForm)
		delete(fields, "token") // the new page has its own
		s.render(w, c, http.StatusForbidden, page{Title: "Not sent yet", Body: "early", Data: map[string]any{"Path": c.URL.Path, "Fields": fields}})
		return
	case errors.As(err, &known):
	default:
		s.Logger.Error("a call of the page failed", "method", c.Method, "path", c.URL.Path, "error", err)
		known = api.Errorf(api.CodeInternal, "%s%s", err.Error(), hint.Of(err))
	}
	if c.script() {
		sendJSON(w, known.Code.Status(), known)
		return
	}
	title, body := "That did not work", "failed"
	if errors.Is(err, errUnpaired) {
		title, body = "Pair this browser", "pair"
	}
	s.render(w, c, known.Code.Status(), page{Title: title, Body: body, Data: known.Message})
}

// noteFar records what a device did to something of a node, which knows this machine's page alone.
func (s *server) noteFar(c call, id, what string) {
	if node, own, far := strings.Cut(id, "/"); far {
		s.Note(c.client() + " " + what + " " + own + " of node " + node)
	}
}

// done answers a form: a script gets the message, a browser without script the page at next.
func (s *server) done(w http.ResponseWriter, c call, message, next string) error {
	if c.script() {
		sendJSON(w, http.StatusOK, map[string]string{"message": message, "next": next})
		return nil
	}
	http.Redirect(w, c.Request, next, http.StatusSeeOther)
	return nil
}
