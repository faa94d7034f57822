package tui

import (
	"testing"
	"time"

	"ccdir/internal/api"
)

// TestLongestWaitingFirst: what counts is since when a session waits, not since when
// it has the state in which it was asked something.
func TestLongestWaitingFirst(t *testing.T) {
	busy, asks := named("aaaa1111", "busy", api.StateWorking, 0), named("bbbb2222", "asks", api.StatePermission, 1)
	busy.Since, asks.Since = epoch.Add(-time.Hour), epoch.Add(time.Minute)
	m, _ := clientModel(t, busy, asks, named("cccc3333", "here", api.StateIdle, 2))
	m.requests = []api.Request{testRequest("r1", "aaaa1111", "Bash", `{"command":"make"}`, 120)}
	if all := m.waiting(); len(all) != 2 || all[0].ID != "bbbb2222" {
		t.Fatalf("waiting: %v", all)
	}
	m.setFocus("cccc3333")
	do(m, "C-b", "a")
	if m.focus != "bbbb2222" {
		t.Errorf("the focus is at %s", m.focus)
	}
}
