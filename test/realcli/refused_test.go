package realcli

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/test/fakeapi"
)

// blockade is something that keeps prompts out, and how it is cleared away.
type blockade struct {
	name   string
	seed   Seed
	args   []string
	script fakeapi.Script
	// reach brings the CLI there, clear leads away from it.
	reach, clear func(s *Scene)
}

// key presses keys of the session one after the other.
func press(names ...string) func(*Scene) {
	return func(s *Scene) {
		s.t.Helper()
		for _, name := range names {
			s.Quiet(guard)
			s.Type(name, "")
		}
	}
}

// dialogAfter gives a prompt after which the screen shows that text.
func dialogAfter(text string) func(*Scene) {
	return func(s *Scene) {
		s.t.Helper()
		s.Ready()
		s.Prompt("go")
		s.See(text)
	}
}

// panelOf opens a panel of the CLI's own.
func panelOf(command, text string) func(*Scene) {
	return func(s *Scene) {
		s.t.Helper()
		s.Ready()
		s.Prompt("before")
		s.Answered("● You said: before")
		s.Submit(s.ctx, command)
		s.See(text)
	}
}

var blockades = []blockade{
	{name: "trust", seed: Seed{Untrusted: true}, reach: func(s *Scene) { s.See("Enter to confirm") }, clear: func(s *Scene) {
		press("Down")(s)
		s.See("❯ Yes")
		press("Enter")(s)
	}},
	{name: "permission", args: manual, script: fakeapi.Turns(bash("touch made")), reach: dialogAfter("1. Yes"), clear: press("1")},
	{name: "permission-escape", args: manual, script: fakeapi.Turns(bash("touch made")), reach: dialogAfter("1. Yes"), clear: press("Escape")},
	{name: "question", script: fakeapi.Turns(question), reach: dialogAfter("1. Red"), clear: press("2")},
	{name: "plan", args: []string{"--permission-mode", "plan"}, script: fakeapi.Turns(fakeapi.Tool("ExitPlanMode", map[string]any{"plan": "# The plan\n\nDo it."})),
		reach: dialogAfter("1. Yes"), clear: press("Escape")},
	{name: "config", reach: panelOf("/config", "Search settings"), clear: press("Escape", "Escape")},
	{name: "model", reach: panelOf("/model", "Esc to"), clear: press("Escape")},
	{name: "resume", reach: panelOf("/resume", "Resume session"), clear: press("Escape")},
}

// hard are texts that are hard to type, each sent after another obstacle, with
// what of it must reach the API; "" is the text itself.
var hard = []struct{ text, reaches string }{
	{"plain one", ""}, {"# a heading", ""}, {"@missing.txt what is it", ""}, {"/path/like/this and more", ""},
	{"日本語 👩‍👩‍👧‍👦 é 🇩🇪", ""}, {"first\r\nsecond\r\n\tthird", "second"}, {strings.Repeat("0123456789 abcdef ", 600) + "the end", "abcdef the end"}, {" !not a shell line", "!not a shell line"},
}

// TestProductBlocked: while a dialog or panel is open a prompt is refused at once
// and nothing of it is typed; one that waits is delivered after it, once and
// unchanged.
func TestProductBlocked(t *testing.T) {
	t.Parallel()
	Claude(t)
	p := Install(t, Home(t, ""))
	p.Run(limit(t), "daemon", "start")
	t.Run("by", func(t *testing.T) {
		for i, b := range blockades {
			t.Run(b.name, func(t *testing.T) {
				t.Parallel()
				blocked(t, p.with(t), b, hard[i%len(hard)].text, hard[i%len(hard)].reaches)
			})
		}
	})
}

func blocked(t *testing.T, p *Product, b blockade, text, reaches string) {
	if reaches == "" {
		reaches = text
	}
	fake := fakeapi.New(b.script)
	defer fake.Close()
	ctx, cancel := context.WithTimeout(t.Context(), sceneLimit)
	defer cancel()
	opt := Options{Place: HomeWith(t, fake.URL(), b.seed), Args: b.args}
	l := OpenLive(ctx, t, p, opt)
	s := &Scene{Stage: l, Fake: fake, opt: opt, ctx: ctx, t: t}
	b.reach(s)
	p.Until(ctx, l.id, "waiting", func(v api.Session) bool { return v.State.NeedsPerson() })
	if _, err := p.Client.SendPrompt(ctx, l.id, api.SendPrompt{Text: "REFUSED"}); api.CodeOf(err) != api.CodeDialogOpen {
		t.Errorf("refused with %v", err)
	}
	waited := make(chan error, 1)
	go func() {
		_, err := p.Client.SendPrompt(ctx, l.id, api.SendPrompt{Text: text, Wait: true})
		waited <- err
	}()
	b.clear(s)
	if err := <-waited; err != nil {
		t.Fatalf("the one that waits: %v\n%s", err, l.Log())
	}
	if _, err := fake.Await(ctx, func(r fakeapi.Request) bool { return strings.Contains(r.Prompt, reaches) }); err != nil {
		t.Fatalf("it never reached the API\n%s\n%s", l.Text(), l.Log())
	}
	p.State(ctx, l.id, api.StateIdle)
	if n := reached(fake, reaches); n != 1 {
		t.Errorf("%.40q reached the API %d times", reaches, n)
	}
	if n := reached(fake, "REFUSED"); n != 0 || strings.Contains(l.Text(), "REFUSED") {
		t.Errorf("what was refused was typed, and reached the API %d times\n%s", n, l.Text())
	}
	if b.name == "permission" && !(&Product{Place: opt.Place}).Has("made") {
		t.Error("the tool that was allowed did not run: " + fmt.Sprint(states(t, p, l.id)))
	}
}
