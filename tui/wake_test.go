package tui

import (
	"strings"
	"testing"

	"ccdir/api"
)

// TestParkedSessionWakes: Enter only wakes a parked session; other keys wake it too, and reach it in
// their order by the daemon, also those that come before it is told to run. Walking over it wakes
// nothing.
func TestParkedSessionWakes(t *testing.T) {
	m, c := clientModel(t, named("aaaa1111", "api", api.StateParked, 1), named("bbbb2222", "docs", api.StateIdle, 2))
	do(m, "C-b", "Tab", "C-b", "Tab")
	if got := c.noted(); len(got) != 0 {
		t.Fatalf("walking over it called %q", got)
	}
	m.setFocus("aaaa1111")
	do(m, "Enter")
	if got := strings.Join(c.noted(), ","); got != "wake aaaa1111" {
		t.Errorf("Enter called %q", got)
	}
	do(m, "o", "k")
	if got := strings.Join(c.noted(), ","); !strings.HasSuffix(got, "input aaaa1111 [o],input aaaa1111 [k]") {
		t.Errorf("keys called %q", got)
	}
	if len(m.waking) != 0 || m.queued("aaaa1111") != "" {
		t.Errorf("under way: %v, in the pane's queue %q", m.waking, m.queued("aaaa1111"))
	}
	do(m, "C-b", "M-p")
	if got := strings.Join(c.noted(), ","); !strings.HasSuffix(got, ",wake aaaa1111") {
		t.Errorf("the key called %q", got)
	}
	m.setFocus("bbbb2222")
	do(m, "C-b", "M-p")
	if got := strings.Join(c.noted(), ","); !strings.HasSuffix(got, ",park bbbb2222") {
		t.Errorf("the key called %q", got)
	}
}
