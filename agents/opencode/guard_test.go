package opencode

import (
	"encoding/json"
	"testing"
	"time"
)

// TestUnasked: a request for a read is the policy's alone, with all that is reported of it, unless
// opencode asks about it, or refuses it, without ours.
func TestUnasked(t *testing.T) {
	own := []rule{{"*", "*", allow}, {"read", "*.env", ask}, {"read", "keys/*", "deny"}}
	for _, name := range asked {
		own = append(own, rule{lastKey(name), "*", ask})
	}
	known := []agent{{"build", false, own}, {"title", true, []rule{{"*", "*", "deny"}}}}
	for _, c := range []struct {
		agents           []agent
		permission, file string
		want             bool
	}{
		{known, "read", "a.txt", true},
		{known, "grep", "x", true},
		{known, "glob", "*.go", true},
		{known, "list", "/", true},
		{known, "read", "a/.env", false},
		{known, "read", "keys/a", false},
		{known, "edit", "a.txt", false},
		{known, "bash", "ls", false},
		{append(known, agent{"other", false, []rule{{"*", "*", allow}, {"grep", "*", "deny"}}}), "grep", "x", false},
		{nil, "read", "a.txt", false},
	} {
		asks, err := json.Marshal(map[string]any{"type": "permission.asked", "properties": map[string]any{"id": "per_1", "sessionID": "s", "permission": c.permission, "patterns": []string{c.file}}})
		if err != nil {
			t.Fatal(err)
		}
		tracker := &tracker{agents: c.agents}
		list := tracker.read(asks, time.Unix(1, 0))
		list = append(list, tracker.read([]byte(`{"type":"permission.replied","properties":{"sessionID":"s","requestID":"per_1","reply":"once"}}`), time.Unix(2, 0))...)
		if len(list) != 4 || list[0].Opens != "per_1" || list[2].Closes != "per_1" {
			t.Fatalf("%+v: %+v", c, list)
		}
		for _, r := range list[:3] {
			if (r.Unasked == "per_1") != c.want {
				t.Errorf("%s %s: %+v", c.permission, c.file, r)
			}
		}
	}
}
