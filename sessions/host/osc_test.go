package host

import (
	"slices"
	"testing"

	"ccdir/wire"
)

// TestNotifications: only texts of OSC 9 and 777 are notifications, not the commands that
// other terminals take under these numbers.
func TestNotifications(t *testing.T) {
	for _, test := range []struct {
		command string
		want    []string
	}{
		{"9;hello", []string{"hello"}},
		{"9;10 tests failed", []string{"10 tests failed"}},
		{"9;4 files", []string{"4 files"}},
		{"9;2024;done", []string{"2024;done"}},
		{"9;a;b", []string{"a;b"}},
		{"9;1;500", nil},
		{"9;2;boo", nil},
		{"9;3;tab", nil},
		{"9;4", nil},
		{"9;4;1;50", nil},
		{"9;5", nil},
		{"9;9;/", nil},
		{"9;9;\"C:\\\"", nil},
		{"9;12", nil},
		{"9;", nil},
		{"9", nil},
		{"777;notify;title;text", []string{"title;text"}},
		{"777;precmd", nil},
		{"777;preexec", nil},
		{"777;container;push;box", nil},
	} {
		h := quietHost(engineVT, 80, 24)
		h.output([]byte("\x1b]" + test.command + "\a"))
		h.mu.Lock()
		var got []string
		for _, e := range h.evidence.all() {
			if e.Name == wire.EvidenceNotify {
				got = append(got, e.Fields["text"])
			}
		}
		h.mu.Unlock()
		if !slices.Equal(got, test.want) {
			t.Errorf("OSC %s: notifications %q, want %q", test.command, got, test.want)
		}
	}
}
