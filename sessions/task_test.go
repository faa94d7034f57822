package sessions

import (
	"strings"
	"testing"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/sessions/delivery"
	"ccdir/sessions/launch"
	"ccdir/sessions/state"
)

var foldStart = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// step is one fact about a turn.
type step struct {
	source api.EvidenceSource
	name   string
	kind   api.EventKind
	says   api.State
	fields string // k=v pairs, separated by blanks
}

// evidence is the step at a time after foldStart.
func (s step) evidence(at time.Duration) api.Evidence {
	fields := map[string]string{}
	for _, pair := range strings.Fields(s.fields) {
		k, v, _ := strings.Cut(pair, "=")
		fields[k] = v
	}
	return api.Evidence{Source: s.source, At: foldStart.Add(at), Name: s.name, Kind: s.kind, Says: s.says, Fields: fields}
}

// TestReportOwed: background activities of a turn that have ended owe their reports until
// another turn has ended.
func TestReportOwed(t *testing.T) {
	const working, idle = api.StateWorking, api.StateIdle
	status := func(fields string) step { return step{source: api.SourcePSP, name: "psp", fields: fields} }
	hook := func(kind api.EventKind, fields string) step {
		return step{source: api.SourceHook, kind: kind, says: map[api.EventKind]api.State{api.KindTurnEnds: idle, api.KindPrompt: working, api.KindReport: working}[kind], fields: fields}
	}
	s := &session{spec: launch.Spec{Run: &launch.TaskRun{Task: "t1"}}, turn: &state.TurnFacts{Delivery: "t1-1-0", Taken: foldStart}, fold: state.NewFold(true, foldStart)}
	for i, c := range []struct {
		step
		background int
		owed       bool
	}{
		{hook(api.KindTurnEnds, "background_tasks=2"), 2, false}, // without a status, the hook's word counts
		{status("state=working"), 0, true},
		{status("state=working id=a"), 1, true},
		{status("state=working id=b"), 2, false},
		{status("state=clear id=a"), 1, true},
		{hook(api.KindReport, ""), 1, false},
		{hook(api.KindTurnEnds, "background_tasks=1"), 1, false},
		{status("state=clear id=b"), 0, true},
		{hook(api.KindReport, ""), 0, false},
		{hook(api.KindTurnEnds, ""), 0, false},
	} {
		e := c.evidence(time.Duration(i+1) * time.Second)
		s.fold = s.fold.Apply(e)
		s.noteTurn(e, change{})
		if got := s.taskSession(); got.Background != c.background || got.Owed != c.owed {
			t.Errorf("step %d, %s %s: %d in the background, owed: %v", i, c.name, c.fields, got.Background, got.Owed)
		}
	}
}

// TestLatePrompt: a prompt's hook that arrives after the hook of its turn's end, for
// example from the spool, does not begin another turn.
func TestLatePrompt(t *testing.T) {
	s := &session{spec: launch.Spec{Run: &launch.TaskRun{Task: "t1"}}, turn: &state.TurnFacts{Delivery: "t1-1-0", Taken: foldStart}, fold: state.NewFold(true, foldStart)}
	hook := func(kind api.EventKind, at time.Duration) {
		e := step{source: api.SourceHook, kind: kind}.evidence(at)
		s.noteTurn(e, change{reply: "over"})
	}
	hook(api.KindTurnEnds, 5*time.Second)
	hook(api.KindPrompt, 2*time.Second)
	if got := s.taskSession(); !got.Ended.Equal(foldStart.Add(5*time.Second)) || got.Reply != "over" {
		t.Errorf("ended %v, %q", got.Ended, got.Reply)
	}
	hook(api.KindPrompt, 6*time.Second)
	if got := s.taskSession(); !got.Ended.IsZero() {
		t.Errorf("another turn has begun, and it ended %v", got.Ended)
	}
}

// TestEndBeforePrompt: the first evidence of a prompt may be the hook of its turn's end,
// because the prompt's own hook was spooled. That holds for a task's first prompt and for
// later ones; a turn that ended before the prompt does not count.
func TestEndBeforePrompt(t *testing.T) {
	s := &session{spec: launch.Spec{Run: &launch.TaskRun{Task: "t1"}}, turn: &state.TurnFacts{}, fold: state.NewFold(true, foldStart)}
	s.delivery = delivery.New(typist{s}, delivery.Options{})
	hook := func(kind api.EventKind, prompt string, at time.Duration) {
		e := step{source: api.SourceHook, kind: kind}.evidence(at)
		s.acknowledge(e, s.fold.State, prompt)
		s.noteTurn(e, change{reply: "over"})
	}
	for i, c := range []struct {
		id, want    string
		prompt, end time.Duration
		ended       bool
	}{
		{"t1-1-0", "first", 2 * time.Second, 5 * time.Second, true},
		{"t1-1-1", "second", 7 * time.Second, 9 * time.Second, true},
		{"t1-1-2", "third", 12 * time.Second, 11 * time.Second, false},
	} {
		s.delivery.Restore(&delivery.InFlight{ID: c.id, Want: c.want, Ack: agents.Ack{Prompt: true}}, "")
		hook(api.KindTurnEnds, "", c.end)
		if got := s.taskSession(); got.Delivery == c.id || i == 0 && !got.Ended.IsZero() {
			t.Errorf("before the prompt was told: delivery %q, ended %v", got.Delivery, got.Ended)
		}
		hook(api.KindPrompt, c.want, c.prompt)
		got := s.taskSession()
		if got.Delivery != c.id || !got.Taken.Equal(foldStart.Add(c.prompt)) {
			t.Errorf("%s: delivery %q, taken %v", c.id, got.Delivery, got.Taken)
		}
		if ended := got.Ended.Equal(foldStart.Add(c.end)) && got.Reply == "over"; ended != c.ended || !c.ended && !got.Ended.IsZero() {
			t.Errorf("%s: ended %v, %q", c.id, got.Ended, got.Reply)
		}
	}
}
