package delivery

import (
	"slices"
	"strings"
	"testing"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/sessions/state"
)

// TestQueueOnScreen: a queued prompt leaves the queue when the screen no longer shows it,
// but not while the agent has not shown it yet.
func TestQueueOnScreen(t *testing.T) {
	base := time.Now()
	at := func(d time.Duration) time.Time { return base.Add(d) }
	type look struct {
		asked time.Duration
		shown []string
		want  []string
	}
	const ms = time.Millisecond
	tests := []struct {
		name   string
		queued []time.Duration // when each was queued
		order  []string
		looks  []look
	}{
		{"shown, then run", []time.Duration{0}, []string{"one"}, []look{
			{100 * ms, []string{"one"}, []string{"one"}},
			{100*ms + queueMissed - 1, nil, []string{"one"}},
			{100*ms + queueMissed, nil, nil},
		}},
		{"one look at a redraw", []time.Duration{0, 0}, []string{"one", "two"}, []look{
			{500 * ms, []string{"one", "two"}, []string{"one", "two"}},
			{1000 * ms, []string{"two"}, []string{"two", "one"}},
			{1500 * ms, []string{"one", "two"}, []string{"one", "two"}},
		}},
		{"an agent that hung", []time.Duration{0, 2 * time.Second}, []string{"one", "two"}, []look{
			{2 * time.Second, nil, []string{"two"}},
			{2500 * ms, []string{"one", "two"}, []string{"one", "two"}},
		}},
		{"run long ago, and queued again by hand", []time.Duration{0}, []string{"one"}, []look{
			{queueKept, nil, nil},
			{queueKept + 500*ms, []string{"one"}, nil},
		}},
		{"a screen from before the hook", []time.Duration{0, time.Second}, []string{"one", "two"}, []look{
			{900 * ms, []string{"one"}, []string{"one", "two"}},
			{1400 * ms, []string{"one", "two"}, []string{"one", "two"}},
			{2400 * ms, []string{"two"}, []string{"two"}},
			{3400 * ms, nil, nil},
		}},
		{"never shown", []time.Duration{0}, []string{"one"}, []look{
			{queueShown - 1, nil, []string{"one"}},
			{queueShown, nil, nil},
		}},
		{"the screen's order", []time.Duration{0, 0, 0}, []string{"one", "two", "three"}, []look{
			{time.Second, []string{"three", "one"}, []string{"three", "one", "two"}},
		}},
		{"the same twice", []time.Duration{0, 2 * time.Second}, []string{"go", "go"}, []look{
			{1900 * ms, nil, []string{"go"}},
			{2100 * ms, []string{"go"}, []string{"go"}},
			{3100 * ms, nil, nil},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var w queuedPrompts
			for i, text := range tt.order {
				w = append(w, queuedPrompt{text: text, seen: at(tt.queued[i])})
			}
			for _, l := range tt.looks {
				before := slices.Clone(w)
				after := w.look(l.shown, at(l.asked))
				if !slices.Equal(w, before) {
					t.Fatal("a look changed what was known before")
				}
				if w = after; !slices.Equal(w.texts(), l.want) {
					t.Fatalf("after %v the queue is %q, want %q", l.asked, w.texts(), l.want)
				}
			}
		})
	}
}

// handed is a session whose fold and value a test sets.
type handed struct {
	Session
	fold  state.Fold
	value api.Session
}

func (s *handed) Fold() *state.Fold                   { return &s.fold }
func (s *handed) Value() *api.Session                 { return &s.value }
func (s *handed) Outside() bool                       { return false }
func (s *handed) Publish(_, _, _ string) <-chan error { return nil }
func (s *handed) weigh(d *Delivery, n int, prompt string) { // evidence after which n prompts are queued
	before := s.fold.Queued
	s.fold.State, s.fold.Turn, s.fold.Queued = api.StateWorking, true, n
	d.CountQueue(before, prompt)
}

// TestPromptInHand: the prompt that a session shows is the one that is worked on: a queued one
// when it has left the agent's queue, or, where no screen is read, when the turn before it ends.
func TestPromptInHand(t *testing.T) {
	long := strings.Repeat("long ", 50)
	begin := func(adapter agents.Adapter) (*handed, *Delivery) {
		s := &handed{}
		d := New(s, Options{Adapter: adapter, Context: t.Context(), Go: func(func()) {}, Now: time.Now})
		s.weigh(d, 0, "first")
		s.weigh(d, 1, long)
		s.weigh(d, 2, "third")
		if s.value.Prompt != "first" || d.last != "third" {
			t.Errorf("while two wait: %q, last %q", s.value.Prompt, d.last)
		}
		return s, d
	}
	s, d := begin(liner{})
	now := time.Now()
	d.seenQueue([]string{long, "third"}, now)
	d.seenQueue([]string{"third"}, now.Add(queueMissed))
	if want := strings.TrimSpace(long); strings.TrimSpace(s.value.Prompt) != want {
		t.Errorf("taken in the turn: %q", s.value.Prompt)
	}
	if s.weigh(d, 0, ""); s.value.Prompt != "third" {
		t.Errorf("after the turn: %q", s.value.Prompt)
	}
	s, d = begin(struct{ agents.Adapter }{})
	if s.weigh(d, 0, ""); s.value.Prompt != "third" {
		t.Errorf("after the turn, without a screen: %q", s.value.Prompt)
	}
}
