package realcli

import (
	"context"
	"strings"
	"sync"
	"testing"

	"ccdir/api"
	"ccdir/test/fakeapi"
)

// TestRunTool: the real CLI uses run, and a command in the background, over the bridge;
// the streams reach the model apart and in order.
func TestRunTool(t *testing.T) {
	t.Parallel()
	const rules = "[roles.dev]\nallow = [\"mcp__ccdir__*\", \"Bash(sh *)\", \"Bash(sleep *)\"]\n"
	turns := fakeapi.Turns(
		fakeapi.Tool("mcp__ccdir__run", map[string]any{"command": "sh", "args": []string{"-c", "echo 1; echo 2 >&2; echo 3; exit 3"}}),
		fakeapi.Tool("mcp__ccdir__bash", map[string]any{"command": "sleep 600", "background": true}),
		fakeapi.Tool("mcp__ccdir__run_stop", map[string]any{"id": "run2"}),
	)
	var mu sync.Mutex
	var results strings.Builder
	ctx, p := policed(t, "default", rules, fakeapi.Connected(func(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
		mu.Lock()
		for _, text := range r.Results {
			results.WriteString(text + "\n")
		}
		mu.Unlock()
		return turns(ctx, r)
	}))
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "go")
	p.Event(ctx, id, 0, "Stop", hookEvent("Stop"))
	mu.Lock()
	defer mu.Unlock()
	for _, part := range []string{`"exit_code":3`, `"status":"running"`, `"status":"cancelled"`,
		`"output":[{"stream":"stdout","text":"1\n"},{"stream":"stderr","text":"2\n"},{"stream":"stdout","text":"3\n"}]`} {
		if !strings.Contains(results.String(), part) {
			t.Errorf("%s did not reach the model: %s", part, results.String())
		}
	}
}
