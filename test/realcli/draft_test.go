package realcli

import (
	"context"
	"strings"
	"testing"
	"time"

	"ccdir/agents"
	"ccdir/agents/claude"
	"ccdir/api"
	"ccdir/test/fakeapi"
	"ccdir/wire"
)

// line is the content of the session's input line.
func line(ctx context.Context, p *Product, id string) (agents.Screen, bool) {
	p.t.Helper()
	out, err := p.Client.Output(ctx, id, wire.OutputParams{Format: wire.FormatANSI})
	if err != nil {
		p.t.Fatal(err)
	}
	return claude.Adapter{}.ReadScreen(out.Text)
}

// inLine waits until the input line holds text.
func inLine(ctx context.Context, p *Product, id, text string) {
	p.t.Helper()
	for {
		if s, ok := line(ctx, p, id); ok && s.Input == text {
			return
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			p.t.Fatalf("the input line never held %q\n%s", text, p.Dump())
		}
	}
}

// refused sends a text that must be refused.
func refused(ctx context.Context, p *Product, id, text string, want api.Code) {
	p.t.Helper()
	if _, err := p.Client.SendPrompt(ctx, id, api.SendPrompt{Text: text}); api.CodeOf(err) != want {
		p.t.Errorf("%s: %v, want %s\n%s", text, err, want, p.Dump())
	} else {
		p.t.Logf("%s: %v", text, err)
	}
}

// TestProductDraft: a user's draft in the input line is restored after a prompt, a
// command and a shell line; two drafts are too many.
func TestProductDraft(t *testing.T) {
	Claude(t)
	t.Parallel()
	fake := fakeapi.New(nil)
	defer fake.Close()
	ctx := limit(t)
	p := Install(t, Home(t, fake.URL()))
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	inLine(ctx, p, id, "") // the hook that says idle comes before the CLI takes pastes
	draft := "half a thought, 日本語\nwith a second line"
	p.Run(ctx, "paste", id, draft)
	inLine(ctx, p, id, draft)
	for _, text := range []string{"the prompt", "!echo shell-line", "/cost"} {
		send(ctx, p, id, text)
		if text == "/cost" {
			p.State(ctx, id, api.StateInput)
			p.Run(ctx, "keys", id, "Escape")
		}
		p.State(ctx, id, api.StateIdle)
		inLine(ctx, p, id, draft)
	}
	if n := reached(fake, "half a thought"); n != 0 {
		t.Errorf("the draft was submitted %d times", n)
	}
	refused(ctx, p, id, "/exit", api.CodeDraft) // the draft would be lost
	p.Run(ctx, "keys", id, "C-s")
	inLine(ctx, p, id, "")
	p.Run(ctx, "paste", id, "a second one")
	inLine(ctx, p, id, "a second one")
	refused(ctx, p, id, "no room", api.CodeDraft)
	waited := make(chan error, 1)
	go func() {
		_, err := p.Client.SendPrompt(ctx, id, api.SendPrompt{Text: "patient one", Wait: true})
		waited <- err
	}()
	p.Run(ctx, "keys", id, "Enter")
	if err := <-waited; err != nil {
		t.Error(err)
	}
	p.Screen(ctx, id, "● You said: patient one")
	for text, want := range map[string]int{"no room": 0, "a second one": 1, "patient one": 1, "half a thought": 0} {
		if n := reached(fake, text); n != want {
			t.Errorf("%q reached the API %d times, want %d", text, n, want)
		}
	}
	inLine(ctx, p, id, draft)
	// Views that cover the input line and that no status reports.
	for _, key := range []string{"C-o", "C-r"} {
		p.Run(ctx, "keys", id, key)
		for _, ok := line(ctx, p, id); ok && ctx.Err() == nil; _, ok = line(ctx, p, id) {
			time.Sleep(20 * time.Millisecond)
		}
		refused(ctx, p, id, "into "+key, api.CodeDialogOpen)
		p.Run(ctx, "keys", id, map[string]string{"C-o": "C-o", "C-r": "Escape"}[key])
		inLine(ctx, p, id, draft)
	}
}

// TestProductUnknownCommands: an unknown command is reported at once, and no other
// command runs in its place.
func TestProductUnknownCommands(t *testing.T) {
	Claude(t)
	t.Parallel()
	fake := fakeapi.New(nil)
	defer fake.Close()
	ctx := limit(t)
	p := Install(t, Home(t, fake.URL()))
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	for _, text := range []string{"/unknown", "/co", "/unknown with arguments", "/unknown\nand a line"} {
		begun := time.Now()
		refused(ctx, p, id, text, api.CodeInvalid)
		if d := time.Since(begun); d > 20*time.Second {
			t.Errorf("%s took %s", text, d)
		}
	}
	inLine(ctx, p, id, "")
	if text := p.Text(ctx, id); strings.Contains(text, "clipboard") {
		t.Errorf("another command was run:\n%s", text)
	}
	send(ctx, p, id, "still there")
	p.Screen(ctx, id, "● You said: still there")
}

// TestProductBusy: prompts, shell lines and commands are queued by the CLI while
// a turn runs, are shown, and run once each, in order; Esc runs them at once.
func TestProductBusy(t *testing.T) {
	Claude(t)
	t.Parallel()
	hold := newGate()
	defer hold.release()
	fake := fakeapi.New(func(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
		if r.Main() && strings.HasSuffix(r.Prompt, "never answered") {
			return fakeapi.Reply{Wait: hold.ch}
		}
		return compactScript(ctx, r)
	})
	defer fake.Close()
	ctx := limit(t)
	p := Install(t, Home(t, fake.URL()))
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	send(ctx, p, id, "never answered")
	p.State(ctx, id, api.StateWorking)
	// What comes before the request is taken along with it instead.
	if _, err := fake.Await(ctx, fakeapi.Request.Main); err != nil {
		t.Fatal(err)
	}
	want := []string{"first queued", "!echo shell-$((40+2))", "second queued"}
	for _, text := range append(want, "/compact") {
		if r := send(ctx, p, id, text); r.Status != "queued" {
			t.Errorf("%s: %s\n%s", text, r.Status, p.Dump())
		}
	}
	want = append(want, "/compact")
	s := p.Until(ctx, id, "the queue", func(s api.Session) bool { return len(s.QueuedPrompts) == len(want) })
	for i := range want {
		if s.QueuedPrompts[i] != want[i] {
			t.Errorf("the queue is %q", s.QueuedPrompts)
			break
		}
	}
	if s.Prompt != "never answered" {
		t.Errorf("while others wait, it shows %q as the prompt in hand", s.Prompt)
	}
	if out := p.Run(ctx, "show", id); !strings.Contains(out, "second queued") {
		t.Errorf("show:\n%s", out)
	}
	p.Run(ctx, "keys", id, "Escape")
	p.Event(ctx, id, 0, "PostCompact", hookEvent("PostCompact"))
	p.Until(ctx, id, "an empty queue", func(s api.Session) bool { return len(s.QueuedPrompts) == 0 && s.Queued == 0 })
	p.State(ctx, id, api.StateIdle)
	for _, text := range []string{"first queued", "second queued"} {
		if n := reached(fake, text); n != 1 {
			t.Errorf("%q reached the API %d times", text, n)
		}
	}
}
