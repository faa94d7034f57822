package httpapi

import (
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"

	"ccdir/api"
	"ccdir/daemon/httpapi/access"
)

// mux makes the router from the table.
func (s *server) mux() *http.ServeMux {
	mux := http.NewServeMux()
	methods := map[string][]string{}
	for _, r := range table() {
		mux.HandleFunc(r.method+" "+r.path, s.serve(r))
		methods[r.path] = append(methods[r.path], r.method)
		if r.method == http.MethodGet && r.kind != socket {
			methods[r.path] = append(methods[r.path], http.MethodHead)
		}
	}
	for at, list := range methods {
		mux.HandleFunc(at, s.otherMethod(list))
	}
	if s.MCP != nil {
		mux.HandleFunc(api.MCPPath, func(w http.ResponseWriter, r *http.Request) {
			if access.Remote(r.Context()) {
				s.fail(w, r, api.Errorf(api.CodeForbidden, "MCP has an address of its own over TCP (mcp.listen)"))
				return
			}
			s.MCP.ServeHTTP(w, r)
		})
	}
	mux.HandleFunc("/", s.nothing)
	return mux
}

// nothing answers for addresses that do not exist.
func (s *server) nothing(w http.ResponseWriter, r *http.Request) {
	what := "`ccdir api openapi` lists what it has"
	if version, ours := callerVersion(r); ours && version != api.Version {
		what = fmt.Sprintf("it is version %s, the caller %.40q: run `ccdir daemon restart` (sessions keep running)", api.Version, version)
	}
	s.fail(w, r, api.Errorf(api.CodeNotFound, "the daemon has no %s %.200q: %s", r.Method, r.URL.Path, what))
}

// plain refuses addresses that the mux would redirect: its redirects are web pages, which
// clients of the API do not follow.
func (s *server) plain(mux http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// "*" is the target of OPTIONS *.
		if at := r.URL.Path; at == "*" || at != "/" && path.Clean(at) != strings.TrimSuffix(at, "/") {
			s.nothing(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// serve is a route's handler.
func (s *server) serve(route route) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		err := s.fits(route, r)
		if err == nil {
			err = s.permitted(route, r)
		}
		switch {
		case err != nil:
		case r.Method == http.MethodHead && route.kind == socket:
			s.otherMethod([]string{route.method})(w, r)
		case r.Method == http.MethodHead && route.kind == stream:
			w.Header().Set("Content-Type", "text/event-stream") // which has no end
		default:
			err = s.carryOut(route, w, r)
		}
		if err != nil {
			s.fail(w, r, err)
		}
	}
}

// carryOut performs a call, once if it has a key.
func (s *server) carryOut(route route, w http.ResponseWriter, r *http.Request) error {
	if !route.takesKey() || s.Keys == nil {
		return route.handle(s, w, r)
	}
	key, err := keyOf(r)
	if err != nil {
		return err
	}
	match, err := matchOf(route, r)
	switch {
	case err != nil:
		return err
	case key == "":
		return s.perform(route, match, w, r)
	}
	return s.once(route, key, match, w, r)
}

// fits refuses calls that a route does not take, before its handler runs.
func (s *server) fits(route route, r *http.Request) error {
	if route.local && access.Remote(r.Context()) {
		return api.Errorf(api.CodeForbidden, "%s %.200q is served on the daemon's socket only", r.Method, r.URL.Path)
	}
	if route.kind != call || r.Method == http.MethodGet {
		return nil
	}
	// Web pages can send forms to any address without a preflight.
	if kind := r.Header.Get("Content-Type"); kind != "" && !isJSON(kind) {
		return api.Errorf(api.CodeMediaType, "the body is called %.60q: send JSON and Content-Type: application/json (curl --json)", kind)
	}
	return nil
}

// isJSON reports whether a Content-Type names JSON.
func isJSON(kind string) bool {
	name, _, _ := strings.Cut(strings.ToLower(kind), ";")
	name = strings.TrimSpace(name)
	return name == "application/json" || strings.HasPrefix(name, "application/") && strings.HasSuffix(name, "+json")
}

// otherMethod answers methods that an address does not have.
func (s *server) otherMethod(list []string) http.HandlerFunc {
	allow := strings.Join(slices.Sorted(maps.Keys(set(list))), ", ")
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", allow)
		if r.Method == http.MethodOptions {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		s.fail(w, r, api.Errorf(api.CodeMethod, "%.200q has no %.20q: it has %s", r.URL.Path, r.Method, allow))
	}
}

func set(list []string) map[string]bool {
	m := map[string]bool{}
	for _, e := range list {
		m[e] = true
	}
	return m
}
