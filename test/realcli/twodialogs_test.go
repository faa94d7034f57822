package realcli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/test/fakeapi"
)

// requests waits until that many requests are open, and returns them.
func requests(ctx context.Context, p *Product, n int) []api.Request {
	p.t.Helper()
	var list []api.Request
	for ctx.Err() == nil {
		var err error
		if list, err = p.Client.Approvals(ctx); err != nil {
			p.t.Fatal(err)
		}
		if len(list) == n {
			return list
		}
		time.Sleep(10 * time.Millisecond) // another process
	}
	p.t.Fatalf("%d requests are open, want %d: %v\n%s", len(list), n, list, p.Dump())
	return nil
}

// TestProductTwoDialogs: two subagents ask at the same time. An answer ends the
// request that it was for, the other stays open and red with its own question.
func TestProductTwoDialogs(t *testing.T) {
	t.Parallel()
	Claude(t)
	for name, args := range variants {
		t.Run(name, func(t *testing.T) {
			fake := fakeapi.New(subagents(2))
			defer fake.Close()
			ctx := limit(t)
			p := Install(t, Home(t, fake.URL()))
			id := p.New(ctx, args...)
			p.State(ctx, id, api.StateIdle)
			p.Run(ctx, "send", id, "delegate it")
			both := requests(ctx, p, 2)
			if both[0].Subagent == both[1].Subagent || both[0].Subagent == "" {
				t.Errorf("requests of %q and %q", both[0].Subagent, both[1].Subagent)
			}
			// The CLI shows no dialog of a background agent as long as its hook waits.
			p.Run(ctx, "approve", both[0].ID)

			left := requests(ctx, p, 1)[0]
			asks := "sub-a"
			if strings.Contains(string(left.Input), "sub-b") {
				asks = "sub-b"
			}
			p.Until(ctx, id, "the question of the dialog that is left", func(s api.Session) bool { return strings.Contains(s.Question, asks) })
			if s := p.Show(ctx, id); s.State != api.StatePermission || s.AnswerInPane {
				t.Errorf("one dialog is open, and the state is %s, to be answered in the pane: %v\n%s", s.State, s.AnswerInPane, p.Dump())
			}
			p.Run(ctx, "approve", left.ID)
			requests(ctx, p, 0)
			p.State(ctx, id, api.StateIdle)
			for _, file := range []string{"sub-a", "sub-b"} {
				if _, err := os.Stat(filepath.Join(p.Place.CWD, file)); err != nil {
					t.Errorf("the tool did not run: %v", err)
				}
			}
		})
	}
}
