package realcli

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/test/fakeapi"
)

// SourceTruth marks entries that are no evidence but the truth: the state that a user
// who knows the script would name from that moment on.
const SourceTruth api.EvidenceSource = "truth"

// Recording is a scenario's timeline with the truth: a file of testdata/timelines, for
// tests of the fold.
type Recording struct {
	Scenario string `json:"scenario"`
	// CLI is the version recorded; PSP tells whether OSC 7501 was answered.
	CLI string `json:"cli"`
	PSP bool   `json:"psp"`
	// Entries in the order in which they were seen. MS is the time (milliseconds after
	// the start); entries of source "truth" hold from then on.
	Entries []Entry `json:"entries"`
}

// Stage is where a scenario is played: a Pane or a Live.
type Stage interface {
	// Add and Entries are those of a Timeline.
	Add(Entry)
	Entries() []Entry
	Await(ctx context.Context, from int, fits func(Entry) bool) (Entry, int, error)
	// Until is Await, and fails the test on an error; it returns the position after the
	// entry.
	Until(ctx context.Context, from int, what string, fits func(Entry) bool) int
	Type(name, keys string)
	Submit(ctx context.Context, text string)
	// Screen blocks until the screen contains want; Text is its text.
	Screen(ctx context.Context, want string)
	Text() string
	Resize(cols, rows int)
	Exited() <-chan struct{}
	Process() *os.Process
	// Log is everything known, for failures.
	Log() string
}

// Scene is one scenario being played.
type Scene struct {
	Stage
	Fake *fakeapi.Server
	// Conversation is the one at the beginning.
	Conversation func() string
	opt          Options
	ctx          context.Context
	t            testing.TB
}

// Unsaid is the truth at a moment that cannot be judged: every state is right.
const Unsaid = api.State("unsaid")

// Truth records the true state from now on.
func (s *Scene) Truth(state api.State) {
	s.Add(Entry{Evidence: api.Evidence{Source: SourceTruth, Name: string(state)}})
}

// Quiet blocks until nothing was recorded for that long.
func (s *Scene) Quiet(d time.Duration) {
	s.t.Helper()
	for n := len(s.Entries()); ; {
		ctx, cancel := context.WithTimeout(s.ctx, d)
		_, _, err := s.Await(ctx, n, func(Entry) bool { return true })
		cancel()
		if s.ctx.Err() != nil {
			s.t.Fatalf("it never comes to rest:\n%s", s.Log())
		}
		if err != nil {
			return
		}
		n = len(s.Entries())
	}
}

// Pass waits that long: for events that must not happen meanwhile.
func (s *Scene) Pass(d time.Duration) {
	s.t.Helper()
	select {
	case <-time.After(d):
	case <-s.ctx.Done():
		s.t.Fatal("the scenario takes too long")
	}
}

// rest is how long after the last evidence a state counts as settled.
const rest = 400 * time.Millisecond

// Ready waits until the CLI is at its first prompt.
func (s *Scene) Ready() {
	s.t.Helper()
	s.Truth(api.StateStarting)
	s.until("SessionStart", Hook("SessionStart"))
	s.Truth(api.StateIdle)
	s.See("Claude Code v")
	if !s.opt.NoPSP && !older(s.opt) {
		s.until("PSP idle", PSP("idle"))
	}
	s.Quiet(rest)
}

// dialogAtStart is the state in the trust dialog: with a program status the CLI reports
// a permission; the screen shows only that it asks.
func (s *Scene) dialogAtStart() api.State {
	if silent(s.opt) {
		return api.StateInput
	}
	return api.StatePermission
}

// older reports whether the CLI has no OSC 7501.
func older(o Options) bool { return o.Version != "" && o.Version != Version }

// silent: the CLI has no program status.
func silent(o Options) bool { return o.NoPSP || older(o) }

// until waits for an entry anywhere in the timeline.
func (s *Scene) until(what string, fits func(Entry) bool) {
	s.t.Helper()
	s.Until(s.ctx, 0, what, fits)
}

// See waits for a text on the screen.
func (s *Scene) See(text string) {
	s.t.Helper()
	s.Screen(s.ctx, text)
}

// Prompt submits a prompt; the turn begins with Enter.
func (s *Scene) Prompt(text string) {
	s.t.Helper()
	s.Submit(s.ctx, text)
	s.Truth(api.StateWorking)
}

// guard is how long the CLI ignores digits and Enter in a new dialog (200 ms were not
// always enough).
const guard = 500 * time.Millisecond

// Dialog waits until a dialog shows that text and takes keys.
func (s *Scene) Dialog(text string, state api.State) {
	s.t.Helper()
	s.See(text)
	s.Truth(state)
	s.Quiet(guard)
}

// Key types a key that leads to that state.
func (s *Scene) Key(name, keys string, state api.State) {
	s.t.Helper()
	s.Type(name, keys)
	s.Truth(state)
}

// endOfTurn is how long the CLI may still be ending a turn whose answer is on the
// screen: on a busy machine it reports its status late, and keys typed meanwhile still
// belong to the turn.
const endOfTurn = 3 * time.Second

// Answered waits until an answer is on the screen, which ends the turn, and until the
// CLI reports it, if it has a status. It may not report it: a background shell keeps it
// "working".
func (s *Scene) Answered(text string) {
	s.t.Helper()
	begun := 0
	for i, e := range s.Entries() {
		if e.Source == SourceTruth && e.Name == string(api.StateWorking) {
			begun = i
		}
	}
	s.See(text)
	if !silent(s.opt) {
		ctx, cancel := context.WithTimeout(s.ctx, endOfTurn)
		_, _, _ = s.Await(ctx, begun, func(e Entry) bool { return PSP("done")(e) || PSP("idle")(e) || PSP("error")(e) })
		cancel()
	}
	s.Truth(api.StateIdle)
	s.Quiet(rest)
}

// Over waits until an answer is on the screen, which ends the turn although something
// runs on in the background.
func (s *Scene) Over(text string) {
	s.t.Helper()
	s.See(text)
	s.Truth(api.StateIdle)
	s.Quiet(rest)
}

// Record writes the timeline to dir if that is not "".
func (s *Scene) Record(name, cli, dir string) {
	s.t.Helper()
	if dir == "" {
		return
	}
	r := Recording{Scenario: name, CLI: cli, PSP: !s.opt.NoPSP && !older(s.opt)}
	agents := map[string]string{}
	for _, e := range s.Entries() {
		e.At = time.Time{} // MS tells
		for _, volatile := range []string{"prompt_id", "tool_use_id"} {
			// Kept without its value, as a sign that there was one.
			if _, ok := e.Fields[volatile]; ok {
				e.Fields[volatile] = volatile
			}
		}
		if id := e.Fields["agent_id"]; id != "" {
			if agents[id] == "" {
				agents[id] = "agent_id " + strconv.Itoa(len(agents)+1)
			}
			e.Fields["agent_id"] = agents[id]
		}
		r.Entries = append(r.Entries, e)
	}
	data, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		s.t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".json"), append(data, '\n'), 0o644); err != nil {
		s.t.Fatal(err)
	}
}
