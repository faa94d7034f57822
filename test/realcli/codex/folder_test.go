package codex

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"ccdir/api"
)

// TestFolderGone: Codex starts its hooks in the session's folder. While that is gone, no policy holds,
// which the session, its events and doctor say; and they say that it is back.
func TestFolderGone(t *testing.T) {
	ctx, p, _ := agent.Product(t, nil)
	p.Policy("[roles.dev]\ndeny = [\"Bash(touch *)\"]\n")
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second) // seconds, on a busy machine
	defer cancel()
	away := p.Place.CWD + "-away"
	move(t, p.Place.CWD, away)
	e := p.Event(ctx, id, 0, "that the folder is gone", func(e api.Event) bool { return e.Type == api.EventSessionPolicy })
	s := p.Until(ctx, id, "why no policy holds", func(s api.Session) bool { return s.Unguarded != "" })
	if !strings.Contains(s.Unguarded, p.Place.CWD) || !strings.Contains(e.Message, s.Unguarded) {
		t.Errorf("the session says %q, the event %q", s.Unguarded, e.Message)
	}
	if out := p.Doctor(ctx); !strings.Contains(out, s.Unguarded) {
		t.Errorf("doctor says\n%s", out)
	}
	if out := p.Explain(ctx, id, "touch x"); !strings.Contains(out, "does not hold") || !strings.Contains(out, "deny") {
		t.Errorf("explain says\n%s", out)
	}
	move(t, away, p.Place.CWD)
	p.Event(ctx, id, e.Seq, "that the folder is back", func(e api.Event) bool { return e.Type == api.EventSessionPolicy })
	p.Until(ctx, id, "that a policy holds", func(s api.Session) bool { return s.Unguarded == "" })
}

func move(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}
