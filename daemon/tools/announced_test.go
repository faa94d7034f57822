package tools

import (
	"strings"
	"testing"

	"ccdir/api"
)

// FuzzAnnounced: a hook announces a call of our tools alone, and at most one.
func FuzzAnnounced(f *testing.F) {
	f.Add([]byte(`{"tool_name":"mcp__ccdir__bash","tool_use_id":"toolu_1"}`))
	f.Add([]byte(`{"tool_name":"Bash","tool_use_id":"toolu_1"}`))
	f.Add([]byte(`{"tool_name":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		a := newAnnouncements()
		a.note(api.Event{Type: "PreToolUse", Source: "hook", Session: "s", Data: data})
		if len(a.seen) > 1 || len(a.seen) == 1 && !strings.Contains(strings.ToLower(string(data)), "tool_use_id") {
			t.Errorf("%q announces %v", data, a.seen)
		}
		for key := range a.seen {
			if !a.shown(t.Context(), "s", key[1]) {
				t.Errorf("%q is not shown", key)
			}
		}
	})
}
