package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
	"ccdir/tui/lists"
	"ccdir/tui/terminal"
	"ccdir/tui/terminal/input"
)

// pastFake is a daemon with a history.
type pastFake struct {
	*fakeClient
	// hold, if not nil, holds up searches until it is closed or they are cancelled.
	hold chan struct{}
}

func (c pastFake) History(context.Context, int) ([]api.HistoryEntry, error) {
	code := 2
	return []api.HistoryEntry{
		{Kind: "session", ID: "dddd4444", Name: "old", Agent: "claude", CWD: "/repo", State: "exited", ExitCode: &code, Started: epoch, Ended: epoch.Add(90 * time.Second), Text: "fix the flaky test"},
		{Kind: "task", ID: "t7", State: "done", Started: epoch, Ended: epoch.Add(time.Second), Text: "write the docs", Session: "eeee5555"},
		{Kind: "session", ID: "eeee5555", Name: "gone", Agent: "claude", CWD: "/repo/docs", State: "exited", Started: epoch, Ended: epoch, Conversation: "c-1", Text: "write the docs"},
		{Kind: "session", ID: "ffff6666", Name: "shell", Agent: "sh", CWD: "/", State: "lost", Started: epoch, Ended: epoch},
	}, c.note("history")
}

func (c pastFake) Search(ctx context.Context, text string, _ int) ([]api.SearchHit, error) {
	if c.hold != nil {
		select {
		case <-c.hold:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if text == "nothing" {
		return nil, c.note("search %s", text)
	}
	return []api.SearchHit{
		{Kind: "session", ID: "eeee5555", Session: "eeee5555", Name: "gone", At: epoch, Line: "the needle is here"},
		{Kind: "event", ID: "12", Session: "aaaa1111", At: epoch, Line: "Bash: needle"},
	}, c.note("search %s", text)
}

func (c pastFake) Transcript(_ context.Context, ref string) (api.Transcript, error) {
	if ref == "ffff6666" {
		return api.Transcript{}, errors.New("nothing is archived of it")
	}
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, "\x1b[31mline %d\x1b[2J\x1b]0;evil\x07\n", i)
		if i == 10 || i == 70 {
			b.WriteString("a \x1b[1mNeedle\x1b[m 日本 needle\n")
		}
	}
	list, _ := c.History(context.Background(), 0)
	t := api.Transcript{ANSI: b.String()}
	for _, e := range list {
		if e.ID == ref {
			t.HistoryEntry = e
		}
	}
	return t, c.note("transcript %s", ref)
}

func withPast(t *testing.T) (*model, *fakeClient) {
	t.Helper()
	m, c := clientModel(t, fourSessions...)
	m.opts.Client = pastFake{fakeClient: c}
	return m, c
}

func TestHistoryLists(t *testing.T) {
	m, _ := withPast(t)
	do(m, "C-b", "/")
	shows(t, m, "history", "exited 2", "1m30s", "fix the flaky test", "t7", "lost", "go on with it")
	do(m, "i")
	shows(t, m, "/repo", "not known: it can't be gone on with")
	do(m, "Escape", "Escape")
	if m.overlay != nil {
		t.Errorf("it stays: %T", m.overlay)
	}
}

func TestHistorySearchAndTranscript(t *testing.T) {
	m, c := withPast(t)
	do(m, "C-b", "/", "/", "n", "e", "e", "d", "l", "e", "Enter")
	shows(t, m, "2 places with needle", "the needle is here")
	do(m, "Enter")
	shows(t, m, "gone · ended", "a Needle 日本 needle", "line 70")
	if screen := m.picture().Dump(); strings.Contains(screen, "evil") || strings.Contains(screen, "\x1b") {
		t.Errorf("it is not harmless:\n%s", screen)
	}
	do(m, "n")
	shows(t, m, "line 10")
	do(m, "/", "l", "i", "n", "e", "Space", "9", "9", "Enter")
	do(m, "Escape", "Escape", "Escape")
	if m.overlay != nil {
		t.Errorf("it stays: %T", m.overlay)
	}
	if got := strings.Join(c.noted(), " "); !strings.Contains(got, "search needle") || !strings.Contains(got, "transcript eeee5555") {
		t.Error(got)
	}
	// What is found of a session that runs leads to its pane.
	do(m, "C-b", "/", "/", "n", "e", "e", "d", "l", "e", "Enter", "Down", "Enter")
	if m.overlay != nil || m.grid.Focus != "aaaa1111" {
		t.Errorf("%T, focus %s", m.overlay, m.grid.Focus)
	}
	do(m, "C-b", "/", "/", "n", "o", "t", "h", "i", "n", "g", "Enter")
	shows(t, m, "Nothing has all these words")
}

// TestHistoryCancel: a search that takes long is seen, and Escape ends it.
func TestHistoryCancel(t *testing.T) {
	m, c := clientModel(t, fourSessions...)
	m.opts.Client = pastFake{fakeClient: c, hold: make(chan struct{})}
	do(m, "C-b", "/", "/", "x")
	_, search := m.Update(terminal.Typed{Key: &input.Key{Name: "Enter", Press: keyOf("Enter"), At: m.now()}})
	shows(t, m, "searching…", "Esc cancels")
	do(m, "Escape")
	shows(t, m, "cancelled")
	perform(m, search)
	shows(t, m, "cancelled", "fix the flaky test")
	do(m, "Escape", "Escape")
	if m.overlay != nil {
		t.Errorf("it stays: %T", m.overlay)
	}
}

func TestHistoryResumes(t *testing.T) {
	m, c := withPast(t)
	do(m, "C-b", "/", "r") // still listed: it starts again
	do(m, "C-b", "/", "Down", "Down", "r")
	do(m, "C-b", "/", "End", "r")
	shows(t, m, "told no conversation")
	got := strings.Join(c.noted(), "; ")
	if !strings.Contains(got, "restart dddd4444") || len(c.created) != 1 {
		t.Fatalf("%s, created %+v", got, c.created)
	}
	if n := c.created[0]; n.Resume != "c-1" || n.CWD != "/repo/docs" || n.Agent != "claude" || n.Name != "gone" {
		t.Errorf("created %+v", n)
	}
	do(m, "Enter") // nothing of it was kept
	shows(t, m, "nothing is archived of it")
}

// TestListMouse: a click chooses, one on the chosen row shows it, the wheel goes
// through the rows, and a click beside the list closes it.
func TestListMouse(t *testing.T) {
	m, _ := withPast(t)
	do(m, "C-b", "/")
	list := func() lists.Dialog { d, _ := m.front().(lists.Dialog); return d }
	plan := list().View.Plan(m.env().Screen(), list().Rows.Content(m.env(), list().View))
	click := func(x, y int) {
		_, c := m.Update(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
		perform(m, c)
	}
	click(plan.Rows.X+3, plan.Rows.Y+2)
	if d := list(); !strings.HasPrefix(d.View.ID, "session eeee5555") {
		t.Errorf("chosen %q", d.View.ID)
	}
	m.Update(tea.MouseWheelMsg{X: plan.Rows.X, Y: plan.Rows.Y, Button: tea.MouseWheelUp})
	if d := list(); !strings.HasPrefix(d.View.ID, "session dddd4444") {
		t.Errorf("after the wheel %q", d.View.ID)
	}
	click(plan.Rows.X+3, plan.Rows.Y)
	shows(t, m, "old · ended")
	do(m, "Escape")
	click(plan.Rows.X+3, plan.FilterY)
	if !list().View.Typing {
		t.Error("a click on the box does not lead there")
	}
	do(m, "Escape")
	click(0, 0)
	if m.overlay != nil {
		t.Errorf("it stays: %T", m.overlay)
	}
}
