package verb

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestTable(t *testing.T) {
	tb := Table{}
	tb.Row(Plain("ID", "NAME", "X")...)
	tb.Row(Plain("1", "日本", "y")...)
	tb.Row(Cell{Text: "22", Sgr: "31"}, Cell{Text: "a\x1bb"}, Cell{})
	var b bytes.Buffer
	if err := tb.Write(&b, true); err != nil {
		t.Fatal(err)
	}
	want := "ID  NAME  X\n1   日本  y\n\x1b[31m22\x1b[0m  a\x1bb\n"
	if b.String() != want {
		t.Errorf("got  %q\nwant %q", b.String(), want)
	}
	if got := Plain("a\x1b\nb")[0].Text; strings.ContainsAny(got, "\x1b\n") {
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
		if got := Age(now, now.Add(-tc.ago)); got != tc.want {
			t.Errorf("%s: got %s, want %s", tc.ago, got, tc.want)
		}
	}
	if got := Age(now, time.Time{}); got != "-" {
		t.Errorf("no time: %s", got)
	}
}

func TestTail(t *testing.T) {
	for _, tc := range []struct{ in, want string }{{"", ""}, {"abcde", "abcde"}, {"abcdef", "…cdef"}, {"äöüßéè", "…üßéè"}} {
		if got := Tail(tc.in, 5); got != tc.want {
			t.Errorf("%q: got %q, want %q", tc.in, got, tc.want)
		}
	}
}
