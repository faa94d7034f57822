package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"ccdir/api"
)

func TestReadEvents(t *testing.T) {
	tests := []struct {
		name, in string
		want     []string
	}{
		{"one", "id: 4\ndata: {\"a\":1}\n\n", []string{`{"a":1}`}},
		{"no space, CR LF", "data:x\r\n\r\n", []string{"x"}},
		{"two lines", "data: a\ndata: b\n\n", []string{"a\nb"}},
		{"comments and other fields", ": keep\n\nevent: e\nretry: 5\n\ndata\n\n", []string{""}},
		{"cut off at the end", "data: a\n\ndata: b\n", []string{"a"}},
		{"empty", "", nil},
	}
	for _, tc := range tests {
		var got []string
		err := newEventStream(iotest.OneByteReader(strings.NewReader(tc.in)), 1000).each(func(data []byte) error {
			got = append(got, string(data))
			return nil
		})
		if err != nil || !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s: got %q, %v; want %q", tc.name, got, err, tc.want)
		}
	}
}

// TestQuietStream: a daemon that says nothing any more is told as lost, and found again.
func TestQuietStream(t *testing.T) {
	f := newFake(t)
	mux := health(http.NewServeMux(), "1.2.3")
	mux.HandleFunc("GET /v1/watch", func(w http.ResponseWriter, r *http.Request) {
		data, _ := json.Marshal(api.WatchMessage{Snapshot: &api.Snapshot{Server: api.Server{Version: "1.2.3", Revision: api.Revision}}})
		fmt.Fprintf(w, "data: %s\n\n", data)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	f.serve(mux)
	for name, opened := range map[string]bool{"watched": false, "opened first": true} {
		t.Run(name, func(t *testing.T) {
			c := f.client()
			c.quiet = time.Second
			ctx, cancel := context.WithCancel(testContext(t))
			defer cancel()
			if opened {
				if _, err := c.Open(ctx).Wait(); err != nil {
					t.Fatal(err)
				}
			}
			var got []string
			err := c.Watch(ctx, Watcher{Message: func(api.WatchMessage) {}, Link: func(err error) {
				if err != nil {
					c.quiet = time.Minute // the next stream is in time, however slow the machine is
				}
				if got = append(got, fmt.Sprint(err)); len(got) == 3 {
					cancel()
				}
			}})
			if want := []string{"<nil>", errQuiet.Error(), "<nil>"}; !errors.Is(err, context.Canceled) || !reflect.DeepEqual(got, want) {
				t.Errorf("told %q, %v", got, err)
			}
		})
	}
}

func TestReadEventsBounded(t *testing.T) {
	endless := strings.NewReader("data: " + strings.Repeat("x", 300_000))
	if err := newEventStream(endless, 100_000).each(func([]byte) error { return nil }); err == nil || !strings.Contains(err.Error(), "100000") {
		t.Errorf("got %v", err)
	}
}

func FuzzReadEvents(f *testing.F) {
	f.Add("data: a\n\n")
	f.Add("data: a\r\nid:1\r\n\r\n:\n\n")
	f.Fuzz(func(t *testing.T, in string) {
		total := 0
		err := newEventStream(strings.NewReader(in), 1<<16).each(func(data []byte) error {
			total += len(data)
			return nil
		})
		if total > len(in) {
			t.Errorf("%d bytes of data out of %d", total, len(in))
		}
		if err != nil && len(in) <= 1<<16 {
			t.Errorf("small input refused: %v", err)
		}
	})
}

// send writes one server-sent event.
func send(w http.ResponseWriter, v any) {
	data, _ := json.Marshal(v) // plain data types
	fmt.Fprintf(w, "data: %s\n\n", data)
	_ = http.NewResponseController(w).Flush() // the client sees the end of the stream
}

func snapshot(seq int64) api.WatchMessage {
	return api.WatchMessage{Snapshot: &api.Snapshot{Seq: seq}}
}

func event(seq int64) api.WatchMessage {
	return api.WatchMessage{Event: &api.Event{Seq: seq}}
}

// TestWatch: a snapshot first, what it holds already is left out, a gap and a
// restart each lead to another snapshot.
func TestWatch(t *testing.T) {
	f := newFake(t)
	connections := 0
	mux := health(http.NewServeMux(), "1.2.3")
	mux.HandleFunc("GET /v1/watch", func(w http.ResponseWriter, r *http.Request) {
		switch connections++; connections {
		case 1:
			for _, m := range []api.WatchMessage{snapshot(5), event(5), event(6), {Session: &api.Session{ID: "s"}}, event(8), event(9)} {
				send(w, m)
			}
		case 2:
			send(w, snapshot(9))
		}
		<-r.Context().Done()
	})
	f.serve(mux)
	ctx, cancel := context.WithCancel(testContext(t))
	defer cancel()
	var got []string
	err := f.client().Watch(ctx, Watcher{
		Message: func(m api.WatchMessage) {
			switch {
			case m.Snapshot != nil:
				got = append(got, "snapshot "+strconv.FormatInt(m.Snapshot.Seq, 10))
			case m.Event != nil:
				got = append(got, "event "+strconv.FormatInt(m.Event.Seq, 10))
			case m.Session != nil:
				got = append(got, "session "+m.Session.ID)
			}
			if m.Snapshot == nil {
				return
			}
			switch m.Snapshot.Seq {
			case 9: // restart: another daemon with a snapshot of its own
				f.stop()
				again := health(http.NewServeMux(), "1.2.3")
				again.HandleFunc("GET /v1/watch", func(w http.ResponseWriter, r *http.Request) {
					send(w, snapshot(20))
					<-r.Context().Done()
				})
				f.serve(again)
			case 20:
				cancel()
			}
		},
		Link: func(err error) { got = append(got, fmt.Sprintf("link %t", err == nil)) },
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	want := []string{"link true", "snapshot 5", "event 6", "session s", "snapshot 9", "link false", "link true", "snapshot 20"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestWatchEndsWhenVersionChanges(t *testing.T) {
	f := newFake(t)
	mux := health(http.NewServeMux(), "1.2.3")
	mux.HandleFunc("GET /v1/watch", func(w http.ResponseWriter, r *http.Request) {
		send(w, snapshot(1))
		<-r.Context().Done()
	})
	f.serve(mux)
	err := f.client().Watch(testContext(t), Watcher{Message: func(api.WatchMessage) {
		f.stop()
		f.serve(health(http.NewServeMux(), "2.0.0"))
	}})
	var version *VersionError
	if !errors.As(err, &version) {
		t.Errorf("got %v", err)
	}
}

// TestWatchTellsThatItWasStopped: nobody starts the next daemon then, and the reason that
// is told says how it is done; once there is one, all is well again.
func TestWatchTellsThatItWasStopped(t *testing.T) {
	f := newFake(t)
	serve := func(seq int64) {
		mux := health(http.NewServeMux(), "1.2.3")
		mux.HandleFunc("GET /v1/watch", func(w http.ResponseWriter, r *http.Request) {
			send(w, snapshot(seq))
			<-r.Context().Done()
		})
		f.serve(mux)
	}
	serve(1)
	ctx, cancel := context.WithCancel(testContext(t))
	defer cancel()
	var told []error
	err := f.client().Watch(ctx, Watcher{
		Message: func(m api.WatchMessage) {
			if m.Snapshot.Seq == 2 {
				cancel()
				return
			}
			f.stop()
		},
		Link: func(err error) {
			told = append(told, err)
			if errors.Is(err, ErrNotRunning) {
				serve(2)
			}
		},
	})
	if !errors.Is(err, context.Canceled) || len(told) != 4 || told[0] != nil || !errors.Is(told[1], io.EOF) || !errors.Is(told[2], ErrNotRunning) || told[3] != nil {
		t.Errorf("%v, told %v", err, told)
	}
}

func TestWatchEndsWhenForbidden(t *testing.T) {
	f := newFake(t)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/watch", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 403, api.Error{Code: api.CodeForbidden, Message: "no"})
	})
	f.serve(mux)
	if err := f.client().Watch(testContext(t), Watcher{Message: func(api.WatchMessage) {}}); api.CodeOf(err) != api.CodeForbidden {
		t.Errorf("got %v", err)
	}
}

// TestFollow: no event is lost or repeated when the connection breaks.
func TestFollow(t *testing.T) {
	f := newFake(t)
	const last = 40
	mux := health(http.NewServeMux(), "1.2.3")
	mux.HandleFunc("GET /v1/events/stream", func(w http.ResponseWriter, r *http.Request) {
		since, err := strconv.ParseInt(r.URL.Query().Get("since"), 10, 64)
		if err != nil {
			reply(w, 400, api.Error{Code: api.CodeInvalid, Message: "since is missing"})
			return
		}
		// One event that the client has, then seven new ones, then a break.
		for seq := since; seq <= min(since+7, last); seq++ {
			send(w, api.Event{Seq: seq})
		}
	})
	f.serve(mux)
	var got []int64
	stop := errors.New("enough")
	err := f.client().Follow(testContext(t), EventFilter{}, func(e api.Event) error {
		got = append(got, e.Seq)
		if e.Seq == last {
			return stop
		}
		return nil
	})
	if err != stop {
		t.Fatalf("got %v", err)
	}
	for i, seq := range got {
		if seq != int64(i)+1 {
			t.Fatalf("event %d has number %d: %v", i, seq, got)
		}
	}
	if len(got) != last {
		t.Errorf("%d events, want %d", len(got), last)
	}
}

func TestBackoff(t *testing.T) {
	b := backoff{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var last time.Duration
	for range 20 {
		if err := b.wait(ctx); !errors.Is(err, context.Canceled) {
			t.Fatalf("wait must end with its context: %v", err)
		}
		if b.next < last || b.next > backoffMost {
			t.Fatalf("after %s comes %s", last, b.next)
		}
		last = b.next
	}
	if last != backoffMost {
		t.Errorf("ends at %s", last)
	}
}
