package cli

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"ccdir/api"
)

func TestTable(t *testing.T) {
	tb := table{}
	tb.row(plain("ID", "NAME", "X")...)
	tb.row(plain("1", "日本", "y")...)
	tb.row(cell{text: "22", sgr: "31"}, cell{text: "a\x1bb"}, cell{})
	var b bytes.Buffer
	if err := tb.write(&b, true); err != nil {
		t.Fatal(err)
	}
	want := "ID  NAME  X\n1   日本  y\n\x1b[31m22\x1b[0m  a\x1bb\n"
	if b.String() != want {
		t.Errorf("got  %q\nwant %q", b.String(), want)
	}
	if got := plain("a\x1b\nb")[0].text; strings.ContainsAny(got, "\x1b\n") {
		t.Errorf("plain lets control characters pass: %q", got)
	}
}

func TestAge(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, tc := range []struct {
		ago  time.Duration
		want string
	}{{-time.Hour, "0s"}, {0, "0s"}, {59 * time.Second, "59s"}, {time.Minute, "1m"}, {59*time.Minute + 59*time.Second, "59m"},
		{time.Hour, "1h"}, {47 * time.Hour, "47h"}, {48 * time.Hour, "2d"}} {
		if got := age(now, now.Add(-tc.ago)); got != tc.want {
			t.Errorf("%s: got %s, want %s", tc.ago, got, tc.want)
		}
	}
	if got := age(now, time.Time{}); got != "-" {
		t.Errorf("no time: %s", got)
	}
}

func TestTail(t *testing.T) {
	for _, tc := range []struct{ in, want string }{{"", ""}, {"abcde", "abcde"}, {"abcdef", "…cdef"}, {"äöüßéè", "…üßéè"}} {
		if got := tail(tc.in, 5); got != tc.want {
			t.Errorf("%q: got %q, want %q", tc.in, got, tc.want)
		}
	}
}

func TestParseSize(t *testing.T) {
	for _, tc := range []struct {
		in         string
		cols, rows int
		ok         bool
	}{{"80x24", 80, 24, true}, {"1x1", 1, 1, true}, {"1000x1000", 1000, 1000, true}, {"0x0", 0, 0, false}, {"80", 0, 0, false},
		{"80x", 0, 0, false}, {"x24", 0, 0, false}, {"-1x5", 0, 0, false}, {"80x24x1", 0, 0, false}, {"8 0x24", 0, 0, false},
		{"99999999999999999999x1", 0, 0, false}} {
		cols, rows, ok := parseSize(tc.in)
		if ok != tc.ok || ok && (cols != tc.cols || rows != tc.rows) {
			t.Errorf("%q: got %dx%d %t", tc.in, cols, rows, ok)
		}
	}
}

// TestReport: each kind of error has its exit code and is one harmless line.
func TestReport(t *testing.T) {
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tc := range []struct {
		ctx  context.Context
		err  error
		code int
		want string
	}{
		{t.Context(), errors.New("a\nb\x1b[31m"), 1, "ccdir: a; b␛[31m\n"},
		{t.Context(), api.Errorf(api.CodeNotFound, "no session"), 1, "ccdir: no session\n"},
		{t.Context(), usageError{errors.New("wrong")}, 2, "ccdir: wrong\n"},
		{t.Context(), quietError{}, 1, ""},
		{canceled, context.Canceled, 1, "ccdir: interrupted\n"},
	} {
		var b bytes.Buffer
		if code := report(tc.ctx, &b, tc.err); code != tc.code || b.String() != tc.want {
			t.Errorf("%v: code %d, %q; want %d, %q", tc.err, code, b.String(), tc.code, tc.want)
		}
	}
}

func TestLogind(t *testing.T) {
	text := "[Login]\n# KillUserProcesses=yes\n;KillUserProcesses=yes\nKillUserProcesses = no\nKillUserProcesses=yes \n"
	if got := iniValue(text, "KillUserProcesses"); got != "yes" {
		t.Errorf("got %q", got)
	}
	if got := iniValue("#KillUserProcesses=yes\n", "KillUserProcesses"); got != "" {
		t.Errorf("a comment counts: %q", got)
	}
	for v, want := range map[string]bool{"yes": true, "1": true, "on": true, "True": true, "no": false, "": false, "0": false} {
		if isYes(v) != want {
			t.Errorf("%q: %t", v, !want)
		}
	}
}
