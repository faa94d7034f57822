package queue

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/config"
	"ccdir/orchestrator"
	"ccdir/sessions"
	"ccdir/wire"
)

// oneScreen are sessions of which one shows a screen and takes keys.
type oneScreen struct {
	Sessions
	text string
	keys []string
}

func (s *oneScreen) Buffer(context.Context, string, wire.OutputParams) (wire.OutputResult, error) {
	return wire.OutputResult{Text: s.text}, nil
}

func (s *oneScreen) Input(_ context.Context, _ string, in api.RawInput) error {
	s.keys = append(s.keys, in.Keys...)
	return nil
}

const rule = "────────────────────────────────────────\n"

// TestDialogBeforePrompt: a dialog that only the agent's status reports is told by its first
// line; a known notice before the first prompt is dismissed, once, and nothing else is.
func TestDialogBeforePrompt(t *testing.T) {
	const (
		notice = rule + "  Make auto mode your default permission mode?\n\n  ❯ 1. Yes\n    2. No\n\n  Enter to confirm · Esc to cancel\n"
		other  = rule + "  Which login is yours?\n\n  ❯ 1. This\n    2. That\n\n  Enter to confirm · Esc to cancel\n"
	)
	for _, tt := range []struct {
		name, agent, screen string
		taken               bool
		keys, told          []string
	}{
		{"a notice", "claude", notice, false, []string{"Escape"}, []string{"Make auto mode your default permission mode? (answer in the pane)"}},
		{"after the first prompt", "claude", notice, true, nil, []string{"Make auto mode your default permission mode? (answer in the pane)"}},
		{"another dialog", "claude", other, false, nil, []string{"Which login is yours? (answer in the pane)"}},
		{"no dialog that is known", "claude", "hello\n", false, nil, []string{sessions.PanelOpen + " (answer in the pane)"}},
		{"another agent", "demo", notice, false, nil, []string{sessions.PanelOpen + " (answer in the pane)"}},
	} {
		screen := &oneScreen{text: tt.screen}
		var told []string
		f := &follower{worker: worker{&Queue{o: Options{Sessions: screen, Config: func() *config.Loaded { return &config.Loaded{Config: config.Default()} }, Logger: slog.New(slog.DiscardHandler)}}},
			ref: orchestrator.Ref{Task: "t1", Attempt: 1}, session: "s", report: func(e orchestrator.Event) { told = append(told, e.(orchestrator.Observed).Question) }}
		s := sessions.TaskSession{Session: api.Session{Agent: tt.agent, State: api.StateInput, Since: time.Now(), Question: sessions.PanelOpen + " (answer in the pane)"}}
		if tt.taken {
			s.Taken = time.Now()
		}
		for range 2 { // it stays: then a person is told
			f.observe(t.Context(), s)
		}
		if !slices.Equal(screen.keys, tt.keys) || !slices.Equal(told, tt.told) {
			t.Errorf("%s: keys %q, told %q", tt.name, screen.keys, told)
		}
	}
}
