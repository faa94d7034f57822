package conversations

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ccdir/agents"
	"ccdir/agents/transcript"
	"ccdir/api"
)

// told is a conversation that a test writes: turns as a Source passes them on, by read.
type told struct{ reads [][]api.Turn }

func (s *told) Read(_ context.Context, each func(api.Turn) error) error {
	if len(s.reads) == 0 {
		return nil
	}
	now := s.reads[0]
	s.reads = s.reads[1:]
	for _, t := range now {
		if err := each(t); err != nil {
			return err
		}
	}
	return nil
}

// world is a session with conversations.
type world struct {
	mu      sync.Mutex // guards session and events
	session Session
	err     error
	events  []api.Event
	sources map[string]*told
	opened  []agents.Conversation
}

func (w *world) starts(conversation, path string) {
	data, _ := json.Marshal(agents.Conversation{ID: conversation, Path: path, CWD: "/w"})
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, api.Event{Seq: int64(len(w.events) + 1), Type: "changes", Session: "s", Data: data})
}

func (w *world) change(do func(*Session)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	do(&w.session)
}

func (w *world) conversations() *Conversations {
	return New(Options{
		Session: func(context.Context, string) (Session, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			return w.session, w.err
		},
		Events: func(_ context.Context, f api.EventFilter) (list []api.Event, err error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			for _, e := range w.events {
				if f.Matches(e) {
					list = append(list, e)
				}
			}
			return list, nil
		},
		Agent: func(agent string) (agents.Conversationalist, bool) { return w, agent == "claude" },
	})
}

// The world is its agent's adapter, too.
func (w *world) OpenConversation(c agents.Conversation) transcript.Source {
	w.opened = append(w.opened, c)
	if s := w.sources[c.ID]; s != nil {
		return s
	}
	return nil
}

func (*world) ConversationEvents() (changes, other string) { return "changes", "any" }

func (*world) ConversationOf(data json.RawMessage) (c agents.Conversation, ok bool) {
	return c, json.Unmarshal(data, &c) == nil
}

func turn(n int, prompt string, state api.TurnState) api.Turn {
	return api.Turn{Turn: n, Prompt: prompt, State: state, Tools: []api.TurnTool{}}
}

func words(list *[]string) func(api.Turn) error {
	return func(t api.Turn) error {
		*list = append(*list, fmt.Sprintf("%d %s %s", t.Turn, t.Prompt, t.State))
		return nil
	}
}

// TestTurnsOfAllConversations: those before a /clear come first, and turns are numbered
// through; a conversation that was resumed comes where it was used last.
func TestTurnsOfAllConversations(t *testing.T) {
	make := func() *world {
		w := &world{session: Session{ID: "s", Agent: "claude", Conversation: "a"}, sources: map[string]*told{
			"a": {[][]api.Turn{{turn(1, "one", api.TurnDone), turn(2, "four", api.TurnRunning)}}},
			"b": {[][]api.Turn{{turn(1, "two", api.TurnDone), turn(2, "three", api.TurnFailed)}}},
		}}
		w.starts("a", "/x/a.jsonl")
		w.starts("b", "/x/b.jsonl")
		w.starts("a", "")
		return w
	}
	w, got := make(), []string(nil)
	if err := w.conversations().Turns(t.Context(), "s", 0, words(&got)); err != nil {
		t.Fatal(err)
	}
	if want := []string{"1 two done", "2 three failed", "3 one done", "4 four running"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if c := w.opened[1]; c.Path != "/x/a.jsonl" || c.CWD != "/w" {
		t.Errorf("the path of an earlier start is forgotten: %+v", c)
	}
	w, got = make(), nil
	if err := w.conversations().Turns(t.Context(), "s", 2, words(&got)); err != nil {
		t.Fatal(err)
	}
	if want := []string{"3 one done", "4 four running"}; !slices.Equal(got, want) {
		t.Errorf("of the last two got %q, want %q", got, want)
	}
}

// TestATurnThatNobodyEnded is interrupted once its agent has rested for a while.
func TestATurnThatNobodyEnded(t *testing.T) {
	for _, tt := range []struct {
		session Session
		want    string
	}{
		{Session{}, "1 x running"},
		{Session{Resting: time.Now()}, "1 x running"}, // its file may be written later
		{Session{Resting: time.Now().Add(-time.Minute)}, "1 x interrupted"},
		{Session{Resting: time.Now().Add(-time.Hour)}, "1 x running"}, // it rested before, and is about to begin
		{Session{Resting: time.Now(), Ended: true}, "1 x interrupted"},
	} {
		tt.session.ID, tt.session.Agent, tt.session.Conversation = "s", "claude", "a"
		open := turn(1, "x", api.TurnRunning)
		open.Tools = []api.TurnTool{{Name: "T", Outcome: api.ToolRunning}}
		open.At = time.Now().Add(-10 * time.Minute)
		w := &world{session: tt.session, sources: map[string]*told{"a": {[][]api.Turn{{open}}}}}
		var got []string
		if err := w.conversations().Turns(t.Context(), "s", 0, words(&got)); err != nil || !slices.Equal(got, []string{tt.want}) {
			t.Errorf("%+v: %q (%v), want %q", tt.session, got, err, tt.want)
		}
		if open.Tools[0].Outcome != api.ToolRunning {
			t.Error("it changed the reader's own turn")
		}
	}
}

// TestFollowInterrupted: who follows is told, too, that a turn ended of which nothing more is
// written.
func TestFollowInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{session: Session{ID: "s", Agent: "claude", Conversation: "a", Resting: time.Now()}}
		time.Sleep(time.Minute)
		one := turn(1, "one", api.TurnRunning)
		one.At = time.Now()
		again := turn(2, "two", api.TurnRunning)
		w.sources = map[string]*told{"a": {[][]api.Turn{{one}}}}
		w.starts("a", "/x/a.jsonl")
		var got []string
		ended := make(chan error)
		go func() { ended <- w.conversations().FollowTurns(t.Context(), "s", 0, words(&got)) }()
		want := func(want ...string) {
			t.Helper()
			time.Sleep(settled + 2*followEvery)
			synctest.Wait()
			if !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		}
		want("1 one running", "0  ")
		w.change(func(s *Session) { s.Resting = time.Now() })
		want("1 one running", "0  ", "1 one interrupted")
		again.At = time.Now()
		w.change(func(s *Session) { s.Resting = time.Time{}; w.sources["a"].reads = [][]api.Turn{{again}} })
		want("1 one running", "0  ", "1 one interrupted", "2 two running")
		w.change(func(s *Session) { s.Ended = true })
		want("1 one running", "0  ", "1 one interrupted", "2 two running", "2 two interrupted")
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestNothingToRead(t *testing.T) {
	var none []string
	w := &world{session: Session{ID: "s", Name: "shell", Agent: "shell"}}
	if err := w.conversations().Turns(t.Context(), "s", 0, words(&none)); api.CodeOf(err) != api.CodeConflict || !strings.Contains(err.Error(), "ccdir output shell") {
		t.Errorf("a shell: %v", err)
	}
	w.session.Agent = "claude"
	if err := w.conversations().Turns(t.Context(), "s", 0, words(&none)); err != nil {
		t.Errorf("a new session: %v", err)
	}
	w.session.Ended = true
	if err := w.conversations().Turns(t.Context(), "s", 0, words(&none)); api.CodeOf(err) != api.CodeNotFound {
		t.Errorf("an ended session without a file: %v", err)
	}
	stop := errors.New("stop")
	w.sources = map[string]*told{"a": {[][]api.Turn{{turn(1, "x", api.TurnDone)}}}}
	w.session.Conversation = "a"
	if err := w.conversations().Turns(t.Context(), "s", 0, func(api.Turn) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("the caller's error is lost: %v", err)
	}
}

// TestFollow: what is said later is passed on, also in another conversation, until the
// session has ended; what it said last is not lost.
func TestFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{session: Session{ID: "s", Agent: "claude", Conversation: "a"}, sources: map[string]*told{
			"a": {[][]api.Turn{{turn(1, "one", api.TurnDone), turn(2, "two", api.TurnRunning)}, nil, {turn(2, "two", api.TurnDone)}}},
			"b": {[][]api.Turn{{turn(1, "three", api.TurnDone)}, {turn(2, "four", api.TurnDone)}}},
		}}
		w.starts("a", "/x/a.jsonl")
		var got []string
		ended := make(chan error)
		go func() { ended <- w.conversations().FollowTurns(t.Context(), "s", 1, words(&got)) }()
		time.Sleep(4*followEvery + followEvery/2)
		synctest.Wait()
		w.starts("b", "/x/b.jsonl")
		w.change(func(s *Session) { s.Conversation = "b" })
		time.Sleep(followEvery)
		synctest.Wait()
		w.change(func(s *Session) { s.Ended = true })
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if want := []string{"2 two running", "0  ", "2 two done", "3 three done", "4 four done"}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// TestDecided: a tool call has the ledger's last word on it, also one that comes later than
// the call.
func TestDecided(t *testing.T) {
	var rows []api.LedgerRow
	reads := 0
	d := decided{session: "s", read: func(_ context.Context, f api.LedgerFilter) ([]api.LedgerRow, error) {
		reads++
		return slices.DeleteFunc(slices.Clone(rows), func(r api.LedgerRow) bool { return f.Session != "s" || r.At.Before(f.Since) }), nil
	}}
	at := time.Unix(1000, 0)
	tools := []api.TurnTool{{ID: "a"}, {ID: "b"}, {}}
	words := func() (all string) {
		d.looked = false
		got := d.of(t.Context(), d.of(t.Context(), api.Turn{Turn: 1, Tools: tools}))
		for _, c := range got.Tools {
			if c.Decision != nil {
				all += c.ID + " " + c.Decision.Words() + "; "
			}
		}
		return all
	}
	if got := words(); got != "" || reads != 1 {
		t.Errorf("%q after %d reads", got, reads)
	}
	tools = []api.TurnTool{{ID: "a", MS: 5200}}
	rows = append(rows, api.LedgerRow{Seq: 1, At: at, ToolUseID: "a", Decision: api.EffectAsk, By: api.ByPolicy, Rule: "Bash(*)", File: "p.toml", Line: 3},
		api.LedgerRow{Seq: 2, At: at.Add(1), ToolUseID: "x", Decision: api.EffectNone})
	if got := words(); got != "a asked by rule Bash(*), p.toml:3; " {
		t.Errorf("%q", got)
	}
	rows = append(rows, api.LedgerRow{Seq: 3, At: at.Add(2), ToolUseID: "a", Decision: api.EffectAllow, By: api.ByPerson, LatencyMS: 5000.5})
	if got := words(); got != "a allowed by person; " {
		t.Errorf("%q", got)
	}
	if got := d.of(t.Context(), api.Turn{Turn: 1, Tools: tools}).Tools[0].WorkedMS(); got != 200 {
		t.Errorf("the call worked for %d ms, want 200: it waited for 5000", got)
	}
	tools = []api.TurnTool{{ID: "a"}, {ID: "b"}, {}}
	rows = append(rows, api.LedgerRow{Seq: 4, At: at.Add(3), ToolUseID: "b", Decision: api.EffectDeny, By: api.ByPolicy, Rule: "rm", File: "p.toml", Line: 7})
	if got := words(); got != "a allowed by person; b denied by rule rm, p.toml:7; " {
		t.Errorf("%q", got)
	}
	if tools[0].Decision != nil {
		t.Error("it changed the reader's own turn")
	}
}
