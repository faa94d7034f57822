package pending_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/daemon/journal"
	"ccdir/daemon/pending"
	"ccdir/daemon/store"
)

// place has pending prompts over a real store and journal, and takes the registry's part.
type place struct {
	*pending.Prompts
	t     *testing.T
	store *store.Store
	log   *journal.Log
	stop  func() // ends Run and waits for it

	mu sync.Mutex // guards what follows
	// sessions are those that exist, by id; typed are the prompts that were typed, ids their
	// delivery ids; counts are the numbers that were shown.
	sessions   map[string]api.Session
	typed, ids []string
	counts     map[string]int
	// refuse is the error of the next delivery after its claim; nil: none. held is waited for
	// before a claim; nil: nothing is.
	refuse error
	held   chan struct{}
	asked  chan struct{} // one value for each delivery that has begun
}

func newPlace(t *testing.T) *place {
	t.Helper()
	p := &place{t: t, counts: map[string]int{}, asked: make(chan struct{}, 100),
		sessions: map[string]api.Session{"s1": {ID: "s1", Name: "one", State: api.StateIdle}}}
	var err error
	if p.store, _, err = store.Open(filepath.Join(t.TempDir(), "db"), slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.store.Close() })
	if p.log, err = journal.Open(t.Context(), journal.Options{Store: p.store}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.log.Close)
	p.start()
	t.Cleanup(func() { p.stop() })
	return p
}

// start makes Prompts as a daemon does at its start, and runs them.
func (p *place) start() {
	p.Prompts = pending.New(pending.Options{Store: p.store, Sessions: p, Journal: p.log, Now: time.Now,
		Pause: func(string) {}, Logger: slog.New(slog.DiscardHandler)})
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { p.Run(ctx) })
	p.stop = func() { cancel(); wg.Wait() }
}

// Get implements pending.Sessions.
func (p *place) Get(_ context.Context, ref string) (api.Session, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s, ok := p.sessions[ref]
	if !ok {
		return s, api.Errorf(api.CodeNotFound, "no session %s", ref)
	}
	return s, nil
}

// SendClaimed implements pending.Sessions: a known id is not typed again.
func (p *place) SendClaimed(ctx context.Context, _ string, s api.SendPrompt, claim func(context.Context) error) (api.SendResult, error) {
	p.mu.Lock()
	held, refuse := p.held, p.refuse
	p.mu.Unlock()
	p.asked <- struct{}{}
	if held != nil {
		select {
		case <-held:
		case <-ctx.Done():
			return api.SendResult{}, ctx.Err()
		}
	}
	if err := claim(ctx); err != nil {
		return api.SendResult{}, err
	}
	if refuse != nil {
		return api.SendResult{}, refuse
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !slices.Contains(p.ids, s.ID) {
		p.ids, p.typed = append(p.ids, s.ID), append(p.typed, s.Text)
	}
	return api.SendResult{Status: "delivered"}, nil
}

// SetPending implements pending.Sessions.
func (p *place) SetPending(_ context.Context, id string, n int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counts[id] = n
	return nil
}

// set gives a session another state, and tells of it; "" removes it.
func (p *place) set(id string, state api.State) {
	p.t.Helper()
	p.mu.Lock()
	s := p.sessions[id]
	s.State = state
	p.sessions[id] = s
	if state == "" {
		delete(p.sessions, id)
	}
	p.mu.Unlock()
	m := api.WatchMessage{Session: &s}
	if state == "" {
		m = api.WatchMessage{Removed: id}
	}
	if err := <-p.log.Append(m, nil, ""); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) add(text string) api.PendingPrompt {
	p.t.Helper()
	made, err := p.Add(p.t.Context(), "s1", api.NewPending{Text: text})
	if err != nil {
		p.t.Fatal(err)
	}
	return made
}

// all returns what was typed.
func (p *place) all() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.typed)
}

// outcome waits until a prompt has been delivered or has failed.
func (p *place) outcome(id string) api.PendingPrompt {
	p.t.Helper()
	w := p.log.Watch()
	defer w.Close()
	ctx, cancel := context.WithTimeout(p.t.Context(), time.Minute)
	defer cancel()
	for {
		list, err := p.List(ctx, "")
		if err != nil {
			p.t.Fatal(err)
		}
		for _, now := range list {
			if now.ID == id && now.State != api.PendingWaits {
				return now
			}
		}
		if _, err := w.Next(ctx); err != nil { // each outcome is an event
			p.t.Fatalf("%s has no outcome: %v", id, err)
		}
	}
}

// TestDelivery: prompts of a session are typed in their order, once, when it takes them.
func TestDelivery(t *testing.T) {
	p := newPlace(t)
	p.set("s1", api.StatePermission)
	p.add("first")
	second := p.add("second")
	if len(p.asked) > 0 {
		t.Error("a prompt was sent into a dialog")
	}
	p.set("s1", api.StateIdle)
	if got := p.outcome(second.ID); got.State != api.PendingDelivered || got.Reason != "" {
		t.Errorf("%+v", got)
	}
	if want := []string{"first", "second"}; !slices.Equal(p.all(), want) {
		t.Errorf("typed %q, not %q", p.all(), want)
	}
	p.stop() // the count is shown after the outcome
	if n := p.counts["s1"]; n != 0 {
		t.Errorf("%d are shown to be pending", n)
	}
}

// TestNextDaemon: what a daemon has left, the next one delivers, and not again what was typed.
func TestNextDaemon(t *testing.T) {
	p := newPlace(t)
	p.held = make(chan struct{})
	made := p.add("over the end of a daemon")
	<-p.asked
	p.stop()
	p.mu.Lock()
	p.held = nil
	p.mu.Unlock()
	p.start()
	if got := p.outcome(made.ID); got.State != api.PendingDelivered {
		t.Errorf("%+v", got)
	}
	if got := p.all(); len(got) != 1 {
		t.Errorf("typed %q", got)
	}
}

// TestChange: a prompt is changed and taken back until it is being typed, and not later.
func TestChange(t *testing.T) {
	p := newPlace(t)
	p.set("s1", api.StateStarting)
	changed, gone := p.add("wrong"), p.add("not at all")
	if _, err := p.Edit(t.Context(), changed.ID, api.NewPending{Text: "right"}); err != nil {
		t.Fatal(err)
	}
	if err := p.Cancel(t.Context(), gone.ID); err != nil {
		t.Fatal(err)
	}
	p.set("s1", api.StateIdle)
	p.outcome(changed.ID)
	if want := []string{"right"}; !slices.Equal(p.all(), want) {
		t.Errorf("typed %q, not %q", p.all(), want)
	}
	if _, err := p.Edit(t.Context(), changed.ID, api.NewPending{Text: "late"}); api.CodeOf(err) != api.CodeConflict {
		t.Errorf("a delivered one was changed: %v", err)
	}
}

// TestChangedWhileItWaits: what is typed is the text after the change, also if the delivery of
// the old one waited already.
func TestChangedWhileItWaits(t *testing.T) {
	p := newPlace(t)
	p.held = make(chan struct{})
	made := p.add("old")
	<-p.asked
	if _, err := p.Edit(t.Context(), made.ID, api.NewPending{Text: "new"}); err != nil {
		t.Fatal(err)
	}
	close(p.held)
	p.outcome(made.ID)
	if want := []string{"new"}; !slices.Equal(p.all(), want) {
		t.Errorf("typed %q, not %q", p.all(), want)
	}
}

// TestFails: a prompt fails with its reason when its session refuses it or is removed, and the
// one behind it is delivered all the same.
func TestFails(t *testing.T) {
	p := newPlace(t)
	p.mu.Lock()
	p.refuse = errors.New("the terminal is gone")
	p.mu.Unlock()
	if got := p.outcome(p.add("refused").ID); got.State != api.PendingFailed || got.Reason != "the terminal is gone" {
		t.Errorf("%+v", got)
	}
	p.mu.Lock()
	p.refuse = nil
	p.mu.Unlock()
	if got := p.outcome(p.add("behind it").ID); got.State != api.PendingDelivered {
		t.Errorf("%+v", got)
	}
	p.set("s1", api.StateExited)
	orphan := p.add("nobody")
	p.set("s1", "")
	if got := p.outcome(orphan.ID); got.State != api.PendingFailed || !strings.Contains(got.Reason, "removed") {
		t.Errorf("%+v", got)
	}
}

// TestRefusals: what cannot be kept is refused at once.
func TestRefusals(t *testing.T) {
	p := newPlace(t)
	p.mu.Lock()
	p.sessions["s2"] = api.Session{ID: "s2", Name: "outside", External: true, State: api.StateIdle}
	p.mu.Unlock()
	for _, c := range []struct {
		ref, text string
		code      api.Code
	}{
		{"s1", " \n", api.CodeInvalid},
		{"s1", strings.Repeat("x", 1<<22), api.CodeTooLarge},
		{"none", "x", api.CodeNotFound},
		{"s2", "x", api.CodeConflict},
	} {
		if _, err := p.Add(t.Context(), c.ref, api.NewPending{Text: c.text}); api.CodeOf(err) != c.code {
			t.Errorf("%s %.5q: %v, not %s", c.ref, c.text, err, c.code)
		}
	}
	p.set("s1", api.StateStarting)
	for range 100 {
		p.add("x")
	}
	if _, err := p.Add(t.Context(), "s1", api.NewPending{Text: "one too many"}); api.CodeOf(err) != api.CodeLimit {
		t.Errorf("the hundred and first: %v", err)
	}
}
