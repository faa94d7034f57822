package tui

import (
	"testing"

	"ccdir/api"
)

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
