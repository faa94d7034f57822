package nodes

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/internal/disk/paths"
	"ccdir/nodes/link"
)

// TestServer: a status is a daemon or an error that says the node and why; only what passes by
// itself is unavailable.
func TestServer(t *testing.T) {
	r := New(link.Node{Name: "gpu1", Target: "gpu1"}, Options{})
	good := &link.Greeting{Server: &api.Server{PID: 7}}
	for _, test := range []struct {
		s    link.Status
		code api.Code
		text string
	}{
		{s: link.Status{State: link.StateOnline, Greeting: good}},
		{s: link.Status{State: link.StateStale, Greeting: good}},
		{link.Status{State: link.StateOnline, Greeting: &link.Greeting{Problem: "no\x1b[1m room"}}, api.CodeInternal, "node gpu1: no"},
		{link.Status{State: link.StateOffline, Reason: "no route", Next: time.Now()}, api.CodeUnavailable, "node gpu1 is offline: no route"},
		{link.Status{State: link.StateAsks, Reason: "denied"}, api.CodeForbidden, "node gpu1 asks you: denied"},
		{link.Status{State: link.StateOld, Reason: "none"}, api.CodeForbidden, "node gpu1 has no ccdir that fits: none"},
	} {
		srv, err := r.server(test.s)
		if test.text == "" {
			if err != nil || srv.PID != 7 {
				t.Errorf("%+v: %+v, %v", test.s, srv, err)
			}
			continue
		}
		if api.CodeOf(err) != test.code || !strings.HasPrefix(err.Error(), test.text) || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%+v: %v", test.s, err)
		}
	}
}

// TestDown: a node that was taken down is not started by the way.
func TestDown(t *testing.T) {
	dir, err := os.MkdirTemp("", "cn")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	p := paths.Paths{Home: dir, Runtime: filepath.Join(dir, "run"), State: filepath.Join(dir, "state")}
	shim := func(context.Context) (string, error) { t.Error("it was started"); return "", os.ErrNotExist }
	r := New(link.Node{Name: "gpu1", Target: "gpu1"}, Options{Paths: p, Shim: shim, Background: true})
	if r.Down() {
		t.Error("a new node is down")
	}
	if err := r.TakeDown(t.Context()); err != nil || !r.Down() {
		t.Fatal(err)
	}
	if _, err := r.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), "ccdir node up gpu1") {
		t.Error(err)
	}
	if err := r.Forget(t.Context()); err != nil || !r.Down() { // running grids start no other link
		t.Errorf("%v, down %t", err, r.Down())
	}
}
