package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"syscall"
	"testing"

	"ccdir/api"
)

// However a connection ends because the daemon went away, the call is known to be one
// that may be made again.
func TestCallError(t *testing.T) {
	for name, err := range map[string]error{
		"before the answer":       io.EOF,
		"in the answer":           io.ErrUnexpectedEOF,
		"reset":                   &net.OpError{Op: "read", Err: syscall.ECONNRESET},
		"while it was written to": fmt.Errorf("write: %w", syscall.EPIPE),
		"while it was idle":       errors.New("http: server closed idle connection"),
	} {
		got := callError(&url.Error{Op: "Post", URL: "http://ccdir/v1/sessions", Err: err})
		if api.CodeOf(got) != api.CodeUnavailable || !strings.Contains(got.Error(), "try again") {
			t.Errorf("%s: %v", name, got)
		}
	}
	if got := callError(&url.Error{Err: context.Canceled}); !errors.Is(got, context.Canceled) {
		t.Errorf("cancelled: %v", got)
	}
	if got := callError(&url.Error{Err: errors.New("malformed")}); got.Error() != "malformed" {
		t.Errorf("anything else: %v", got)
	}
}

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
