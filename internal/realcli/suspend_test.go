package realcli

import (
	"testing"

	"ccdir/internal/api"
	"ccdir/internal/fakeapi"
)

// TestProductSuspended: Ctrl-Z stops the CLI, which no shell is there to continue;
// it goes on and takes prompts.
func TestProductSuspended(t *testing.T) {
	t.Parallel()
	Claude(t)
	fake := fakeapi.New(nil)
	defer fake.Close()
	ctx := limit(t)
	p := Install(t, Home(t, fake.URL()))
	id := p.New(ctx)
	ready(ctx, p, id)
	p.Run(ctx, "keys", id, "C-z")
	p.Until(ctx, id, "that it is idle", func(s api.Session) bool { return s.State == api.StateIdle })
	p.Run(ctx, "send", id, "hello after")
	p.Event(ctx, id, 0, "Stop", hookEvent("Stop"))
	p.Screen(ctx, id, "You said: hello after")
	p.State(ctx, id, api.StateIdle)
}
