package call

import (
	"strings"
	"testing"
	"time"
)

// TestLimit: the agent's timeout bounds a call, a little earlier than the agent does; anything
// that is neither a hook nor its timeout is no call.
func TestLimit(t *testing.T) {
	for args, want := range map[string]time.Duration{
		"Stop": usual, "PreToolUse --timeout=1800": 1799 * time.Second, "SessionEnd --timeout=3": 2 * time.Second,
		"": -1, "Stop --timeout=": -1, "Stop --timeout=1": -1, "Stop --timeout=-3": -1, "Stop --timeout=99999999999": -1, "Stop 3": -1, "S-p --timeout=3": -1,
		"Stop --timeout=3 more": -1,
	} {
		got, ok := parseLine(strings.Fields(args))
		if ok != (want >= 0) || ok && got.limit != want {
			t.Errorf("%q: %s, %v", args, got.limit, ok)
		}
	}
}
