package tui

import (
	"slices"
	"strings"
	"testing"

	"ccdir/internal/api"
)

// TestEndOutside: the list ends an agent outside ccdir after a question that says
// so; ending all leaves it alone.
func TestEndOutside(t *testing.T) {
	client := newFakeClient()
	m := testModel(100, 30, many(1)...)
	m.opts.Client = client
	m.upsert(api.Session{ID: "zzzz0001", Name: "outside-1", Agent: "claude", State: api.StateIdle, PID: 4711, External: true, Created: epoch})
	press(m, "C-b", "s")
	for range 5 {
		if d, ok := m.overlay.(sessionList); ok && d.view.id == "zzzz0001" {
			break
		}
		press(m, "Down")
	}
	press(m, "x")
	d, ok := m.overlay.(confirm)
	if !ok || !strings.Contains(d.question, "outside-1, which was started outside ccdir") || !strings.Contains(d.detail, "4711") {
		t.Fatalf("the question: %+v", m.overlay)
	}
	runBatch(m, d.yes(m), nil)
	if calls := client.noted(); !slices.Contains(calls, "kill zzzz0001") {
		t.Errorf("calls: %v", calls)
	}
	m.overlay = nil
	press(m, "C-b", "s", "a", "x")
	if d, ok := m.overlay.(confirm); !ok || strings.Contains(d.question, "outside") || strings.Contains(d.detail, "outside-1") {
		t.Errorf("ending all: %+v", m.overlay)
	}
}
