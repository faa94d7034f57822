package tui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/tui/known"
	"ccdir/tui/ui"
)

// bar is the answer bar, nil if it is not in front.
func (m *model) bar() ui.Component {
	if n, ok := m.front().(ui.Named); ok && n.Chip() == "ANSWER" {
		return m.front()
	}
	return nil
}

// barHas reports whether the answer bar shows a text.
func (m *model) barHas(text string) bool {
	return m.bar() != nil && strings.Contains(m.picture().Dump(), text)
}

// answers are the answers that the client got.
func (c *fakeClient) answers() []string {
	return slices.DeleteFunc(c.noted(), func(s string) bool { return !strings.HasPrefix(s, "answer ") })
}

func TestAnswerIgnoresKeysInFlight(t *testing.T) {
	m, c := asking(t)
	opened := m.now()
	m.popupShown = func(uint64) (time.Time, bool) { return time.Time{}, false } // not painted yet
	do(m, "C-b", "a", "y", "a", "n", "o")
	if m.bar() == nil || len(c.answers()) > 0 {
		t.Fatalf("before the bar was shown: %v", c.answers())
	}
	do(m, "Escape") // answers nothing: what follows is for the pane
	if m.bar() != nil {
		t.Fatal("Escape before the bar was shown does not close it")
	}
	do(m, "C-b", "a")
	m.popupShown = func(uint64) (time.Time, bool) { return opened.Add(time.Second), true }
	do(m, "y") // read before
	if len(c.answers()) > 0 {
		t.Fatal("a key from before was an answer")
	}
	m.now = func() time.Time { return opened.Add(2 * time.Second) }
	do(m, "y")
	if len(c.answers()) != 1 {
		t.Error("a key from afterwards was none")
	}
}

func TestAnsweredElsewhereRetiresAtOnce(t *testing.T) {
	for _, tt := range []struct {
		decision api.Decision
		want     string
	}{
		{api.Decision{Outcome: api.OutcomeElsewhere}, "answered in the pane"},
		{api.Decision{Outcome: api.OutcomeAnswered, By: api.ByPerson, Answer: &api.Answer{Behavior: api.AnswerAllow}}, "approved elsewhere"},
		{api.Decision{Outcome: api.OutcomeAnswered, By: api.ByLead, Answer: &api.Answer{Behavior: api.AnswerDeny}}, "refused by lead"},
		{api.Decision{Outcome: api.OutcomeSession}, "the session has ended"},
	} {
		m, c := asking(t)
		do(m, "C-b", "a")
		tt.decision.Request.ID = "r1"
		m.inbox.watch(api.WatchMessage{RequestEnded: &tt.decision})
		m.Update(newsMsg{m.inbox.take()})
		shows(t, m, tt.want)
		if strings.Contains(m.picture().Dump(), "[y]es") {
			t.Errorf("%s: it still offers an answer", tt.want)
		}
		now := m.now()
		for range 4 { // meant for the request, and held down
			do(m, "y")
			now = now.Add(gracePause - 1)
			m.now = func() time.Time { return now }
			m.Update(clockMsg{m.wakeGen})
		}
		if len(c.answers()) > 0 || m.queued("bbbb2222") != "" {
			t.Errorf("%s: a late y went to %v and %q", tt.want, c.answers(), m.queued("bbbb2222"))
		}
		m.now = func() time.Time { return now.Add(1) }
		m.Update(clockMsg{m.wakeGen})
		if m.bar() != nil {
			t.Errorf("%s: the bar stays", tt.want)
		}
		do(m, "y") // meant for the pane
		if got := m.queued("bbbb2222"); got != "y" {
			t.Errorf("%s: afterwards the pane got %q", tt.want, got)
		}
	}
}

func TestRetiredBarClosesByItself(t *testing.T) {
	m, _ := asking(t)
	do(m, "C-b", "a")
	m.inbox.watch(api.WatchMessage{RequestEnded: &api.Decision{Request: api.Request{ID: "r1"}, Outcome: api.OutcomeElsewhere}})
	m.Update(newsMsg{m.inbox.take()})
	now := m.now()
	if m.wakeAt.After(now.Add(2 * time.Second)) {
		t.Errorf("nothing wakes the program: %v", m.wakeAt.Sub(now))
	}
	m.now = func() time.Time { return now.Add(2 * time.Second) }
	m.Update(clockMsg{m.wakeGen})
	if m.overlay != nil {
		t.Error("the bar stays")
	}
}

// TestSnapshotReplacesRequests: after a reconnection only what is open counts.
func TestSnapshotReplacesRequests(t *testing.T) {
	m, _ := asking(t)
	do(m, "C-b", "a")
	r2 := testRequest("r2", "cccc3333", "Write", `{"file_path":"/x"}`, 0)
	m.inbox.watch(api.WatchMessage{Request: &r2}) // before the snapshot: void
	m.inbox.watch(api.WatchMessage{Snapshot: &api.Snapshot{Sessions: fourSessions}})
	m.Update(newsMsg{m.inbox.take()})
	if len(m.Requests) != 0 || !m.barHas("no longer open") {
		t.Errorf("requests %v, bar %+v", m.Requests, m.bar())
	}
}

func TestAttentionGoesRound(t *testing.T) {
	m, c := asking(t, testRequest("r2", "cccc3333", "Write", `{"file_path":"/x","content":"a\nb"}`, 0), testRequest("r3", "aaaa1111", "Bash", `{}`, 2))
	do(m, "C-b", "1", "C-b", "a") // the focused one asks itself, though its state is behind
	if !m.barHas("api asks for permission: Bash") {
		t.Fatalf("bar %+v", m.bar())
	}
	seen := map[string]bool{}
	for range 3 {
		seen[m.grid.Focus] = true
		do(m, "Tab")
		if !m.barHas(m.focused().Name + " asks for permission") {
			t.Fatalf("focus %s, bar %+v", m.grid.Focus, m.bar())
		}
	}
	if len(seen) != 3 || len(c.answers()) > 0 {
		t.Errorf("saw %v, answered %v", seen, c.answers())
	}
	do(m, "y", "Escape", "C-b", "a")
	if m.bar() == nil || len(c.answers()) != 1 {
		t.Errorf("answers %v, bar %+v", c.answers(), m.bar())
	}
	m, _ = asking(t)
	do(m, "C-b", "4", "C-b", "a") // nobody waits longer than the one with a request
	if m.bar() == nil || m.grid.Focus != "bbbb2222" {
		t.Errorf("focus %s, bar %+v", m.grid.Focus, m.bar())
	}
	do(m, "Tab") // docs waits without a request
	if m.bar() != nil || m.grid.Focus != "cccc3333" {
		t.Errorf("focus %s, bar %+v", m.grid.Focus, m.bar())
	}
}

func TestQuestionsAreAnsweredInThePane(t *testing.T) {
	m, c := clientModel(t, fourSessions...)
	r := testRequest("r1", "cccc3333", "AskUserQuestion", `{"questions":[{"question":"Which?"}]}`, 0)
	r.Kind, r.AlwaysRule, r.Question = api.RequestQuestion, "", "Which? (red / green)"
	m.inbox.watch(api.WatchMessage{Request: &r})
	m.Update(newsMsg{m.inbox.take()})
	do(m, "C-b", "3")
	shows(t, m, "docs: Which? (red / green)", "C-b a to answer")
	do(m, "C-b", "a")
	do(m, "y", "a")
	if len(c.answers()) > 0 {
		t.Errorf("answers %v", c.answers())
	}
	do(m, "o")
	if m.overlay != nil || m.grid.Focus != "cccc3333" {
		t.Error("the pane is not open")
	}
}

func TestWithoutRequestAnswerInThePane(t *testing.T) {
	m, c := clientModel(t, fourSessions...)
	shows(t, m, "web: it asks for permission", "answer in the pane: ↑ ↓ choose, Enter answers, Esc refuses")
	do(m, "C-b", "a", "y") // it asks, so it stays, and y is its pane's
	if m.grid.Focus != "bbbb2222" || m.queued("bbbb2222") != "y" || len(c.answers()) > 0 {
		t.Errorf("focus %s, answers %v", m.grid.Focus, c.answers())
	}
	shows(t, m, "web asks in its pane; C-b a again goes on to the next", "answer in the pane: ↑ ↓ choose, Enter answers, Esc refuses")
	do(m, "C-b", "a", "y") // on to docs, which has been told of by going there
	if m.grid.Focus != "cccc3333" || m.queued("cccc3333") != "y" {
		t.Errorf("again: focus %s", m.grid.Focus)
	}
	if do(m, "C-b", "a"); m.grid.Focus != "bbbb2222" {
		t.Errorf("round: focus %s", m.grid.Focus)
	}
	if do(m, "C-b", "3", "C-b", "a"); m.grid.Focus != "cccc3333" {
		t.Errorf("chosen by its number, it stays: focus %s", m.grid.Focus)
	}
}

func TestReadOnlyAnswersNothing(t *testing.T) {
	m, c := asking(t)
	m.opts.ReadOnly = true
	do(m, "C-b", "a", "y")
	if m.bar() != nil || len(c.answers()) > 0 {
		t.Errorf("bar %v, answers %v", m.bar(), c.answers())
	}
}

func TestExplain(t *testing.T) {
	m, c := clientModel(t, fourSessions...)
	c.explanation = api.Explanation{
		Session: "bbbb2222", State: api.StatePermission, Since: epoch, Rule: "hook-permission", Reason: "a dialog is open",
		Winner:    &api.Evidence{Source: api.SourceHook, At: epoch, Name: "PermissionRequest", Detail: "Bash: rm", Says: api.StatePermission},
		Overruled: []api.Overruled{{Evidence: api.Evidence{Source: api.SourceTitle, At: epoch, Name: "title"}, Reason: "weaker"}},
		Changes:   []string{"an answer in the pane: working"},
	}
	do(m, "C-b", "i", "Enter")
	shows(t, m, " web ", "why it has its state", "✋ waiting for permission", "hook-permission", "a dialog is open", "hook PermissionRequest (Bash: rm) says",
		"3m ago", "title title", "weaker", "would change", "an answer in the pane: working")
	// It follows the session, and asks no more often than that changes.
	asked := len(c.noted())
	m.Update(clockMsg{m.wakeGen})
	if len(c.noted()) != asked {
		t.Error("asked again without need")
	}
	c.explanation.Reason = "it was answered"
	v := fourSessions[1]
	v.State, v.Since = api.StateWorking, epoch.Add(time.Minute)
	_, cmd := m.Update(newsMsg{news{News: known.News{Sessions: map[string]api.Session{v.ID: v}}}})
	perform(m, cmd)
	shows(t, m, "it was answered")
	do(m, "i")
	if m.overlay != nil {
		t.Error("i does not close it")
	}
}
