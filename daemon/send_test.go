package daemon

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"ccdir/agents/claude"
	"ccdir/api"
	"ccdir/sessions/delivery"
)

// prompts are the texts of the prompts that a session took, from its hooks.
func (p *place) prompts(session string) []string {
	p.t.Helper()
	list := []string{}
	for _, e := range p.events() {
		var data struct{ Prompt string }
		if e.Session == session && e.Type == claude.HookUserPromptSubmit && json.Unmarshal(e.Data, &data) == nil {
			list = append(list, data.Prompt)
		}
	}
	return list
}

func (p *place) send(ref string, s api.SendPrompt) (r api.SendResult, err error) {
	err = p.try("POST", "/v1/sessions/"+ref+"/input", s, &r)
	return r, err
}

// TestSendToAgent drives the demo agent: first prompt, prompts while busy and in
// front of a dialog, texts that are hard to type.
func TestSendToAgent(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]string{"with status": "[agents.demo]\nargs = [\"--delay=50ms\"]\n", "hooks only": "[agents.demo]\nargs = [\"--no-psp\", \"--delay=50ms\"]\n"} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.config(config)
			p.run()
			s := p.create(api.NewSession{Agent: "demo", Prompt: "say first", Cols: 100, Rows: 30})
			until(t, "the first prompt's answer", func() bool { return strings.Contains(p.eventTypes(s.ID), claude.HookStop) })
			want := []string{"say first"}
			for _, text := range []string{"say 日本語 👩‍👩‍👧‍👦 é", "say one\nsay two\nsay three", "say " + strings.Repeat("0123456789abcdef ", 640)} {
				p.wait(s.ID, api.StateIdle)
				if r, err := p.send(s.ID, api.SendPrompt{Text: text}); err != nil || r.Status != "delivered" {
					t.Fatalf("%.20q: %+v %v", text, r, err)
				}
				want = append(want, text)
			}
			p.wait(s.ID, api.StateIdle)
			// Longer than a slow machine needs to send the next one.
			if _, err := p.send(s.ID, api.SendPrompt{Text: "think 5s"}); err != nil {
				t.Fatal(err)
			}
			p.wait(s.ID, api.StateWorking)
			if r, err := p.send(s.ID, api.SendPrompt{Text: "permit Bash ls"}); err != nil || r.Status != "queued" {
				t.Errorf("while it works: %+v %v", r, err)
			}
			want = append(want, "think 5s", "permit Bash ls")
			p.wait(s.ID, api.StatePermission)
			if _, err := p.send(s.ID, api.SendPrompt{Text: "say no"}); api.CodeOf(err) != api.CodeDialogOpen || !strings.Contains(err.Error(), ` asks "`) {
				t.Errorf("into a dialog: %v", err)
			}
			var wg sync.WaitGroup
			wg.Go(func() {
				if _, err := p.send(s.ID, api.SendPrompt{Text: "say patient", Wait: true}); err != nil {
					t.Error("patient:", err)
				}
			})
			p.call("POST", "/v1/sessions/"+s.ID+"/input/raw", api.RawInput{Keys: []string{"1"}}, nil)
			wg.Wait()
			want = append(want, "say patient")
			got := p.prompts(s.ID)
			for i := range min(len(got), len(want)) {
				// The demo agent and the log shorten long texts.
				if n := min(len(got[i]), len(want[i]), 1000); got[i][:n] != want[i][:n] {
					t.Errorf("prompt %d is %.60q, want %.60q", i, got[i], want[i])
				}
			}
			if len(got) != len(want) {
				t.Errorf("%d prompts, want %d: %.40q", len(got), len(want), got)
			}
		})
	}
}

// TestSendOnce: a repeated id types nothing, on the daemon after a kill as well.
func TestSendOnce(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.spawn()
	s := p.create(api.NewSession{Agent: "demo"})
	p.wait(s.ID, api.StateIdle)
	for i := range 5 {
		id := fmt.Sprint("id-", i)
		call := api.SendPrompt{Text: fmt.Sprintf("say number %d.", i), ID: id}
		p.wait(s.ID, api.StateIdle)
		lost := make(chan error, 1)
		go func() { _, err := p.send(s.ID, call); lost <- err }()
		// Killed at some moment of the delivery, or before or after it.
		time.Sleep(time.Duration(i*15) * time.Millisecond)
		p.kill9()
		<-lost
		p.spawn()
		for range 2 {
			if _, err := p.send(s.ID, call); err != nil {
				t.Fatal(err)
			}
		}
	}
	until(t, "the last answer", func() bool {
		return strings.Contains(p.screen(s.ID), "number 4.") && p.get(s.ID).State == api.StateIdle
	})
	counts := map[string]int{}
	for _, prompt := range p.prompts(s.ID) {
		counts[prompt]++
	}
	for i := range 5 {
		if n := counts[fmt.Sprintf("say number %d.", i)]; n != 1 {
			t.Errorf("prompt %d was taken %d times", i, n)
		}
	}
}

// TestSendUnacknowledged: an agent that does not take the prompt gets one more
// Enter, never the text again, and the caller an error.
func TestSendUnacknowledged(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.config("send_timeout = \"1s\"\n")
	p.run()
	s := p.create(api.NewSession{Agent: "claude", Argv: sh(`stty -echo raw; printf '\033[?2004h'; cat -v`)})
	if err := p.hook(s, claude.HookUserPromptSubmit, "1", hookJSON(claude.HookUserPromptSubmit, `"prompt":"before"`)); err != nil {
		t.Fatal(err)
	}
	if err := p.hook(s, claude.HookStop, "2", hookJSON(claude.HookStop, "")); err != nil {
		t.Fatal(err)
	}
	if _, err := p.send(s.ID, api.SendPrompt{Text: "into the void"}); api.CodeOf(err) != api.CodeTimeout {
		t.Errorf("got %v", err)
	}
	enters := func(want int) (text string) { // cat shows them when it gets to run
		until(t, fmt.Sprint(want, " Enters"), func() bool { text = p.screen(s.ID); return strings.Count(text, "^M") >= want })
		return text
	}
	if text := enters(2); strings.Count(text, "into the void") != 1 || strings.Count(text, "^M") != 2 {
		t.Errorf("typed: %q", text)
	}
	if types := p.eventTypes(s.ID); !strings.HasSuffix(types, "prompt") {
		t.Errorf("events: %s", types)
	}
	if u := p.get(s.ID).Undelivered; u != "into the void" {
		t.Errorf("the session is flagged with %q", u)
	}
	// Nothing shows that it was taken, and a second Enter might choose something
	// in a panel.
	_, err := p.send(s.ID, api.SendPrompt{Text: "/nothing"})
	if text := enters(3); api.CodeOf(err) != api.CodeTimeout || strings.Count(text, "^M") != 3 {
		t.Errorf("a command that leaves no trace: %v\n%s", err, text)
	}
	// The next prompt that is taken clears the flag.
	if err := p.hook(s, claude.HookUserPromptSubmit, "3", hookJSON(claude.HookUserPromptSubmit, `"prompt":"by hand"`)); err != nil {
		t.Fatal(err)
	}
	if u := p.get(s.ID).Undelivered; u != "" {
		t.Errorf("the session is still flagged with %q", u)
	}
}

// TestSendKilledAtEachPoint kills the daemon 48 times, at each point of a
// delivery, and repeats the call at the next daemon: nothing is typed twice and
// nothing is lost.
func TestSendKilledAtEachPoint(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.config("send_timeout = \"2s\"\n")
	p.spawn()
	s := p.create(api.NewSession{Agent: "demo"})
	p.wait(s.ID, api.StateIdle)
	p.kill9()
	want := map[string]bool{}
	for n := range 12 {
		for _, point := range []string{delivery.PauseExpecting, delivery.PauseTyped, delivery.PauseTaken, delivery.PauseNoted} {
			call := api.SendPrompt{Text: fmt.Sprintf("say %s %d.", point, n), ID: fmt.Sprint(point, n)}
			want[call.Text] = true
			p.spawnDying(point)
			p.wait(s.ID, api.StateIdle)
			if _, err := p.send(s.ID, call); err == nil {
				t.Fatalf("the daemon survived %s", point)
			}
			p.died()
			p.spawn()
			if _, err := p.send(s.ID, call); err != nil {
				t.Errorf("%s, again: %v", point, err)
			}
			p.wait(s.ID, api.StateIdle)
			p.kill9()
		}
	}
	p.spawn()
	counts := map[string]int{}
	for _, prompt := range p.prompts(s.ID) {
		counts[prompt]++
	}
	for text := range want {
		if counts[text] != 1 {
			t.Errorf("%q was taken %d times", text, counts[text])
		}
	}
	if len(counts) != len(want) {
		t.Errorf("%d prompts were taken: %v", len(counts), counts)
	}
}

// TestSendKilledAtTheSecondEnter: nor is the second Enter pressed again.
func TestSendKilledAtTheSecondEnter(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.config("send_timeout = \"1s\"\n")
	p.spawn()
	s := p.create(api.NewSession{Agent: "claude", Argv: sh(`stty -echo raw; printf '\033[?2004h'; cat -v`), Cols: 200, Rows: 50})
	if err := p.hook(s, claude.HookUserPromptSubmit, "1", hookJSON(claude.HookUserPromptSubmit, `"prompt":"before"`)); err != nil {
		t.Fatal(err)
	}
	if err := p.hook(s, claude.HookStop, "2", hookJSON(claude.HookStop, "")); err != nil {
		t.Fatal(err)
	}
	p.kill9()
	const kills = 4 // each takes two timeouts
	for n := range kills {
		call := api.SendPrompt{Text: fmt.Sprintf("void %d.", n), ID: fmt.Sprint("void", n)}
		p.spawnDying(delivery.PauseEnter)
		if _, err := p.send(s.ID, call); err == nil {
			t.Fatal("the daemon survived")
		}
		p.died()
		p.spawn()
		if _, err := p.send(s.ID, call); api.CodeOf(err) != api.CodeTimeout {
			t.Errorf("again: %v", err)
		}
		if n < kills-1 {
			p.kill9()
		}
	}
	var text string
	until(t, "all Enters", func() bool { text = p.screen(s.ID); return strings.Count(text, "^M") >= 2*kills })
	if strings.Count(text, "void") != kills || strings.Count(text, "^M") != 2*kills {
		t.Errorf("typed:\n%s", text)
	}
}
