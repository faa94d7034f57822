package realcli

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/test/fakeapi"
)

// parks parks a session, and waits until no process of it runs.
func parks(ctx context.Context, p *Product, id string) api.Session {
	p.t.Helper()
	p.Run(ctx, "park", id)
	v := p.Show(ctx, id)
	if v.State != api.StateParked || v.PID != 0 || v.HostPID != 0 {
		p.t.Fatalf("parked: %s, pid %d, host %d\n%s", v.State, v.PID, v.HostPID, p.Dump())
	}
	return v
}

// notParked asks for a session to be parked, which must be refused for that reason.
func notParked(ctx context.Context, p *Product, id, why string) {
	p.t.Helper()
	if _, err := p.Client.ParkSession(ctx, id); api.CodeOf(err) != api.CodeConflict || !strings.Contains(err.Error(), why) {
		p.t.Fatalf("parked: %v, want a refusal because %s\n%s", err, why, p.Dump())
	}
	if says, err := p.Client.Parking(ctx, id); err != nil || says.May || !strings.Contains(says.Why, why) {
		p.t.Errorf("told: %+v, %v", says, err)
	}
}

// TestProductPark: a parked agent goes on in its conversation, with its draft and its screen, by
// whatever needs it.
func TestProductPark(t *testing.T) {
	Claude(t)
	t.Parallel()
	fake := fakeapi.New(nil)
	defer fake.Close()
	ctx := limit(t)
	p := Install(t, Home(t, fake.URL()))
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	inLine(ctx, p, id, "")
	parks(ctx, p, id) // it was never used
	send(ctx, p, id, "the first")
	p.State(ctx, id, api.StateIdle)
	conversation := p.Show(ctx, id).Conversation
	p.Run(ctx, "paste", id, "half a thought\nin two lines")
	inLine(ctx, p, id, "half a thought\nin two lines")

	if v := parks(ctx, p, id); v.KeptDraft != "half a thought\nin two lines" || v.Answer == "" {
		t.Errorf("parked with the draft %q and the answer %q", v.KeptDraft, v.Answer)
	}
	if screen := p.Text(ctx, id); !strings.Contains(screen, "You said: the first") {
		t.Errorf("its screen:\n%s", screen)
	}
	if !strings.Contains(p.Run(ctx, "ls"), "parked") {
		t.Error("ls does not say that it is parked")
	}
	p.Run(ctx, "wait", id, "--state", "parked", "--timeout", "1s")
	p.Run(ctx, "wake", id)
	p.State(ctx, id, api.StateIdle)
	inLine(ctx, p, id, "half a thought\nin two lines")
	p.Until(ctx, id, "the draft is told to be back", func(v api.Session) bool { return v.KeptDraft == "" })
	if v := p.Show(ctx, id); v.Conversation != conversation {
		t.Errorf("it goes on in conversation %s, not %s", v.Conversation, conversation)
	}

	// A prompt wakes it, and the draft comes back behind it.
	parks(ctx, p, id)
	send(ctx, p, id, "the second")
	p.Screen(ctx, id, "● You said: the second")
	p.State(ctx, id, api.StateIdle)
	inLine(ctx, p, id, "half a thought\nin two lines")
	parks(ctx, p, id)
	p.Run(ctx, "keys", id, "C-c") // wakes it, and clears the line once the draft stands in it
	p.State(ctx, id, api.StateIdle)
	inLine(ctx, p, id, "")
	parks(ctx, p, id)
	p.Run(ctx, "send", "--later", id, "the kept one")
	p.Screen(ctx, id, "● You said: the kept one")
	p.State(ctx, id, api.StateIdle)
	for text, want := range map[string]int{"the first": 1, "the second": 1, "the kept one": 1} {
		if n := reached(fake, text); n != want {
			t.Errorf("%q was sent %d times, want %d", text, n, want)
		}
	}
	parks(ctx, p, id)
	p.Run(ctx, "kill", id)
	if v := p.Show(ctx, id); v.State != api.StateExited {
		t.Errorf("killed while it was parked: %s", v.State)
	}
}

// TestProductNotParked: an agent is left alone while it works in the background, shows a dialog, or
// has something in its input line that cannot be kept.
func TestProductNotParked(t *testing.T) {
	Claude(t)
	t.Parallel()
	fake := fakeapi.New(fakeapi.Turns(
		fakeapi.Tool("Bash", map[string]any{"command": "sleep 60", "description": "a test", "run_in_background": true}), fakeapi.Text("It runs.")))
	defer fake.Close()
	ctx := limit(t)
	p := Install(t, Home(t, fake.URL()))
	id := p.New(ctx, "--", "--allowedTools", "Bash")
	p.State(ctx, id, api.StateIdle)
	inLine(ctx, p, id, "")
	p.Run(ctx, "paste", id, strings.Repeat("line\n", 30))
	for s, ok := line(ctx, p, id); (!ok || !strings.Contains(s.Input, "[Pasted")) && ctx.Err() == nil; s, ok = line(ctx, p, id) {
		time.Sleep(20 * time.Millisecond)
	}
	notParked(ctx, p, id, "paste")
	p.Run(ctx, "keys", id, "C-u")
	inLine(ctx, p, id, "")
	send(ctx, p, id, "/cost")
	p.State(ctx, id, api.StateInput)
	notParked(ctx, p, id, "waits for an answer")
	p.Run(ctx, "keys", id, "Escape")
	p.State(ctx, id, api.StateIdle)
	inLine(ctx, p, id, "")
	send(ctx, p, id, "start it")
	p.State(ctx, id, api.StateIdle)
	notParked(ctx, p, id, "in its background")
}

// TestProductParkKilled: the daemon is killed while it parks and wakes an agent, again and again. Each
// prompt reaches the API once, the draft stands in the input line once, and nothing of the conversation
// is lost.
func TestProductParkKilled(t *testing.T) {
	Claude(t)
	fake := fakeapi.New(nil)
	defer fake.Close()
	rounds := 4
	if n, err := strconv.Atoi(os.Getenv("CCDIR_PARK_ROUNDS")); err == nil {
		rounds = n
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(60+20*rounds)*time.Second)
	defer cancel()
	p := Install(t, Home(t, fake.URL()))
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	send(ctx, p, id, "prompt number 0.")
	p.State(ctx, id, api.StateIdle)
	conversation := p.Show(ctx, id).Conversation
	draft := "a draft that stays"
	p.Run(ctx, "paste", id, draft)
	inLine(ctx, p, id, draft)
	soon := func() { time.Sleep(time.Duration(rand.IntN(400)) * time.Millisecond) } // where the daemon dies is the dice's choice
	for n := 1; n <= rounds; n++ {
		done := make(chan error, 1)
		go func() { _, err := p.Client.ParkSession(ctx, id); done <- err }()
		time.Sleep(time.Second) // it rests first
		soon()
		killDaemon(ctx, p)
		p.Run(ctx, "daemon", "start")
		t.Logf("round %d: parking ended with %v", n, <-done)
		if v := p.Until(ctx, id, "parked or idle", func(v api.Session) bool { return v.State == api.StateParked || v.State == api.StateIdle }); v.Conversation != conversation {
			t.Fatalf("round %d: conversation %s, want %s", n, v.Conversation, conversation)
		}
		text := fmt.Sprintf("prompt number %d.", n)
		sent := make(chan error, 1)
		go func() {
			_, err := p.Client.SendPrompt(ctx, id, api.SendPrompt{ID: fmt.Sprintf("drill-%d", n), Text: text, Wait: true})
			sent <- err
		}()
		soon()
		soon()
		killDaemon(ctx, p)
		p.Run(ctx, "daemon", "start")
		if err := <-sent; err != nil {
			t.Fatalf("round %d: %v\n%s", n, err, p.Dump())
		}
		p.Until(ctx, id, "the end of the turn", func(v api.Session) bool { return v.State == api.StateIdle && strings.Contains(v.Prompt, text) })
		inLine(ctx, p, id, draft)
	}
	for n := range rounds + 1 {
		if got := reached(fake, fmt.Sprintf("prompt number %d.", n)); got != 1 {
			t.Errorf("prompt %d reached the API %d times", n, got)
		}
	}
	if n := reached(fake, draft); n != 0 {
		t.Errorf("the draft was sent %d times", n)
	}
}
