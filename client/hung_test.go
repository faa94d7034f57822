package client

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"ccdir/api"
)

// TestHung: who asks a daemon that takes calls and answers none is told in time, with
// its pid, and both by a call and by the stream of a grid.
func TestHung(t *testing.T) {
	f := newFake(t)
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	f.serve(mux)
	data, err := json.Marshal(api.ServerFile{PID: 4242, Start: "1", Socket: f.paths.Socket()})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.paths.ServerFile(), data, 0o600); err != nil {
		t.Fatal(err)
	}
	c := f.client()
	c.opts.StartTimeout = 50 * time.Millisecond
	for name, ask := range map[string]func() error{
		"a call":   func() error { _, err := c.Connect(testContext(t)); return err },
		"a stream": func() error { _, err := c.Open(testContext(t)).Wait(); return err },
	} {
		err := ask()
		if !errors.Is(err, errHung) || api.CodeOf(err) != api.CodeTimeout || !strings.Contains(err.Error(), "kill -9 4242") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
