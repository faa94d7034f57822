package api

import (
	"testing"
	"time"
)

func TestUsage(t *testing.T) {
	for _, tt := range []struct {
		context, window int64
		left            int
		known           bool
	}{{0, 200_000, 0, false}, {10, 0, 0, false}, {62_000, 200_000, 69, true}, {250_000, 200_000, 0, true}} {
		left, known := Turn{Context: tt.context, ContextWindow: tt.window}.ContextLeft()
		if left != tt.left || known != tt.known {
			t.Errorf("%+v: %d %v", tt, left, known)
		}
	}
	left := 69
	for want, s := range map[string]Session{"": {CostUSD: 0.001}, "69% ctx left": {ContextLeft: &left}, "69% ctx left · $0.12": {ContextLeft: &left, CostUSD: 0.123}} {
		if got := s.UsageLine(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestLimitsOf: a session is shown the windows of its own account, and of a node's session nothing is
// known here.
func TestLimitsOf(t *testing.T) {
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	end, far, used := now.Add(130*time.Minute), now.Add(75*time.Hour), 42.4
	l := &Limits{Windows: []UsageWindow{
		{Agent: "claude", Account: AccountDefault, Name: "5h", Seconds: 5 * 3600, UsedPercent: &used, ResetsAt: &end},
		{Agent: "claude", Account: AccountDefault, Name: "7d", Seconds: 7 * 86400, UsedPercent: &used, ResetsAt: &far},
		{Agent: "claude", Account: "work", Name: "5h", ResetsAt: &end},
		{Agent: "codex", Account: AccountDefault, Name: "5h", UsedPercent: &used},
	}}
	for _, tt := range []struct {
		s    Session
		want string
	}{
		{Session{Agent: "claude"}, "5h 42% · 2h10|7d 42%|"},
		{Session{Agent: "claude", Account: "work"}, "|"},
		{Session{Agent: "codex"}, "5h 42%|"},
		{Session{Agent: "claude", Node: "gpu1"}, ""},
		{Session{Agent: "zsh"}, ""},
	} {
		got := ""
		for _, w := range l.Of(tt.s) {
			got += w.Short(now) + "|"
		}
		if got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.s, got, tt.want)
		}
	}
	if got := l.Windows[0].Short(end); got != "" {
		t.Errorf("at its end the window says %q", got)
	}
	if (*Limits)(nil).Of(Session{Agent: "claude"}) != nil {
		t.Error("nothing is known, and it has windows")
	}
}
