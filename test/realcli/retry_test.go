package realcli

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/test/fakeapi"
)

// TestRetries: while the CLI asks its API again, the session says so, and no longer once
// there is an answer.
func TestRetries(t *testing.T) {
	t.Parallel()
	var answers atomic.Bool
	fake := fakeapi.New(func(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
		if r.Main() && !answers.Load() {
			return fakeapi.Reply{Status: 429, Type: "rate_limit_error", Message: "too many"}
		}
		return fakeapi.Echo(ctx, r)
	})
	t.Cleanup(fake.Close)
	p := Install(t, Home(t, fake.URL()))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "go on")
	s := p.Until(ctx, id, "retries", func(s api.Session) bool { return s.Retry != nil && s.Retry.Attempt >= 2 })
	if r := s.Retry; s.State != api.StateWorking || r.Status != 429 && r.Message == "" || r.Most == 0 || r.Next.IsZero() {
		t.Errorf("%s: %+v", s.State, r)
	}
	if shown := p.Run(ctx, "ls") + p.Run(ctx, "explain", id); strings.Count(shown, "retries ") != 2 {
		t.Errorf("ls and explain do not tell it:\n%s", shown)
	}
	answers.Store(true)
	if s := p.State(ctx, id, api.StateIdle); s.Retry != nil {
		t.Errorf("it has answered, and still %s", s.RetryLine(time.Now()))
	}
}
