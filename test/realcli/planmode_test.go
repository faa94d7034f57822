package realcli

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/test/fakeapi"
)

// TestModeAfterPlan: a plan is approved with the mode in which the agent goes on. In manual mode it
// asks before it writes a file, in the others it writes it.
func TestModeAfterPlan(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		mode string
		asks bool
	}{{"", true}, {"manual", true}, {"acceptEdits", false}} {
		t.Run("mode "+tt.mode, func(t *testing.T) {
			t.Parallel()
			plan, cwd, begun := planner("# Exact zebra"), make(chan string, 1), false
			ctx, p := policed(t, "plan", "[roles.dev]\n", func(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
				switch reply := plan(ctx, r); {
				case !r.Main():
					return fakeapi.Echo(ctx, r)
				case len(reply.Blocks) > 0 && reply.Blocks[0].Tool != "":
					return reply
				case !begun:
					begun = true
					return fakeapi.Tool("Write", map[string]any{"file_path": filepath.Join(<-cwd, "made"), "content": "x"})
				}
				return fakeapi.Text("Done.")
			})
			cwd <- p.Place.CWD
			id := p.New(ctx)
			p.State(ctx, id, api.StateIdle)
			p.Run(ctx, "send", id, "plan it")
			r := requests(ctx, p, 1)[0]
			if out := p.Run(ctx, "approvals"); r.Kind != api.RequestPlan || !strings.Contains(out, "--mode manual, acceptEdits") {
				t.Fatalf("asked: %+v\n%s", r, out)
			}
			p.Run(ctx, "approve", r.ID, "--mode", tt.mode)
			if tt.asks {
				next := requests(ctx, p, 1)[0]
				if next.Tool != api.ToolWrite || next.Mode != api.ModeManual {
					t.Fatalf("it goes on with %+v\n%s", next, p.Dump())
				}
				p.Run(ctx, "approve", next.ID)
			}
			p.Event(ctx, id, 0, "Stop", hookEvent("Stop"))
			if !p.Has("made") || len(p.ledger(ctx)) == 1 == tt.asks {
				t.Errorf("the file is there: %v; asked: %v\n%s", p.Has("made"), p.ledger(ctx), p.Dump())
			}
		})
	}
}
