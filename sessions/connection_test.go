package sessions

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/config"
	"ccdir/internal/disk/paths"
	"ccdir/internal/proc"
	"ccdir/sessions/adopt"
	"ccdir/sessions/process"
	"ccdir/wire"
)

// memJournal is a journal that answers at once and keeps everything.
type memJournal struct {
	mu       sync.Mutex
	messages []api.WatchMessage
	records  map[string][]byte
}

func (j *memJournal) Append(msg api.WatchMessage, record []byte, _ string) <-chan error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.messages = append(j.messages, msg)
	if record != nil {
		j.records[msg.Session.ID] = record
	}
	done := make(chan error, 1)
	done <- nil
	close(done)
	return done
}

func (j *memJournal) events(eventType string) (n int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, m := range j.messages {
		if m.Event != nil && m.Event.Type == eventType {
			n++
		}
	}
	return n
}

// noStore knows nothing of the past.
type noStore struct{}

func (noStore) Keys(context.Context, string) ([]string, error) { return nil, nil }
func (noStore) KnownID(context.Context, string) (bool, error)  { return false, nil }
func (noStore) UseDirectory(string, time.Time) error           { return nil }
func (j *memJournal) saved(id string) []byte                   { j.mu.Lock(); defer j.mu.Unlock(); return j.records[id] }
func (h *fakeHost) Launch(_ context.Context, spec wire.HostSpec) (wire.HostReady, error) {
	return h.launch(spec)
}

// fakeHost is a host in this process: each connection is handed to serve with
// the client's hello.
type fakeHost struct {
	t     *testing.T
	mu    sync.Mutex
	hello []wire.Hello
	serve func(n int, c *wire.Conn, hello wire.Hello)
	close func()
}

func (h *fakeHost) launch(spec wire.HostSpec) (wire.HostReady, error) {
	l, err := net.Listen("unix", spec.Socket)
	if err != nil {
		return wire.HostReady{}, err
	}
	start, err := proc.StartTime(os.Getpid())
	if err != nil {
		return wire.HostReady{}, err
	}
	hf := wire.HostFile{PID: os.Getpid(), Start: start, ChildPID: os.Getpid(), ChildStart: "of another process",
		Socket: spec.Socket, Protocol: 1, Version: api.Version, Spec: spec}
	if err := adopt.WriteJSON(filepath.Join(spec.Dir, paths.HostFile), hf); err != nil {
		return wire.HostReady{}, err
	}
	h.close = func() { l.Close() }
	go func() {
		for n := 0; ; n++ {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			c := wire.NewConn(nc)
			m, err := c.Receive()
			hello, ok := m.(*wire.Hello)
			if err != nil || !ok {
				h.t.Error("no hello:", m, err)
				return
			}
			h.mu.Lock()
			h.hello = append(h.hello, *hello)
			h.mu.Unlock()
			go h.serve(n, c, *hello)
		}
	}()
	return wire.HostReady{PID: 4242, HostPID: os.Getpid()}, nil
}

func (h *fakeHost) hellos() []wire.Hello {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]wire.Hello(nil), h.hello...)
}

func welcome(c *wire.Conn) {
	c.Send(&wire.Welcome{Protocol: 1, Version: api.Version, PID: 4242, HostPID: os.Getpid(), Status: wire.Status{Cols: 80, Rows: 24}})
}

func evidence(c *wire.Conn, seq uint64, state string) {
	c.Send(&wire.Evidence{Seq: seq, At: time.Now(), Name: wire.EvidencePSP, Fields: map[string]string{"state": state}})
}

// newTestRegistry makes a registry over a fake host.
func newTestRegistry(t *testing.T, h *fakeHost) (*Registry, *memJournal) {
	t.Helper()
	home, err := os.MkdirTemp("", "cc")
	if err != nil {
		t.Fatal(err)
	}
	j := &memJournal{records: map[string][]byte{}}
	p := paths.Paths{Home: home, Runtime: home, State: home, Config: home}
	r := New(Options{Paths: p, Config: config.Default, Journal: j, Store: noStore{}, Launcher: h, Shim: "/nonexistent/shim"})
	t.Cleanup(func() {
		r.Close()
		if h.close != nil {
			h.close()
		}
		os.RemoveAll(home)
	})
	return r, j
}

func (r *Registry) mustCreate(t *testing.T) api.Session {
	t.Helper()
	s, err := r.Create(t.Context(), api.NewSession{Argv: []string{"/bin/sh"}, CWD: "/"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// reach waits until the session satisfies ok.
func (r *Registry) reach(t *testing.T, id string, ok func(*session) bool) {
	t.Helper()
	s, err := r.find(id)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := s.await(ctx, func() bool { return ok(s) }); err != nil {
		t.Fatal("not reached:", err)
	}
}

// TestReconnect: after a broken connection the daemon reads on from the last number, and
// repeated evidence counts once.
func TestReconnect(t *testing.T) {
	h := &fakeHost{t: t, serve: func(n int, c *wire.Conn, _ wire.Hello) {
		welcome(c)
		switch n {
		case 0:
			evidence(c, 1, "working")
			evidence(c, 2, "idle")
			c.Close()
		case 1:
			evidence(c, 2, "working") // repeated: known already
			evidence(c, 3, "idle")
			c.Send(&wire.EvidenceLost{To: 7, PSP: []wire.Evidence{{Seq: 7, At: time.Now(), Name: wire.EvidencePSP,
				Fields: map[string]string{"state": "blocked", "kind": "permission", "msg": "may\x1b I"}}}})
			c.Close()
		}
	}}
	r, j := newTestRegistry(t, h)
	s := r.mustCreate(t)
	r.reach(t, s.ID, func(s *session) bool {
		return len(h.hellos()) > 2 && s.fold.State == api.StatePermission && s.link != nil
	})
	for i, want := range []uint64{0, 2, 7} {
		if hello := h.hellos()[i]; hello.Evidence == nil || *hello.Evidence != want || hello.Ticket == "" {
			t.Errorf("connection %d: %+v", i, hello)
		}
	}
	got, err := r.Get(t.Context(), s.ID)
	if err != nil || got.Question != "may␛ I (answer in the pane)" || !got.AnswerInPane || got.PID != 4242 {
		t.Errorf("%+v %v", got, err)
	}
	if n := j.events(api.EventSessionState); n != 3 { // working, idle, permission
		t.Errorf("%d changes of state", n)
	}
	var rec record
	if err := json.Unmarshal(j.saved(s.ID), &rec); err != nil || rec.Evidence != 7 || rec.Fold.State != api.StatePermission {
		t.Errorf("saved: %+v %v", rec, err)
	}
}

// TestHostRequests: responses are matched with their requests, errors keep their codes, and
// a broken connection ends the pending requests.
func TestHostRequests(t *testing.T) {
	hold := make(chan struct{})
	h := &fakeHost{t: t, serve: func(n int, c *wire.Conn, _ wire.Hello) {
		welcome(c)
		if n > 0 {
			return
		}
		var first *wire.Request
		for {
			m, err := c.Receive()
			if err != nil {
				return
			}
			req, ok := m.(*wire.Request)
			switch {
			case !ok:
			case req.Method == wire.MethodStats: // never gets a response
				close(hold)
			case req.Method == wire.MethodPing:
				c.Close()
			case first == nil:
				first = req
			default: // the second request gets its response first
				c.Send(&wire.Response{ID: req.ID, Error: wire.NewError("invalid", "bad key")})
				c.Send(&wire.Response{ID: 999})
				c.Send(&wire.Response{ID: first.ID, Result: json.RawMessage(`{"text":"screen"}`)})
			}
		}
	}}
	r, _ := newTestRegistry(t, h)
	id := r.mustCreate(t).ID
	s, err := r.find(id)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	sent := make(chan struct{})
	wg.Go(func() {
		l, err := s.linked(t.Context())
		if err != nil {
			t.Error(err)
		}
		close(sent)
		var out wire.OutputResult
		if err := l.Call(t.Context(), wire.MethodOutput, wire.OutputParams{}, &out); err != nil || out.Text != "screen" {
			t.Error(out, err)
		}
	})
	<-sent
	l, err := s.linked(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	process.Poll(t.Context(), 5*time.Second, func() bool { return l.Pending() == 1 })
	if err := r.Input(t.Context(), id, api.RawInput{Keys: []string{"x"}}); api.CodeOf(err) != api.CodeInvalid {
		t.Errorf("got %v", err)
	}
	wg.Wait()
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-hold; cancel() }()
	if err := l.Call(ctx, wire.MethodStats, nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if err := l.Call(t.Context(), wire.MethodPing, nil, nil); api.CodeOf(err) != api.CodeUnavailable {
		t.Errorf("broken: %v", err)
	}
	if n := l.Pending(); n != 0 {
		t.Errorf("%d requests are remembered", n)
	}
}

// TestHostGone: the end of the socket alone does not end a session; the end of its process
// does.
func TestHostGone(t *testing.T) {
	connected := make(chan *wire.Conn, 8)
	h := &fakeHost{t: t, serve: func(_ int, c *wire.Conn, _ wire.Hello) { welcome(c); connected <- c }}
	r, j := newTestRegistry(t, h)
	s := r.mustCreate(t)
	first := <-connected
	first.Close()
	second := <-connected
	if got, err := r.Get(t.Context(), s.ID); err != nil || got.State != api.StateIdle {
		t.Errorf("%+v %v", got, err)
	}
	h.close()
	second.Send(&wire.Exit{ExitRecord: wire.ExitRecord{Code: 9, At: time.Now()}})
	r.reach(t, s.ID, func(s *session) bool { return s.fold.State == api.StateExited })
	second.Send(&wire.Evidence{Seq: 1, At: time.Now(), Name: wire.EvidenceExit, Fields: map[string]string{"code": "9"}})
	second.Close()
	if got, err := r.Get(t.Context(), s.ID); err != nil || got.ExitCode == nil || *got.ExitCode != 9 {
		t.Errorf("%+v %v", got, err)
	}
	if n := j.events(api.EventSessionExited); n != 1 {
		t.Errorf("%d ends", n)
	}
}
