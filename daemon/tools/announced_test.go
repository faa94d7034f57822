package tools

import (
	"bytes"
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
		a.note(api.Event{Kind: api.KindToolBegins, Source: "hook", Session: "s", Data: data})
		if a.seen.Len() > 1 || a.seen.Len() == 1 && !strings.Contains(strings.ToLower(string(data)), "tool_use_id") {
			t.Errorf("%q announces %d calls", data, a.seen.Len())
		}
		ours := bytes.Equal(data, []byte(`{"tool_name":"mcp__ccdir__bash","tool_use_id":"toolu_1"}`))
		if ours && !a.shown(t.Context(), "s", "toolu_1") {
			t.Errorf("%q is not shown", data)
		}
	})
}
