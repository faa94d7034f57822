package realcli

import (
	"context"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/client"
	"ccdir/test/fakeapi"
)

// TestProductNudgedAtStop: a message that comes while the agent works is in the
// answer to its Stop hook: the turn goes on with it, once, and the session works
// until the true end.
func TestProductNudgedAtStop(t *testing.T) {
	t.Parallel()
	older := ClaudeOlder(t)
	for name, cli := range map[string]string{Version: Claude(t), Older: older} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			working, told := make(chan struct{}), make(chan struct{})
			fake := fakeapi.New(func(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
				if r.Main() && r.Prompt == "work" {
					close(working)
					return fakeapi.Reply{Blocks: []fakeapi.Block{{Text: "worked"}}, Wait: told}
				}
				if r.Main() && strings.Contains(string(r.Body), "Message 1 from person") {
					return fakeapi.Text("read the message")
				}
				return fakeapi.Echo(ctx, r)
			})
			defer fake.Close()
			p := installWith(t, Home(t, fake.URL()), cli)
			ctx := limit(t)
			id := p.New(ctx)
			p.State(ctx, id, api.StateIdle)
			p.Run(ctx, "send", id, "work")
			<-working
			p.Run(ctx, "messages", "send", id, "the tests are red")
			close(told)
			p.Event(ctx, id, 0, "the second end", func(e api.Event) bool { return e.Type == "Stop" && e.Message == "read the message" })
			p.State(ctx, id, api.StateIdle)
			events, err := p.Client.Events(ctx, client.EventFilter{Session: id})
			if err != nil {
				t.Fatal(err)
			}
			stops, rested := 0, false
			for _, e := range events {
				if e.Type == "Stop" {
					stops++
				}
				rested = rested || stops == 1 && e.StateTo == api.StateIdle
			}
			if stops != 2 || rested {
				t.Errorf("%d ends of turns, shown as idle in between: %v\n%s", stops, rested, p.Dump())
			}
		})
	}
}
