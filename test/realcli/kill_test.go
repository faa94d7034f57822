package realcli

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/sessions/delivery"
	"ccdir/test/fakeapi"
)

var deliveryKills = flag.Int("delivery-kills", 6, "how often the daemon is killed in TestProductDaemonKilledInDeliveries")

// unheard is a kill after the prompt was typed, with its hook removed, so that nothing
// acknowledges it.
const unheard = "unheard"

// deliveryPoints are where the daemon is killed: the named points of a delivery, and
// ("") some moment of it. (The second Enter needs an agent that lost the first:
// daemon has one.)
var deliveryPoints = []string{delivery.PauseExpecting, delivery.PauseTyped, delivery.PauseTaken, delivery.PauseNoted, unheard, ""}

// killedIn gives a prompt to a daemon that dies at a point of its delivery. Half of
// the kills at random moments are early, half late ones.
func killedIn(ctx context.Context, p *Product, cmd *exec.Cmd, id, point string, round int, call api.SendPrompt) {
	p.t.Helper()
	calling, stop := context.WithCancel(ctx)
	defer stop()
	called := make(chan struct{})
	go func() {
		defer close(called)
		_, _ = p.Client.SendPrompt(calling, id, call)
	}()
	dead := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(dead)
	}()
	if point == "" {
		select {
		case <-time.After(time.Duration(round%7) * 60 * time.Millisecond):
		case <-called:
		}
		_ = cmd.Process.Kill()
	}
	select {
	case <-dead:
	case <-ctx.Done():
		p.t.Fatalf("the daemon did not come to %q\n%s", point, p.Dump())
	}
	stop()
	<-called
}

// TestProductDaemonKilledInDeliveries kills the daemon during deliveries to the real
// CLI, with a draft in the input line: each prompt reaches the API once, and the draft
// is there at the end and is never submitted.
func TestProductDaemonKilledInDeliveries(t *testing.T) {
	t.Parallel()
	Claude(t)
	fake := fakeapi.New(nil)
	defer fake.Close()
	p := Install(t, Home(t, fake.URL()))
	config, err := os.ReadFile(p.Paths.ConfigFile())
	if err == nil {
		err = os.WriteFile(p.Paths.ConfigFile(), append([]byte("send_timeout = \"8s\"\n"), config...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	shim := filepath.Join(p.home, "shim")
	if err := os.Symlink(p.shim, shim); err != nil {
		t.Fatal(err)
	}
	p.shim = shim
	move := func(from, to string) {
		t.Helper()
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	const draft = "half a thought"
	id := ""
	for n := range *deliveryKills {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		point := deliveryPoints[n%len(deliveryPoints)]
		spec := map[string]string{"": "-", unheard: delivery.PauseTyped}[point]
		if spec == "" {
			spec = point
		}
		cmd := p.run(spec)
		if id == "" {
			id = p.New(ctx)
			ready(ctx, p, id)
			p.Run(ctx, "paste", id, draft)
		}
		inLine(ctx, p, id, draft)
		p.State(ctx, id, api.StateIdle)
		call := api.SendPrompt{Text: fmt.Sprintf("prompt number %d of them", n), ID: fmt.Sprint("kill-", n)}
		if point == unheard {
			move(shim, shim+".away")
		}
		t.Logf("prompt %d: killed at %q", n, point)
		killedIn(ctx, p, cmd, id, point, n/len(deliveryPoints), call)
		if point == unheard {
			move(shim+".away", shim)
		}
		next := p.run("-")
		_, err := p.Client.SendPrompt(ctx, id, call)
		if point == unheard && api.CodeOf(err) == api.CodeTimeout {
			err = nil // its outcome is unknown
		}
		if err != nil {
			t.Fatalf("prompt %d, killed at %q, again: %v\n%s", n, point, err, p.Dump())
		}
		p.Screen(ctx, id, "● You said: "+call.Text)
		p.State(ctx, id, api.StateIdle)
		inLine(ctx, p, id, draft)
		_ = next.Process.Kill()
		_ = next.Wait()
		cancel()
	}
	for n := range *deliveryKills {
		if got := reached(fake, fmt.Sprintf("prompt number %d of them", n)); got != 1 {
			t.Errorf("prompt %d, killed at %q, reached the API %d times", n, deliveryPoints[n%len(deliveryPoints)], got)
		}
	}
	for _, r := range fake.Requests() {
		if r.Main() && (strings.Contains(r.Prompt, draft) || strings.Count(r.Prompt, "prompt number") > 1) {
			t.Errorf("more than one prompt was submitted at once: %q", r.Prompt)
		}
	}
}
