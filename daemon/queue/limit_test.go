package queue

import (
	"testing"
	"time"

	"ccdir/agents/claude"
	"ccdir/api"
	"ccdir/orchestrator"
	windows "ccdir/usage"
)

func TestFailureKinds(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 4, 13, 30, 0, 0, time.UTC) // a Wednesday
	at := func(d time.Duration) time.Time { return now.Add(d) }
	for _, tt := range []struct {
		kind, text string
		usage      bool
		reset      time.Time
	}{
		{"unknown", "API Error: something broke", false, time.Time{}},
		{"rate_limit", "", true, time.Time{}},
		{"unknown", "API Error: 529 Overloaded", true, time.Time{}},
		{"unknown", "read 429 lines", true, time.Time{}}, // careful: parked rather than failed
		{"unknown", "port 14290 is in use", false, time.Time{}},
		{"rate_limit", "You've hit your session limit · resets 3pm (UTC)", true, at(91 * time.Minute)},
		{"rate_limit", "You've hit your 5-hour limit · resets 1:30pm (UTC)", true, at(time.Minute)},
		{"rate_limit", "limit reached, resets at 1:15pm (UTC)", true, at(24*time.Hour - 14*time.Minute)},
		{"rate_limit", "weekly limit · resets Fri 9am (UTC)", true, at(43*time.Hour + 31*time.Minute)},
		{"rate_limit", "You've hit your weekly limit · resets Mar 7, 11:13am (UTC)", true, at(69*time.Hour + 44*time.Minute)},
		{"rate_limit", "weekly limit · resets Mar 5 at 2pm (UTC)", true, at(24*time.Hour + 31*time.Minute)},
		{"rate_limit", "monthly limit · resets on April 1 (UTC)", true, time.Date(2026, 4, 1, 0, 1, 0, 0, time.UTC)},
		{"rate_limit", "limit · resets Jan 2, 2027 at 1am (UTC)", true, time.Date(2027, 1, 2, 1, 1, 0, 0, time.UTC)},
		{"rate_limit", "limit · resets Jan 2, 1am (UTC)", true, time.Date(2027, 1, 2, 1, 1, 0, 0, time.UTC)},
		{"rate_limit", "usage limit reached|1772631000", true, time.Unix(1772631000, 0)},
		{"rate_limit", "try again at 2026-03-04T14:00:00Z", true, at(30 * time.Minute)},
		{"overloaded_error", "retry after 45 seconds", true, at(45 * time.Second)},
		{"rate_limit", "resets in 2h 5m", true, at(125 * time.Minute)},
		{"usage_limit", "You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro) or try again at 6:35 PM.", true, time.Date(2026, 3, 4, 18, 36, 0, 0, time.Local)},
		{"usage_limit", "You’ve hit your usage limit. Try again at Mar 9th, 2026 9:00 AM.", true, time.Date(2026, 3, 9, 9, 1, 0, 0, time.Local)},
		{"error", "You have exhausted your daily quota on this model.", true, time.Time{}},
		{"error", "You have exhausted your daily quota on this model. Access resets at 6:35 PM UTC.", true, time.Date(2026, 3, 4, 18, 36, 0, 0, time.Local)},
		{"rate_limit", "resets 27:99 (Nowhere/Here)", true, time.Time{}},
	} {
		f := mishap{kind: tt.kind, text: tt.text}.report(orchestrator.Ref{Task: "t1", Attempt: 1}, now)
		if got := f.Kind == orchestrator.FailUsage; got != tt.usage || !f.Reset.Equal(tt.reset) {
			t.Errorf("%q: usage %v, reset %v, want %v %v", tt.text, got, f.Reset, tt.usage, tt.reset)
		}
	}
}

func FuzzResetTime(f *testing.F) {
	f.Add("resets Fri 9am (UTC)")
	f.Add("resets Feb 30, 11:13am (UTC)")
	f.Add("in 3h 2m 1s")
	f.Add("|1772631000")
	now := time.Unix(1e9, 0)
	f.Fuzz(func(t *testing.T, text string) {
		_ = resetTime(text, now) // ends, and does not panic
	})
}

func TestScreenSum(t *testing.T) {
	t.Parallel()
	a := "● Reading files\n✻ Thinking… (12s · esc to interrupt)\n> "
	if b := "● Reading files\n✽ Pondering… (13s · esc to interrupt)\n> "; screenSum(a) != screenSum(b) {
		t.Error("a spinner counts as progress")
	}
	if b := "● Reading files\n● Writing\n✽ Pondering… (13s · esc to interrupt)\n> "; screenSum(a) == screenSum(b) {
		t.Error("new text is no progress")
	}
}

func TestStepOf(t *testing.T) {
	t.Parallel()
	ref := orchestrator.Ref{Task: "t5", Attempt: 2}
	for id, want := range map[string]int{"t5-2-0": 0, "t5-2-13": 13, "t5-2-1-1700000000": 1, "t5-1-0": -1, "t55-2-0": -1, "first-abc": -1, "": -1, "t5-2-x": -1} {
		if step, ok := stepOf(ref, id); ok != (want >= 0) || ok && step != want {
			t.Errorf("%q: %d %v", id, step, ok)
		}
	}
}

// TestLimitsOfARun: what a one-shot run says of its account's limits is of that account, as of the end of
// the run.
func TestLimitsOfARun(t *testing.T) {
	end := time.Date(2026, 11, 28, 17, 0, 0, 0, time.UTC)
	out := []byte("{\"type\":\"system\"}\nnot JSON\n" +
		`{"type":"rate_limit_event","rate_limit_info":{"status":"allowed","unifiedWindows":{"five_hour":{"utilization":0.42,"resetsAt":1795897650}}}}` + "\n" +
		`{"type":"rate_limit_event","rate_limit_info":{"status":"allowed","unifiedWindows":{"five_hour":{"utilization":0.43,"resetsAt":1795897650}}}}`)
	list := limitsIn(claude.Adapter{}, api.Session{Account: "work", Since: end}, out)
	if len(list) != 2 || list[1].Account != "work" || list[1].Name != "5h" || *list[1].UsedPercent != 43 || !list[1].At.Equal(end) || list[1].Source != windows.SourcePrint {
		t.Errorf("%+v", list)
	}
}

// TestOverloadIsNoLimit: of a turn that failed because the service was overloaded nobody says that
// the account has met a limit.
func TestOverloadIsNoLimit(t *testing.T) {
	t.Parallel()
	p := newPanes(&Queue{})
	for _, tt := range []struct {
		kind  api.FailureKind
		text  string
		limit bool
	}{
		{api.FailureAPI, "API Error: Overloaded", false}, {api.FailureAPI, "API Error: 529 Overloaded", false}, {api.FailureAPI, "API Error: 400 bad", false},
		{api.FailureLimit, "Overloaded", true}, {api.FailureAPI, "You've hit your usage limit", true}, {api.FailureAPI, "429", true},
	} {
		s := api.Session{ID: "a", Agent: "claude", Failure: &api.TurnFailure{Kind: tt.kind, Message: tt.text, At: time.Now()}}
		if _, got := p.limited(s); got != tt.limit {
			t.Errorf("%s %q: %v", tt.kind, tt.text, got)
		}
	}
}
