package realcli

import (
	"testing"

	"ccdir/api"
)

// TestProductSuspended: Ctrl-Z stops the CLI, which no shell is there to continue;
// it goes on and takes prompts.
func TestProductSuspended(t *testing.T) {
	ctx, p := product(t, nil)
	id := p.New(ctx)
	ready(ctx, p, id)
	p.Run(ctx, "keys", id, "C-z")
	p.Until(ctx, id, "that it is idle", func(s api.Session) bool { return s.State == api.StateIdle })
	p.Run(ctx, "send", "--wait", id, "hello after") // which waits for its input line
	p.Event(ctx, id, 0, "Stop", hookEvent("Stop"))
	p.Screen(ctx, id, "You said: hello after")
	p.State(ctx, id, api.StateIdle)
}
