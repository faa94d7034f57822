package tui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"ccdir/api"
)

// TestWrittenAnswerIsKept: when a request ends while a person writes to it, the rest of
// the sentence goes to no pane, not even its letters that are no answers, and what was
// written is in the history of the prompt bar.
func TestWrittenAnswerIsKept(t *testing.T) {
	for name, c := range map[string]struct {
		keys []string // after the bar was opened
		kept string
	}{
		"a message":            {[]string{"n", "u", "s", "e", "Space", "m", "a"}, "use ma"},
		"nothing yet":          {[]string{"n"}, ""},
		"a command":            {[]string{"e", "x"}, "rm -rf build/x"},
		"the command unedited": {[]string{"e"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			m, client := asking(t)
			m.Requests[0].Editable = true
			do(m, append([]string{"C-b", "a"}, c.keys...)...)
			if m.bar() == nil || !m.bar().writes() {
				t.Fatalf("it is not written: %+v", m.bar())
			}
			m.inbox.watch(api.WatchMessage{RequestEnded: &api.Decision{Request: api.Request{ID: "r1"}, Outcome: api.OutcomeElsewhere}})
			_, cmd := m.Update(newsMsg{m.inbox.take()})
			perform(m, cmd)
			shows(t, m, "answered in the pane")
			if kept := strings.Join(m.prompt.history, "|"); kept != c.kept {
				t.Errorf("kept %q, want %q", kept, c.kept)
			}
			if c.kept != "" {
				shows(t, m, "what you wrote is kept: C-b : Up")
			}
			now := m.now()
			for _, k := range []string{"k", "e", "Space", "2", "Enter", "w", "y"} {
				do(m, k)
				now = now.Add(gracePause - 1)
				m.now = func() time.Time { return now }
				m.Update(clockMsg{m.wakeGen})
			}
			if got := m.queued("bbbb2222"); got != "" || len(client.answers()) > 0 {
				t.Errorf("the pane got %q, answers %v", got, client.answers())
			}
			m.now = func() time.Time { return now.Add(1) }
			m.Update(clockMsg{m.wakeGen})
			if m.bar() != nil {
				t.Fatal("the bar stays")
			}
			do(m, "w")
			if got := m.queued("bbbb2222"); got != "w" {
				t.Errorf("afterwards the pane got %q", got)
			}
			if slices.Contains(m.prompt.history, "") {
				t.Error("nothing is in the history")
			}
		})
	}
}

// TestWrittenAnswerLeaves: the prefix key and Escape work at once.
func TestWrittenAnswerLeaves(t *testing.T) {
	for _, key := range []string{"C-b", "Escape"} {
		m, _ := asking(t)
		do(m, "C-b", "a", "n", "u")
		m.inbox.watch(api.WatchMessage{RequestEnded: &api.Decision{Request: api.Request{ID: "r1"}, Outcome: api.OutcomeElsewhere}})
		m.Update(newsMsg{m.inbox.take()})
		do(m, key)
		if m.bar() != nil || m.queued("bbbb2222") != "" || (m.mode == modePrefix) != (key == "C-b") {
			t.Errorf("%s: the bar is %v, mode %v", key, m.bar() != nil, m.mode)
		}
	}
}
