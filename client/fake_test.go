package client

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/internal/disk/paths"
)

// testPaths are places of their own, the sockets in a short directory.
func testPaths(t *testing.T) paths.Paths {
	t.Helper()
	// t.TempDir's names can be too long for a socket's path.
	run, err := os.MkdirTemp("/tmp", "cct")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(run) })
	return paths.Paths{Runtime: run, State: t.TempDir(), Config: t.TempDir()}
}

// fake serves a mux on the daemon's socket until stop is called or the test
// ends. Each serve is a new daemon.
type fake struct {
	t     *testing.T
	paths paths.Paths
	srv   *httptest.Server
}

func newFake(t *testing.T) *fake {
	t.Helper()
	f := &fake{t: t, paths: testPaths(t)}
	t.Cleanup(f.stop)
	return f
}

func (f *fake) serve(mux *http.ServeMux) {
	f.t.Helper()
	l, err := net.Listen("unix", f.paths.Socket())
	if err != nil {
		f.t.Fatal(err)
	}
	f.srv = &httptest.Server{Listener: l, Config: &http.Server{Handler: mux}}
	f.srv.Start()
}

// stop ends the daemon like a clean stop does: the socket's file is removed.
func (f *fake) stop() {
	if f.srv != nil {
		f.srv.CloseClientConnections()
		f.srv.Close()
		f.srv = nil
	}
}

// crash ends the daemon and leaves its socket's file behind.
func (f *fake) crash() {
	f.srv.Listener.(*net.UnixListener).SetUnlinkOnClose(false)
	f.stop()
}

func (f *fake) client() *Client {
	c := New(Options{Paths: f.paths, UID: -1, Version: "1.2.3"})
	f.t.Cleanup(c.Close)
	return c
}

// health adds the route that every mux needs.
func health(mux *http.ServeMux, version string) *http.ServeMux {
	mux.HandleFunc("GET /v1/health", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, http.StatusOK, api.Server{PID: 4242, Version: version, EventSeq: 7})
	})
	return mux
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client sees a broken answer
}

func testContext(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func mustMkdir(t *testing.T, path string, mode os.FileMode) string {
	t.Helper()
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return filepath.Clean(path)
}
