package realcli

import (
	"context"
	"strings"
	"sync"
	"testing"

	"ccdir/api"
	"ccdir/test/fakeapi"
)

// TestToolsAfterRestart: after the daemon was killed a session that ran has its tools in the next turn.
func TestToolsAfterRestart(t *testing.T) {
	var mu sync.Mutex
	has := map[string]bool{}
	asked, held := make(chan struct{}), make(chan struct{})
	var once sync.Once
	script := func(_ context.Context, r fakeapi.Request) fakeapi.Reply {
		if !r.Main() {
			return fakeapi.Text("x")
		}
		mu.Lock()
		defer mu.Unlock()
		last := r.Prompt
		for _, tool := range r.Tools {
			has[last] = has[last] || strings.HasPrefix(tool, "mcp__ccdir__")
		}
		out := fakeapi.Text("answer to " + last)
		if last == "first" {
			out.Wait = held
			once.Do(func() { close(asked) })
		}
		return out
	}
	ctx, p := policed(t, "default", "[roles.dev]\nallow = [\"*\"]\n", script)
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "first")
	<-asked
	killDaemon(ctx, p)
	p.Run(ctx, "ls")
	close(held)
	p.Answered(ctx, id, "answer to first")
	for _, prompt := range []string{"second", "third"} {
		p.Run(ctx, "send", "--wait", id, prompt)
		p.Answered(ctx, id, "answer to "+prompt)
	}
	mu.Lock()
	defer mu.Unlock()
	t.Logf("%v\n%s", has, p.Dump())
	if !has["first"] || !has["second"] || !has["third"] {
		t.Errorf("turns with tools: %v", has)
	}
}
