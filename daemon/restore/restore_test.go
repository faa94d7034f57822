package restore_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/config"
	"ccdir/daemon/journal"
	"ccdir/daemon/restore"
)

// machine is what outlives a daemon: a directory, the sessions that the registry knows, and how
// often each was started. It takes the parts of registry, grid and the journal's store.
type machine struct {
	t    *testing.T
	dir  string
	cwd  string
	grid api.Grid

	mu       sync.Mutex
	sessions map[string]api.Session
	requests map[string]string // the session that a request has started
	starts   map[string]int    // by name
	fail     map[string]error  // of the next start, by name
}

func newMachine(t *testing.T) *machine {
	return &machine{t: t, dir: t.TempDir(), cwd: t.TempDir(), sessions: map[string]api.Session{}, requests: map[string]string{},
		starts: map[string]int{}, fail: map[string]error{}}
}

// daemon is one run of a daemon on the machine.
type daemon struct {
	*restore.Restorer
	log *journal.Log
	end func()
}

// boot starts a daemon of the machine's boot, and records what runs until end.
func (m *machine) boot(id string) *daemon {
	m.t.Helper()
	log, err := journal.Open(m.t.Context(), journal.Options{Store: noStore{}})
	if err != nil {
		m.t.Fatal(err)
	}
	for _, s := range m.sessions {
		<-log.Append(api.WatchMessage{Session: &s}, nil, "")
	}
	loaded := &config.Loaded{Config: config.Default()}
	d := &daemon{log: log, Restorer: restore.Open(restore.Options{Dir: m.dir, Boot: id, Journal: log, Sessions: m, Grid: m,
		Config: func() *config.Loaded { return loaded }, Logger: slog.New(slog.DiscardHandler)})}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { d.Run(ctx) })
	d.end = sync.OnceFunc(func() { cancel(); wg.Wait(); log.Close() })
	m.t.Cleanup(d.end)
	return d
}

// runs makes the registry know a session, and tells a daemon.
func (m *machine) runs(d *daemon, s api.Session) {
	m.t.Helper()
	m.mu.Lock()
	m.sessions[s.ID] = s
	m.mu.Unlock()
	if err := <-d.log.Append(api.WatchMessage{Session: &s}, nil, ""); err != nil {
		m.t.Fatal(err)
	}
}

// work is a session at work, made in the order of its number.
func (m *machine) work(id string, n int) api.Session {
	return api.Session{ID: id, Name: "name-" + id, Agent: config.CommandAgent, Argv: []string{"make", id}, State: api.StateWorking, CWD: m.cwd,
		Launch: id + "-1", Created: time.Unix(int64(n), 0)}
}

func (m *machine) Get(_ context.Context, ref string) (api.Session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.sessions {
		if s.ID == ref || s.Name == ref {
			return s, nil
		}
	}
	return api.Session{}, api.Errorf(api.CodeNotFound, "no session %s", ref)
}

func (m *machine) Restart(_ context.Context, ref string) (api.Session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.sessions[ref]
	if err := m.fail[s.Name]; err != nil {
		return api.Session{}, err
	}
	m.starts[s.Name]++
	s.State, s.Launch = api.StateStarting, s.ID+"-2"
	m.sessions[ref] = s
	return s, nil
}

func (m *machine) CreateOnce(_ context.Context, n api.NewSession) (api.Session, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if id := m.requests[n.Request]; id != "" {
		return m.sessions[id], true, nil
	}
	if err := m.fail[n.Name]; err != nil {
		return api.Session{}, false, err
	}
	m.starts[n.Name]++
	s := api.Session{ID: "new-" + n.Name, Name: n.Name, State: api.StateStarting, CWD: n.CWD}
	m.sessions[s.ID] = s
	if n.Request != "" {
		m.requests[n.Request] = s.ID
	}
	return s, false, nil
}

func (m *machine) OfRequest(_ context.Context, request string) (api.Session, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	id := m.requests[request]
	return m.sessions[id], id != "", nil
}

func (m *machine) SetGrid(_ context.Context, g api.Grid) error {
	m.grid = g
	return nil
}

// noStore keeps nothing.
type noStore struct{}

func (noStore) Commit([]api.Event, []string, map[string][]byte) error       { return nil }
func (noStore) Events(context.Context, journal.Filter) ([]api.Event, error) { return nil, nil }
func (noStore) Keys(context.Context, string) ([]string, error)              { return nil, nil }
func (noStore) Sessions(context.Context) (map[string][]byte, error)         { return nil, nil }
func (noStore) LastSeq(context.Context) (int64, error)                      { return 0, nil }
func (noStore) KnownID(context.Context, string) (bool, error)               { return false, nil }
func (noStore) KnownKey(context.Context, string, string) (bool, error)      { return false, nil }

// offered returns the names that a daemon offers, and why.
func (d *daemon) offered(t *testing.T) (names []string, why string) {
	t.Helper()
	o, err := d.Offer(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range o.Sessions {
		names = append(names, s.Name)
	}
	return names, o.Reason
}

// rebooted is a machine that was restarted while three sessions of its registry ran; the
// registry has forgotten one of them.
func rebooted(t *testing.T) (*machine, *daemon) {
	t.Helper()
	m := newMachine(t)
	d := m.boot("b1")
	for n, id := range []string{"a", "b", "c"} {
		m.runs(d, m.work(id, n))
	}
	m.runs(d, api.Session{ID: "t", Name: "task", Task: "t1", State: api.StateWorking})
	m.runs(d, api.Session{ID: "x", Name: "outside", External: true, State: api.StateWorking})
	d.end()
	delete(m.sessions, "b")
	for id, s := range m.sessions {
		s.State = api.StateExited
		m.sessions[id] = s
	}
	return m, m.boot("b2")
}

// TestOfferAfterReboot: what ran is offered, in its order, without tasks and what is outside;
// also by the next daemons, until it was refused.
func TestOfferAfterReboot(t *testing.T) {
	m, d := rebooted(t)
	for range 2 {
		if names, why := d.offered(t); !slices.Equal(names, []string{"name-a", "name-b", "name-c"}) || why != api.RestoreReboot {
			t.Errorf("%q because of %s", names, why)
		}
		d.end()
		d = m.boot("b2")
	}
	if err := d.Refuse(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.end()
	if names, _ := m.boot("b2").offered(t); len(names) > 0 {
		t.Errorf("refused, and offered again: %q", names)
	}
}

// TestNoOfferWithoutReboot: a new daemon of the same boot has adopted what runs; what a person
// ended between is not offered.
func TestNoOfferWithoutReboot(t *testing.T) {
	m := newMachine(t)
	d := m.boot("b1")
	s := m.work("a", 1)
	m.runs(d, s)
	d.end()
	s.State = api.StateExited
	m.sessions["a"] = s
	if names, why := m.boot("b1").offered(t); len(names) > 0 {
		t.Errorf("%q because of %s", names, why)
	}
}

// TestLost: a session whose host died is offered although the machine was not restarted, until it
// runs again.
func TestLost(t *testing.T) {
	m := newMachine(t)
	d := m.boot("b1")
	s := m.work("a", 1)
	m.runs(d, s)
	s.State = api.StateLost
	m.runs(d, s)
	if names, why := d.offered(t); !slices.Equal(names, []string{"name-a"}) || why != api.RestoreLost {
		t.Errorf("%q because of %s", names, why)
	}
	s.State = api.StateWorking
	m.runs(d, s)
	if names, _ := d.offered(t); len(names) > 0 {
		t.Errorf("it runs, and is offered: %q", names)
	}
}

// TestRestore: each is started once, one that fails stops no other, and what the registry has
// forgotten takes its old place in the grid.
func TestRestore(t *testing.T) {
	m, d := rebooted(t)
	if err := <-d.log.Append(api.WatchMessage{Grid: &api.Grid{Order: []string{"c", "b", "a"}, Focus: "b"}}, nil, ""); err != nil {
		t.Fatal(err)
	}
	m.fail["name-c"] = api.Errorf(api.CodeNotFound, "its program is gone")
	out, err := d.Restore(t.Context(), api.Restore{})
	if err != nil {
		t.Fatal(err)
	}
	failed := map[string]string{}
	for _, r := range out {
		failed[r.Name] = r.Error
	}
	if len(out) != 3 || failed["name-a"] != "" || failed["name-b"] != "" || !strings.Contains(failed["name-c"], "its program is gone") {
		t.Errorf("%v", failed)
	}
	if m.starts["name-a"] != 1 || m.starts["name-b"] != 1 {
		t.Errorf("started %v", m.starts)
	}
	if want := []string{"c", "new-name-b", "a"}; !slices.Equal(m.grid.Order, want) || m.grid.Focus != "new-name-b" {
		t.Errorf("the grid is %+v", m.grid)
	}
	if names, _ := d.offered(t); slices.Contains(names, "name-b") {
		t.Errorf("still offered: %q", names)
	}
}

// TestRetry: a call whose first attempt ended unknown starts only what is left.
func TestRetry(t *testing.T) {
	m, d := rebooted(t)
	q := api.Restore{Request: "r1"}
	q.Before = d.Note(t.Context(), q)
	first := q
	first.Before = nil
	m.fail["name-c"] = api.Errorf(api.CodeUnavailable, "the daemon stops")
	if _, err := d.Restore(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	delete(m.fail, "name-c")
	out, err := d.Restore(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range out {
		if r.Error != "" || r.Session == nil {
			t.Errorf("%+v", r)
		}
	}
	for _, name := range []string{"name-a", "name-b", "name-c"} {
		if m.starts[name] != 1 {
			t.Errorf("%s was started %d times", name, m.starts[name])
		}
	}
	if len(out) != 3 {
		t.Errorf("%d answers", len(out))
	}
}

// TestWhichCannot: names that are not offered are refused with what to do, and a directory that is
// gone is said before.
func TestWhichCannot(t *testing.T) {
	m, d := rebooted(t)
	m.runs(d, api.Session{ID: "run", Name: "running", State: api.StateIdle, CWD: m.cwd})
	for ref, want := range map[string]string{"running": "runs", "nothing": "`ccdir restore` lists it", "task": "`ccdir restart task`"} {
		if _, err := d.Restore(t.Context(), api.Restore{Sessions: []string{ref}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", ref, err)
		}
	}
	gone := newMachine(t)
	old := gone.boot("b1")
	s := gone.work("a", 1)
	s.CWD = "/nowhere/at/all"
	gone.runs(old, s)
	old.end()
	clear(gone.sessions)
	o, err := gone.boot("b2").Offer(t.Context(), 0)
	if err != nil || len(o.Sessions) != 1 || !strings.Contains(o.Sessions[0].Problem, "its directory is gone") {
		data, _ := json.Marshal(o)
		t.Errorf("%s %v", data, err)
	}
}
