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
