package claude

import (
	"strings"
	"testing"
	"time"

	"ccdir/api"
)

func TestRetryShown(t *testing.T) {
	at := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	rule := strings.Repeat("─", 80)
	screen := func(above string) string {
		return "❯ go\n" + above + rule + "\n❯ \n" + rule + "\n  ⏸ manual mode on · esc to interrupt\n"
	}
	for above, want := range map[string]*api.Retry{
		"✻ 529 scripted failure · retrying in 1s · attempt 3/10\n  ⎿  If it persists, check your inference gateway (127.0.0.1:40921).\n" + strings.Repeat(" ", 60) + "◐ medium · /effort\n": {Attempt: 3, Most: 10, Status: 529, Message: "scripted failure", Next: at.Add(time.Second)},
		"✻ 429 scripted failure · retrying in 2m 18s · attempt 6/10\n": {Attempt: 6, Most: 10, Status: 429, Message: "scripted failure", Next: at.Add(138 * time.Second)},
		"✶ Connection error · retrying in 4s · attempt 1/10\n":         {Attempt: 1, Most: 10, Message: "Connection error", Next: at.Add(4 * time.Second)},
		"✻ Churning… (3s)\n":                                                           nil,
		"● It says: ✻ 529 x · retrying in 1s · attempt 3/10\n":                         nil,
		"✻ 529 x · retrying in 1s · attempt 3/10\n" + strings.Repeat("\n", retryAbove): nil, // far above
	} {
		got := Adapter{}.RetryShown(screen(above), at)
		if (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Errorf("%q: %+v, want %+v", above, got, want)
		}
	}
	if got := (Adapter{}).RetryShown("✻ 529 x · retrying in 1s · attempt 3/10\n", at); got != nil {
		t.Errorf("without an input line: %+v", got)
	}
}
