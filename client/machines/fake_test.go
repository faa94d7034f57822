package machines

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/client"
	"ccdir/config"
	"ccdir/internal/disk/paths"
	"ccdir/nodes/link"
)

// machine is a daemon with one session named "api" of id "s1", and with a link to it.
type machine struct {
	name  string
	paths paths.Paths
	srv   *httptest.Server

	mu       sync.Mutex
	calls    []string                  // method and path of each call about something
	body     string                    // of the last of them
	messages chan api.WatchMessage     // of the latest watch, after its snapshot
	history  func() []api.HistoryEntry // nil: none
	status   link.Status               // of its link
	watchers map[chan link.Status]bool // of the link
	hang     chan struct{}             // not nil: the history waits for it
}

func newMachine(t *testing.T, name string) *machine {
	t.Helper()
	run, err := os.MkdirTemp("/tmp", "ccf") // t.TempDir's names can be too long for a socket's path
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{
		name: name, paths: paths.Paths{Runtime: run, State: t.TempDir(), Config: t.TempDir()},
		status: link.Status{State: link.StateOnline, Seen: time.Now()}, watchers: map[chan link.Status]bool{},
	}
	l, err := net.Listen("unix", m.paths.Socket())
	if err != nil {
		t.Fatal(err)
	}
	m.srv = &httptest.Server{Listener: l, Config: &http.Server{Handler: m.mux()}}
	m.srv.Start()
	t.Cleanup(func() {
		m.srv.CloseClientConnections()
		m.srv.Close()
		_ = os.RemoveAll(run) // below /tmp, nothing depends on it
	})
	return m
}

var server = api.Server{PID: 4242, Version: "1.2.3", Revision: api.Revision}

func (m *machine) mux() *http.ServeMux {
	mux := http.NewServeMux()
	reply := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v) // the client sees a broken answer
	}
	mux.HandleFunc("GET /v1/health", func(w http.ResponseWriter, _ *http.Request) { reply(w, server) })
	mux.HandleFunc("GET /v1/watch", m.watch)
	mux.HandleFunc("GET /v1/history", func(w http.ResponseWriter, r *http.Request) {
		m.mu.Lock()
		list, hang := m.history, m.hang
		m.mu.Unlock()
		if hang != nil {
			select {
			case <-hang:
			case <-r.Context().Done():
			}
		}
		if list == nil {
			reply(w, []api.HistoryEntry{})
			return
		}
		reply(w, list())
	})
	mux.HandleFunc("/v1/", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // what is missing is missed below
		m.mu.Lock()
		m.calls, m.body = append(m.calls, r.Method+" "+r.URL.Path), string(body)
		m.mu.Unlock()
		reply(w, api.Session{ID: "s1", Name: "api", State: api.StateIdle})
	})
	return mux
}

func (m *machine) watch(w http.ResponseWriter, r *http.Request) {
	messages := make(chan api.WatchMessage)
	m.mu.Lock()
	m.messages = messages // one that has ended, and does not know it yet, takes none
	m.mu.Unlock()
	send := func(msg api.WatchMessage) {
		data, _ := json.Marshal(msg)
		fmt.Fprintf(w, "data: %s\n\n", data)
		w.(http.Flusher).Flush()
	}
	send(api.WatchMessage{Snapshot: &api.Snapshot{Server: server, Seq: 10, Sessions: []api.Session{{ID: "s1", Name: "api", State: api.StateIdle}}}})
	for {
		select {
		case msg := <-messages:
			send(msg)
		case <-r.Context().Done():
			return
		}
	}
}

// tell sends a message to who watches.
func (m *machine) tell(msg api.WatchMessage) {
	m.mu.Lock()
	messages := m.messages
	m.mu.Unlock()
	messages <- msg
}

func (m *machine) seen() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string(nil), m.calls...)
}

// client returns a client of this machine.
func (m *machine) client(t *testing.T) *client.Client {
	c := client.New(client.Options{Paths: m.paths, UID: -1, Version: "1.2.3"})
	t.Cleanup(c.Close)
	return c
}

// The machine is also the link to itself (nodeLink).

func (m *machine) Node() string { return m.name }

func (m *machine) Ready(context.Context) (api.Server, error) {
	if s := m.state(); s.State != link.StateOnline {
		return api.Server{}, api.Errorf(api.CodeUnavailable, "node %s: %s", m.name, s.Reason)
	}
	return server, nil
}

func (m *machine) Dial(ctx context.Context, _ string) (net.Conn, error) {
	if _, err := m.Ready(ctx); err != nil {
		return nil, err
	}
	return new(net.Dialer).DialContext(ctx, "unix", m.paths.Socket())
}

func (m *machine) state() link.Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.status
}

// set changes the link's status, and cuts what goes over it if it is not online.
func (m *machine) set(s link.Status) {
	m.mu.Lock()
	m.status = s
	for w := range m.watchers {
		w <- s
	}
	m.mu.Unlock()
	if s.State != link.StateOnline {
		m.srv.CloseClientConnections()
	}
}

func (m *machine) Watch(ctx context.Context, changed func(link.Status)) {
	w := make(chan link.Status, 8)
	m.mu.Lock()
	m.watchers[w] = true
	w <- m.status
	m.mu.Unlock()
	defer func() {
		m.mu.Lock()
		delete(m.watchers, w)
		m.mu.Unlock()
	}()
	for {
		select {
		case s := <-w:
			changed(s)
		case <-ctx.Done():
			return
		}
	}
}

func (m *machine) Status(context.Context) (link.Status, error) { return m.state(), nil }

func (m *machine) Up(context.Context, *link.Install, func(string) (string, bool), func(link.Status)) (link.Status, error) {
	m.set(link.Status{State: link.StateOnline, Seen: time.Now()})
	return m.state(), nil
}

func (m *machine) TakeDown(context.Context) error {
	m.set(link.Status{State: link.StateOffline, Reason: "it was taken down"})
	return nil
}

// picture is what Watch has told: the newest sessions, and whether each can be reached.
type picture struct {
	mu       sync.Mutex
	sessions map[string]api.Session
	events   []api.Event
	nodes    []Node
	changed  chan struct{}
}

func (p *picture) take(msg api.WatchMessage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := msg.Snapshot; s != nil {
		p.sessions, p.events = map[string]api.Session{}, s.Events
		for _, v := range s.Sessions {
			p.sessions[v.ID] = v
		}
	}
	if v := msg.Session; v != nil {
		p.sessions[v.ID] = *v
	}
	if msg.Removed != "" {
		delete(p.sessions, msg.Removed)
	}
	if msg.Event != nil {
		p.events = append(p.events, *msg.Event)
	}
	p.note()
}

func (p *picture) note() {
	select {
	case p.changed <- struct{}{}:
	default:
	}
}

// until waits for a picture of which ok is true.
func (p *picture) until(t *testing.T, what string, ok func(*picture) bool) {
	t.Helper()
	late := time.After(20 * time.Second)
	for {
		p.mu.Lock()
		done := ok(p)
		p.mu.Unlock()
		if done {
			return
		}
		select {
		case <-p.changed:
		case <-late:
			p.mu.Lock()
			defer p.mu.Unlock()
			t.Fatalf("never %s: %v, %v", what, p.sessions, p.nodes)
		}
	}
}

// started returns a client of this machine and nodes that is watched and follows them until the
// test ends.
func started(t *testing.T, here *machine, far ...*machine) (*Client, *picture) {
	t.Helper()
	byName, nodes := map[string]*machine{}, map[string]config.Node{}
	for _, m := range far {
		byName[m.name], nodes[m.name] = m, config.Node{SSH: m.name}
	}
	ms := newClient(here.client(t), func(name string, n config.Node) *farNode {
		m := byName[name]
		return newFarNode(name, n, m, client.Options{Paths: here.paths, UID: -1, Version: "1.2.3", Far: m})
	}, nodes)
	p := &picture{changed: make(chan struct{}, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { _ = ms.Watch(ctx, client.Watcher{Message: p.take, Link: func(error) {}}) }) // it ends with ctx
	wg.Go(func() {
		ms.Nodes(ctx, func(list []Node) {
			p.mu.Lock()
			p.nodes = list
			p.note()
			p.mu.Unlock()
		})
	})
	t.Cleanup(func() {
		cancel()
		wg.Wait()
	})
	return ms, p
}
