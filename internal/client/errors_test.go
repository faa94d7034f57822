package client

import (
	"strings"
	"testing"
)

func TestVersionError(t *testing.T) {
	for _, tc := range []struct {
		daemon, client string
		newer          bool
	}{
		{"0.2.0", "0.1.9", true},
		{"v0.10.0", "0.9.9", true},
		{"1.0.0-rc1", "0.9", true},
		{"0.1.0", "0.1.0-dirty", false},
		{"0.0.7", "0.1.0", false},
		{"unknown", "0.1.0", false},
		{"9.9.9", "devel", false},
		{"", "0.1.0", false},
	} {
		e := &VersionError{Daemon: tc.daemon, Client: tc.client, PID: 7}
		text := e.Error()
		if strings.Contains(text, "newer than this ccdir") != tc.newer || !strings.Contains(text, "`ccdir daemon restart`") || strings.Contains(text, "\n") {
			t.Errorf("%s and %s: %s", tc.daemon, tc.client, text)
		}
	}
}
