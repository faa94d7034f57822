package realcli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/test/fakeapi"
)

// look is a message that calls a tool of an MCP server twice. The tool only reads, so
// the CLI runs both calls, and asks for both, at the same time.
func look() fakeapi.Reply {
	var calls fakeapi.Reply
	for n := range 2 {
		calls.Blocks = append(calls.Blocks, fakeapi.Block{Tool: "mcp__asker__look", Input: map[string]any{"n": n + 1}})
	}
	return calls
}

// besideSubagent is a script whose first turn starts a subagent that asks, and asks
// itself.
func besideSubagent() fakeapi.Script {
	delegate := subagents(1)
	return func(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
		reply := delegate(ctx, r)
		if len(reply.Blocks) == 1 && reply.Blocks[0].Tool == "Agent" {
			reply.Blocks = append(reply.Blocks, bash("touch own").Blocks...)
		}
		return reply
	}
}

// TestProductAsksBesideSubagent: the end of the conversation's own dialog is not that
// of its subagent's, which the pane does not show.
func TestProductAsksBesideSubagent(t *testing.T) {
	t.Parallel()
	Claude(t)
	for name, args := range variants {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := fakeapi.New(besideSubagent())
			defer fake.Close()
			ctx := limit(t)
			p := Install(t, Home(t, fake.URL()))
			id := p.New(ctx, args...)
			p.State(ctx, id, api.StateIdle)
			p.Run(ctx, "send", id, "delegate it, and do something")
			both := requests(ctx, p, 2)
			own := slices.IndexFunc(both, func(r api.Request) bool { return r.Subagent == "" })
			if own < 0 {
				t.Fatalf("none of the requests is the conversation's own: %+v", both)
			}
			p.Run(ctx, "approve", both[own].ID)
			stop := p.Event(ctx, id, 0, "the end of the turn", hookEvent("Stop"))
			left := requests(ctx, p, 1)[0]
			if left.Subagent == "" {
				t.Fatalf("the request that is left: %+v", left)
			}
			p.Until(ctx, id, "the subagent's question", func(s api.Session) bool {
				return s.State == api.StatePermission && bytes.Equal(s.Input, left.Input)
			})
			p.Run(ctx, "approve", left.ID)
			p.Event(ctx, id, stop.Seq, "the end of the turn that it reports to", hookEvent("Stop"))
			p.State(ctx, id, api.StateIdle)
			for _, file := range []string{"own", "sub-a"} {
				if _, err := os.Stat(filepath.Join(p.Place.CWD, file)); err != nil {
					t.Errorf("the tool did not run: %v", err)
				}
			}
		})
	}
}

// lookBySubagent is a script whose first turn starts a subagent that looks.
func lookBySubagent() fakeapi.Script {
	main := fakeapi.Turns(fakeapi.Tool("Agent", map[string]any{"description": "sub a", "prompt": "you are subagent a",
		"subagent_type": "general-purpose"}), fakeapi.Text("All delegated."))
	return func(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
		switch {
		case strings.Contains(r.Prompt, "you are subagent "):
			return look()
		case !slices.Contains(r.Tools, "SubagentHandback"):
			return main(ctx, r)
		case len(r.Results) > 0 && !strings.Contains(string(r.Body), "SubagentHandback\",\"input"):
			return fakeapi.Tool("SubagentHandback", map[string]any{"message": "the subagent's answer"})
		}
		return fakeapi.Text("reported")
	}
}

// bothAsked is how long the second request may take. The CLI does not always run calls
// at the same time that could be: then it comes after the first one's end.
const bothAsked = 5 * time.Second

// TestProductParallelCalls: one agent asks for two calls of one tool at the same time.
// The answer to one of them, not that which the pane shows, leaves the other one open
// and its question asked.
func TestProductParallelCalls(t *testing.T) {
	t.Parallel()
	Claude(t)
	for who, script := range map[string]func() fakeapi.Script{
		"conversation": func() fakeapi.Script { return fakeapi.Turns(look()) }, "subagent": lookBySubagent,
	} {
		for name, args := range variants {
			t.Run(who+"/"+name, func(t *testing.T) {
				t.Parallel()
				fake := fakeapi.New(script())
				defer fake.Close()
				ctx := limit(t)
				place := Home(t, fake.URL())
				askingServer(t, &place)
				p := Install(t, place)
				id := p.New(ctx, args...)
				p.State(ctx, id, api.StateIdle)
				p.Run(ctx, "send", id, "look twice")
				p.State(ctx, id, api.StatePermission)
				open, err := p.Client.Approvals(ctx)
				for begun := time.Now(); err == nil && len(open) < 2 && time.Since(begun) < bothAsked; open, err = p.Client.Approvals(ctx) {
					time.Sleep(10 * time.Millisecond) // another process
				}
				if err != nil || len(open) == 0 {
					t.Fatalf("open requests: %v, %v\n%s", open, err, p.Dump())
				}
				slices.SortFunc(open, func(a, b api.Request) int { return b.Since.Compare(a.Since) })
				p.Run(ctx, "approve", open[0].ID)
				p.Event(ctx, id, 0, "the end of that call", hookEvent("PostToolUse"))

				left := requests(ctx, p, 1)[0]
				p.Until(ctx, id, "the dialog that is left", func(s api.Session) bool {
					return s.State == api.StatePermission && bytes.Equal(s.Input, left.Input)
				})
				p.Run(ctx, "approve", left.ID)
				requests(ctx, p, 0)
				p.State(ctx, id, api.StateIdle)
				waits := 0
				for _, state := range states(t, p, id) {
					if state == api.StatePermission {
						waits++
					}
				}
				if len(open) == 2 && waits != 1 {
					t.Errorf("it went through %v: a request was open all the while\n%s", states(t, p, id), p.Dump())
				}
				t.Logf("%d requests were open at once", len(open))
			})
		}
	}
}
