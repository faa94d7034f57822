package realcli

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"ccdir/internal/api"
	"ccdir/internal/fakeapi"
)

// TestProductDaemonKilledInDeliveries kills the daemon at moments of deliveries,
// with a draft in the input line: each prompt reaches the API once, and the draft
// is there at the end.
func TestProductDaemonKilledInDeliveries(t *testing.T) {
	Claude(t)
	fake := fakeapi.New(nil)
	defer fake.Close()
	ctx := limit(t)
	p := Install(t, Home(t, fake.URL()))
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	const draft = "half a thought"
	p.Run(ctx, "paste", id, draft)
	inLine(ctx, p, id, draft)
	for n := range 6 {
		call := api.SendPrompt{Text: fmt.Sprintf("prompt number %d of them", n), ID: fmt.Sprint("kill-", n)}
		server, err := p.Client.Health(ctx)
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = p.Client.SendPrompt(ctx, id, call)
		}()
		time.Sleep(time.Duration(n) * 60 * time.Millisecond) // at some moment of it
		if err := syscall.Kill(server.PID, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		<-done
		p.Run(ctx, "ls") // starts the next daemon
		if _, err := p.Client.SendPrompt(ctx, id, call); err != nil {
			t.Fatalf("prompt %d again: %v\n%s", n, err, p.Dump())
		}
		p.Screen(ctx, id, "● You said: "+call.Text)
		p.State(ctx, id, api.StateIdle)
	}
	for n := range 6 {
		if got := reached(fake, fmt.Sprintf("prompt number %d of them", n)); got != 1 {
			t.Errorf("prompt %d reached the API %d times", n, got)
		}
	}
	inLine(ctx, p, id, draft)
	if reached(fake, draft) != 0 {
		t.Error("the draft was submitted")
	}
}
