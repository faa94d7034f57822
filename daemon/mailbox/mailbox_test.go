package mailbox

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ccdir/api"
)

// memory is a Store.
type memory struct {
	mu   sync.Mutex
	list []api.Message
}

func (m *memory) MessageOf(_ context.Context, request string) (api.Message, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, msg := range m.list {
		if msg.Request == request {
			return msg, true, nil
		}
	}
	return api.Message{}, false, nil
}

func (m *memory) AddMessage(msg api.Message) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	msg.ID = int64(len(m.list) + 1)
	m.list = append(m.list, msg)
	return msg.ID, nil
}

func (m *memory) Messages(_ context.Context, receiver string, all bool, limit int) (out []api.Message, _ error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, msg := range m.list {
		if msg.To == receiver && (all || msg.Acked.IsZero()) && len(out) < limit {
			out = append(out, msg)
		}
	}
	return out, nil
}

func (m *memory) OpenMessages(ctx context.Context, receiver string) (n int, newest int64, _ error) {
	open, _ := m.Messages(ctx, receiver, false, 1<<30)
	for _, msg := range open {
		newest = msg.ID
	}
	return len(open), newest, nil
}

func (m *memory) AckMessages(receiver string, ids []int64, at time.Time) (n int, _ error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range ids {
		if id > 0 && int(id) <= len(m.list) && m.list[id-1].To == receiver && m.list[id-1].Acked.IsZero() {
			m.list[id-1].Acked = at
			n++
		}
	}
	return n, nil
}

// world is a Box with two sessions.
type world struct {
	mu       sync.Mutex
	sessions map[string]api.Session
	nudges   []string
	fail     error
	slow     chan struct{} // not nil: a nudge waits for it
	box      *Box
	store    memory
}

func newWorld() *world {
	w := &world{sessions: map[string]api.Session{"s1": {ID: "s1", Name: "one", State: api.StateWorking}, "s2": {ID: "s2", Name: "two", State: api.StateWorking}}}
	w.box = New(Options{Store: &w.store, Resolve: w.resolve, Nudge: w.nudge})
	return w
}

func (w *world) resolve(_ context.Context, ref string) (api.Session, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.sessions {
		if s.ID == ref || s.Name == ref {
			return s, nil
		}
	}
	return api.Session{}, api.Errorf(api.CodeNotFound, "no session %s", ref)
}

func (w *world) nudge(_ context.Context, s api.Session, text string) error {
	w.mu.Lock()
	w.nudges = append(w.nudges, s.ID+" "+text)
	slow, fail := w.slow, w.fail
	w.mu.Unlock()
	if slow != nil {
		<-slow
	}
	return fail
}

func (w *world) state(id string, state api.State) {
	w.mu.Lock()
	s := w.sessions[id]
	s.State = state
	w.sessions[id] = s
	w.mu.Unlock()
	w.box.Changed(s)
}

func (w *world) nudged() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.nudges)
}

func TestSend(t *testing.T) {
	w := newWorld()
	one, _ := w.resolve(t.Context(), "s1")
	m, err := w.box.Send(t.Context(), one, "two", "hello", 0)
	if err != nil || m.From != "s1" || m.FromName != "one" || m.To != "s2" || m.ToName != "two" || m.ID != 1 {
		t.Fatalf("%+v %v", m, err)
	}
	if m, err = w.box.Send(t.Context(), api.Session{}, "one", "from the person", 1); err != nil || m.From != api.Person || m.Reply != 1 {
		t.Errorf("%+v %v", m, err)
	}
	for to, text := range map[string]string{"two": " \n", "nobody": "x", "one": "to myself", api.Person: strings.Repeat("x", maxText+1)} {
		if m, err := w.box.Send(t.Context(), one, to, text, 0); err == nil {
			t.Errorf("sent %+v", m)
		}
	}
	for range maxOpen - 1 {
		if _, err := w.box.Send(t.Context(), one, "two", "x", 0); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.box.Send(t.Context(), one, "two", "x", 0); api.CodeOf(err) != api.CodeLimit {
		t.Errorf("a full mailbox: %v", err)
	}
	if n, err := w.box.Ack(t.Context(), "s2", []int64{1, 2, 1}); n != 1 || err != nil {
		t.Error(n, err) // 2 is another's
	}
}

// TestNudges: a session is told when it rests, once about what came, not too
// often, and again when telling failed.
func TestNudges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); w.box.Run(ctx) }()
		send := func() {
			t.Helper()
			if _, err := w.box.Send(ctx, api.Session{}, "one", "hello", 0); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		expect := func(what string, n int) {
			t.Helper()
			synctest.Wait()
			if got := w.nudged(); got != n {
				t.Errorf("%s: %d nudges, want %d: %q", what, got, n, w.nudges)
			}
		}
		send()
		expect("while it works", 0)
		w.state("s1", api.StateIdle)
		expect("at rest", 1)
		w.state("s1", api.StateWorking)
		w.state("s1", api.StateIdle)
		expect("at rest again, with nothing new", 1)
		send()
		send()
		expect("too soon", 1)
		time.Sleep(nudgeEvery)
		expect("after a while", 2)
		if !strings.Contains(w.nudges[1], "3 new messages") {
			t.Errorf("%q", w.nudges)
		}
		w.mu.Lock()
		w.fail = errors.New("a dialog is open")
		w.mu.Unlock()
		time.Sleep(nudgeEvery)
		send()
		expect("one that failed", 3)
		time.Sleep(nudgeEvery)
		w.state("s1", api.StateIdle)
		expect("is tried again", 4)
		time.Sleep(nudgeAgain)
		expect("and once more after a while, while it rests all the time", 5)
		w.mu.Lock()
		w.fail = nil
		w.mu.Unlock()
		time.Sleep(nudgeAgain)
		expect("until it is told", 6)
		time.Sleep(10 * nudgeAgain)
		if _, err := w.box.Send(ctx, api.Session{ID: "s1"}, api.Person, "hello", 0); err != nil {
			t.Fatal(err)
		}
		expect("the person is not nudged", 6)
		cancel()
		<-done
	})
}

// TestNudgeOutlastsTurn: a message that came while a nudge was in flight, the turn after which
// included, is told too.
func TestNudgeOutlastsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.slow = make(chan struct{})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); w.box.Run(ctx) }()
		w.state("s1", api.StateIdle)
		for range 2 {
			if _, err := w.box.Send(ctx, api.Session{}, "one", "hello", 0); err != nil {
				t.Fatal(err)
			}
			w.state("s1", api.StateWorking)
			w.state("s1", api.StateIdle)
			synctest.Wait()
		}
		close(w.slow)
		time.Sleep(nudgeEvery)
		synctest.Wait()
		if got := w.nudged(); got != 2 {
			t.Errorf("%d nudges: %q", got, w.nudges)
		}
		cancel()
		<-done
	})
}

// TestAtStop: at the end of a turn an agent is told what is new, once; it is never
// kept from resting twice in a row, and what it may have missed is told when it
// rests.
func TestAtStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); w.box.Run(ctx) }()
		send := func(text string) {
			t.Helper()
			if _, err := w.box.Send(ctx, api.Session{}, "one", text, 0); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		if text := w.box.AtStop(ctx, "s1", false); text != "" {
			t.Errorf("nothing came: %q", text)
		}
		send("first")
		if text := w.box.AtStop(ctx, "s1", false); !strings.Contains(text, "a new message") || !strings.Contains(text, "Message 1 from person:\nfirst") {
			t.Errorf("%q", text)
		}
		send("second")
		if text := w.box.AtStop(ctx, "s1", true); text != "" {
			t.Errorf("twice in a row: %q", text)
		}
		w.state("s1", api.StateIdle)
		synctest.Wait()
		if w.nudged() != 0 {
			time.Sleep(nudgeEvery)
			synctest.Wait()
		}
		time.Sleep(nudgeEvery)
		synctest.Wait()
		if w.nudged() != 1 {
			t.Errorf("the second was not told at rest: %q", w.nudges)
		}
		w.state("s1", api.StateWorking)
		if text := w.box.AtStop(ctx, "s1", false); text != "" {
			t.Errorf("told already: %q", text)
		}
		for range maxStopMessages + 2 {
			send(strings.Repeat("x", maxStopText+1))
		}
		text := w.box.AtStop(ctx, "s1", false)
		if !strings.Contains(text, "12 new messages") || !strings.Contains(text, "2 more") || strings.Count(text, "has all of it") != maxStopMessages || strings.Contains(text, "first") {
			t.Errorf("%.200q…%.100q", text, text[len(text)-100:])
		}
		// The answer got lost: the agent rests, and is told by a prompt.
		time.Sleep(nudgeEvery)
		w.state("s1", api.StateIdle)
		synctest.Wait()
		if w.nudged() != 2 {
			t.Errorf("%d nudges", w.nudged())
		}
		cancel()
		<-done
	})
}

// TestGone: of a session that was removed nothing is kept but its messages.
func TestGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan struct{})
		go func() { defer close(ended); w.box.Run(ctx) }()
		w.mu.Lock()
		w.fail = errors.New("somebody types there")
		w.mu.Unlock()
		w.state("s2", api.StateIdle)
		if _, err := w.box.Send(ctx, w.sessions["s1"], "two", "hello", 0); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if text := w.box.AtStop(ctx, "s2", false); text == "" {
			t.Error("nothing is told at the end of the turn")
		}
		w.box.Gone("s2")
		if b := w.box; len(b.due)+len(b.busy)+len(b.nudged)+len(b.stopped)+len(b.later) != 0 {
			t.Errorf("kept: %v %v %v %v %v", b.due, b.busy, b.nudged, b.stopped, b.later)
		}
		before := w.nudged()
		time.Sleep(2 * nudgeAgain) // the fake clock
		synctest.Wait()
		if n := w.nudged(); n != before {
			t.Errorf("nudged %d times after it was removed", n-before)
		}
		if list, err := w.box.Inbox(ctx, "s2", false, 10); err != nil || len(list) != 1 {
			t.Errorf("its messages: %v %v", list, err)
		}
		cancel()
		<-ended
	})
}
