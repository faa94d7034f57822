package client

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"ccdir/api"
)

// openable is a daemon that counts what it is asked.
type openable struct {
	*fake
	watches, healths atomic.Int32
	ended            chan struct{} // one for each stream that ended
}

func newOpenable(t *testing.T, version string) *openable {
	o := &openable{fake: newFake(t), ended: make(chan struct{}, 8)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/health", func(w http.ResponseWriter, _ *http.Request) {
		o.healths.Add(1)
		reply(w, http.StatusOK, api.Server{PID: 4242, Version: version})
	})
	mux.HandleFunc("GET /v1/watch", func(w http.ResponseWriter, r *http.Request) {
		o.watches.Add(1)
		m := snapshot(5)
		m.Snapshot.Server = api.Server{PID: 4242, Version: version}
		send(w, m)
		send(w, event(6))
		<-r.Context().Done()
		o.ended <- struct{}{}
	})
	o.serve(mux)
	return o
}

// TestOpen: the stream that tells the version is the one that is watched.
func TestOpen(t *testing.T) {
	o := newOpenable(t, "1.2.3")
	c := o.client()
	srv, err := c.Open(testContext(t)).Wait()
	if err != nil || srv.PID != 4242 {
		t.Fatalf("%+v, %v", srv, err)
	}
	ctx, cancel := context.WithCancel(testContext(t))
	defer cancel()
	var got []int64
	err = c.Watch(ctx, Watcher{Message: func(m api.WatchMessage) {
		if m.Snapshot != nil {
			got = append(got, m.Snapshot.Seq)
		}
		if m.Event != nil {
			got = append(got, m.Event.Seq)
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || len(got) != 2 || got[0] != 5 || got[1] != 6 {
		t.Errorf("watched %v, %v", got, err)
	}
	<-o.ended
	if w, h := o.watches.Load(), o.healths.Load(); w != 1 || h != 0 {
		t.Errorf("%d streams, %d questions for the version", w, h)
	}
}

// TestOpenUnwatched: a stream that nobody watches ends with the client.
func TestOpenUnwatched(t *testing.T) {
	o := newOpenable(t, "1.2.3")
	c := o.client()
	if _, err := c.Open(testContext(t)).Wait(); err != nil {
		t.Fatal(err)
	}
	c.Close()
	<-o.ended
}

// TestOpenFails: what is wrong is told as Connect tells it.
func TestOpenFails(t *testing.T) {
	o := newOpenable(t, "1.2.4")
	var version *VersionError
	if _, err := o.client().Open(testContext(t)).Wait(); !errors.As(err, &version) || version.Daemon != "1.2.4" {
		t.Errorf("another version: %v", err)
	}
	<-o.ended
	o.stop()
	if _, err := o.client().Open(testContext(t)).Wait(); !errors.Is(err, ErrNotRunning) || strings.Contains(err.Error(), "\n") {
		t.Errorf("no daemon: %v", err)
	}
}
