package realcli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/client"
	"ccdir/test/fakeapi"
)

// reached counts the requests of turns whose prompt contains a text.
func reached(fake *fakeapi.Server, text string) (n int) {
	for _, r := range fake.Requests() {
		if r.Main() && strings.Contains(r.Prompt, text) {
			n++
		}
	}
	return n
}

// variants are the ways in which a session reports its state.
var variants = map[string][]string{
	"status":    nil,
	"no status": {"-e", api.EnvNoStatus + "=1"},
}

// TestProductDelivery sends the real CLI texts that are hard to type, and checks the
// requests at the API.
func TestProductDelivery(t *testing.T) {
	t.Parallel()
	Claude(t)
	for name, args := range variants {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := fakeapi.New(nil)
			defer fake.Close()
			ctx := limit(t)
			place := Home(t, fake.URL())
			commands := filepath.Join(place.CWD, ".claude", "commands")
			if err := os.MkdirAll(commands, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(commands, "custom.md"), []byte("the custom command with $ARGUMENTS"), 0o600); err != nil {
				t.Fatal(err)
			}
			p := Install(t, place)
			// At once after the start: it waits until input is read.
			id := p.New(ctx, append(args, "--prompt", "at once")...)
			p.Screen(ctx, id, "● You said: at once")
			long := strings.Repeat("0123456789 abcdef ", 570) + "the end"
			for text, want := range map[string]string{
				"plain one":                    "plain one",
				"# a heading, not a note":      "# a heading, not a note",
				"@missing.txt what is it":      "@missing.txt what is it",
				"/path/like/this and more":     "/path/like/this and more",
				" !not a shell command":        "!not a shell command",
				"日本語 👩‍👩‍👧‍👦 é":                "日本語 👩‍👩‍👧‍👦 é",
				"first\r\nsecond\r\n\tthird":   "second",
				"/custom args":                 "the custom command with args",
				long:                           "abcdef the end",
				"six\n2\n3\n4\n5\n6\n7\nlines": "lines",
			} {
				p.State(ctx, id, api.StateIdle)
				sent, err := p.Client.SendPrompt(ctx, id, api.SendPrompt{Text: text})
				if err != nil {
					t.Errorf("%.40q: %v\n%s", text, err, p.Dump())
					continue
				}
				p.State(ctx, id, api.StateIdle)
				if n := reached(fake, want); n != 1 {
					t.Errorf("%.40q (%s) reached the API %d times\n%s\n%s", text, sent.Status, n, p.Text(ctx, id), p.Dump())
				}
			}
		})
	}
}

// send is a prompt that must be delivered.
func send(ctx context.Context, p *Product, id, text string) api.SendResult {
	p.t.Helper()
	r, err := p.Client.SendPrompt(ctx, id, api.SendPrompt{Text: text})
	if err != nil {
		p.t.Fatalf("%.40q: %v\n%s", text, err, p.Dump())
	}
	return r
}

// TestProductCommands: the CLI's own commands, each with its own acknowledgement; a
// panel refuses prompts until it is closed.
func TestProductCommands(t *testing.T) {
	t.Parallel()
	Claude(t)
	for name, args := range variants {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := fakeapi.New(compactScript)
			defer fake.Close()
			ctx := limit(t)
			p := Install(t, Home(t, fake.URL()))
			id := p.New(ctx, args...)
			send(ctx, p, id, "before the commands")
			signed := p.State(ctx, id, api.StateIdle).Title
			if silent := args != nil; silent != strings.ContainsAny(signed, "✳◐◑") && os.Getenv("CCDIR_TEST_CLAUDE") == "" {
				t.Errorf("the title is %q: the CLI shows its sign only without a program status", signed)
			}

			send(ctx, p, id, "/cost")
			asked := p.State(ctx, id, api.StateInput)
			if !strings.Contains(asked.Question, "panel") {
				t.Errorf("the panel asks %q", asked.Question)
			}
			if _, err := p.Client.SendPrompt(ctx, id, api.SendPrompt{Text: "lost in the panel"}); api.CodeOf(err) != api.CodeDialogOpen {
				t.Errorf("into a panel: %v", err)
			}
			waited := make(chan error, 1)
			go func() {
				_, err := p.Client.SendPrompt(ctx, id, api.SendPrompt{Text: "patient one", Wait: true})
				waited <- err
			}()
			p.Run(ctx, "keys", id, "Escape")
			if err := <-waited; err != nil {
				t.Errorf("after the panel: %v\n%s", err, p.Dump())
			}
			p.Screen(ctx, id, "● You said: patient one")
			p.State(ctx, id, api.StateIdle)
			send(ctx, p, id, "!echo shell-$((40+2))")
			p.Screen(ctx, id, "shell-42")
			p.State(ctx, id, api.StateIdle)
			send(ctx, p, id, "/compact")
			p.Event(ctx, id, 0, "PostCompact", hookEvent("PostCompact"))
			p.State(ctx, id, api.StateIdle)
			send(ctx, p, id, "/clear")
			send(ctx, p, id, "after the commands")
			p.Screen(ctx, id, "● You said: after the commands")
			if n := reached(fake, "lost in the panel"); n != 0 {
				t.Error("what was refused was typed")
			}
			send(ctx, p, id, "/exit")
			p.State(ctx, id, api.StateExited)
		})
	}
}

// TestProductEscape: Esc in each situation in which hooks are silent, and a prompt
// after it that contains nothing of the old one.
func TestProductEscape(t *testing.T) {
	t.Parallel()
	Claude(t)
	for name, args := range variants {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hold := newGate()
			defer hold.release()
			fake := fakeapi.New(func(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
				if r.Main() && strings.HasSuffix(r.Prompt, "never answered") {
					return fakeapi.Reply{Wait: hold.ch}
				}
				return fakeapi.Echo(ctx, r)
			})
			defer fake.Close()
			ctx := limit(t)
			p := Install(t, Home(t, fake.URL()))
			id := p.New(ctx, args...)
			p.State(ctx, id, api.StateIdle)
			send(ctx, p, id, "one\ntwo\nnever answered")
			p.State(ctx, id, api.StateWorking)
			p.Screen(ctx, id, "esc to interrupt")
			start := time.Now()
			p.Run(ctx, "keys", id, "Escape")
			p.State(ctx, id, api.StateIdle)
			t.Logf("idle %s after Escape", time.Since(start))
			r := send(ctx, p, id, "the next one")
			if r.Status != "delivered" {
				t.Errorf("status %q", r.Status)
			}
			p.Screen(ctx, id, "● You said: the next one")
			if n := reached(fake, "the next one"); n != 1 {
				t.Errorf("%d times\n%s", n, p.Text(ctx, id))
			}
			for _, q := range fake.Requests() {
				if strings.Contains(q.Prompt, "the next one") && strings.Contains(q.Prompt, "two") {
					t.Errorf("the old prompt was sent with the new one: %q", q.Prompt)
				}
			}
			events, err := p.Client.Events(ctx, client.EventFilter{Session: id})
			if err != nil {
				t.Fatal(err)
			}
			changes := 0
			for _, e := range events {
				if e.StateFrom != e.StateTo {
					changes++
				}
			}
			// starting, idle, working, idle, working, perhaps idle again
			if changes > 6 {
				t.Errorf("the state flapped: %v", states(t, p, id))
			}
		})
	}
}
