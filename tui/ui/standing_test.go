package ui

import (
	"testing"
	"time"

	"ccdir/api"
)

func TestStandingWord(t *testing.T) {
	for _, c := range []struct {
		v    api.Session
		want string
	}{
		{api.Session{State: api.StateIdle, Plain: api.PlainShell}, "shell"},
		{api.Session{State: api.StateIdle, Plain: api.PlainShell, App: "mytool"}, "mytool idle"},
		{api.Session{State: api.StateWorking, Plain: api.PlainCommand, App: "mytool"}, "mytool working"},
		{api.Session{State: api.StateWorking, App: "a\x1b[31m"}, "a␛[31m working"},
		{api.Session{State: api.StateLost, Plain: api.PlainShell, App: "mytool"}, "lost"},
	} {
		if got := StandingWord(c.v, time.Time{}); got != c.want {
			t.Errorf("%+v: %q, want %q", c.v, got, c.want)
		}
	}
}

// TestRetryKeepsItsTime: a retry that is cut loses words, not when the API is asked again.
func TestRetryKeepsItsTime(t *testing.T) {
	now := time.Unix(1e9, 0)
	v := api.Session{State: api.StateWorking, Retry: &api.Retry{Attempt: 10, Most: 10, Status: 429, Next: now.Add(32 * time.Second)}}
	for w, want := range map[int]string{60: "retries 10th of 10, 429, again in 32s", 31: "retry 10/10, 429, in 32s"} {
		if got := CutHeadline(v, now, v.RetryLine(now), w); got != want {
			t.Errorf("%d: %q, want %q", w, got, want)
		}
	}
}
