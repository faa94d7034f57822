package queue

import (
	"context"
	"strings"
	"time"

	"ccdir/agents"
	"ccdir/agents/adapters"
	"ccdir/api"
	"ccdir/sessions"
	"ccdir/wire"
)

// dialogs is a follower's knowledge of its session's dialogs.
type dialogs struct {
	since     time.Time // when the session began to wait at the dialog that was read
	first     string    // its first line, "" if the screen shows none that is known
	dismissed bool      // a notice was dismissed: no further one is
}

// asked is the question of a session that waits. Of a dialog that only the agent's own status
// reports, it is the first line that the screen shows.
func (f *follower) asked(ctx context.Context, t sessions.TaskSession) string {
	question, found := strings.CutPrefix(t.Session.Question, sessions.PanelOpen)
	if !found {
		return t.Session.Question
	}
	if !f.dialogs.since.Equal(t.Session.Since) || f.dialogs.first == "" {
		f.dialogs.since, f.dialogs.first = t.Session.Since, f.firstLine(ctx, t)
	}
	if f.dialogs.first == "" {
		return t.Session.Question
	}
	return f.dialogs.first + question
}

// firstLine is the first line of the dialog on the screen, "" if it is none that the
// agent's screen rules know.
func (f *follower) firstLine(ctx context.Context, t sessions.TaskSession) string {
	out, err := f.o.Sessions.Buffer(ctx, f.session, wire.OutputParams{Format: wire.FormatText})
	if err != nil {
		return ""
	}
	var screen strings.Builder
	for line := range strings.Lines(out.Text) {
		if line = strings.TrimRight(line, " \r\n"); line != "" {
			screen.WriteString(line + "\n")
		}
	}
	agent := f.o.Config().Agents[t.Session.Agent]
	adapter, _ := adapters.Lookup(agent.Kind)
	return agents.LookAt(agents.ScreenRules(agent.Screen, adapter), true, screen.String(), false, time.Now()).Fields["question"]
}

// dismiss cancels, once, a notice that the agent shows before it takes its first prompt:
// at night nobody would. It reports whether it did.
func (f *follower) dismiss(ctx context.Context, t sessions.TaskSession, first string) bool {
	adapter, _ := adapters.Lookup(f.o.Config().Agents[t.Session.Agent].Kind)
	notices, ok := adapter.(agents.Notices)
	if !ok || f.dialogs.dismissed || !t.Taken.IsZero() || !notices.Notice(first) {
		return false
	}
	f.dialogs.dismissed = true
	if err := f.o.Sessions.Input(ctx, f.session, api.RawInput{Keys: []string{"Escape"}}); err != nil {
		return false
	}
	f.o.Logger.Info("a notice of the agent was dismissed", "task", f.ref.Task, "session", f.session, "notice", first)
	return true
}
