package tui

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ccdir/api"
	"ccdir/tui/terminal"
	"ccdir/tui/terminal/input"
)

// heldClient holds each delivery up until it is let go, by session.
type heldClient struct {
	*fakeClient
	let map[string]chan error
}

func newHeld(c *fakeClient, ids ...string) *heldClient {
	h := &heldClient{c, map[string]chan error{}}
	for _, id := range ids {
		h.let[id] = make(chan error)
	}
	return h
}

func (c *heldClient) SendPrompt(ctx context.Context, id string, p api.SendPrompt) (api.SendResult, error) {
	select {
	case err := <-c.let[id]:
		if err != nil {
			return api.SendResult{}, err
		}
		return c.fakeClient.SendPrompt(ctx, id, p)
	case <-ctx.Done():
		return api.SendResult{}, ctx.Err()
	}
}

// sentInOrder are the prompts in the order in which they arrived.
func (c *fakeClient) sentInOrder() (out []string) {
	for _, s := range c.noted() {
		if text, ok := strings.CutPrefix(s, "send "); ok {
			out = append(out, text)
		}
	}
	return out
}

// typedAhead is a grid whose keys are handled while calls are under way.
func typedAhead(t *testing.T, all ...api.Session) (m *model, c *heldClient, keys func(...string), write func(string), settled func()) {
	m, fake := clientModel(t, all...)
	var ids []string
	for _, v := range all {
		ids = append(ids, v.ID)
	}
	c = newHeld(fake, ids...)
	m.opts.Client = c
	start, settled := results(m)
	keys = func(names ...string) {
		for _, name := range names {
			_, next := m.Update(terminal.Typed{Key: &input.Key{Name: name, Press: keyOf(name), At: m.now()}})
			start(next)
		}
	}
	write = func(text string) {
		for _, r := range text {
			name := string(r)
			if r == ' ' {
				name = "Space"
			}
			keys(name)
		}
	}
	return m, c, keys, write, settled
}

// TestPromptsTypedAhead: a text that takes long holds up neither those for other
// sessions nor what is written next, and each gets to the session that it is for.
func TestPromptsTypedAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, c, keys, write, settled := typedAhead(t, idles()...)
		m.setFocus("aaaa1111")
		keys("C-b", ":")
		write("one")
		keys("Enter", "C-b", "2", "C-b", ":")
		write("two")
		keys("Enter", "C-b", "3", "C-b", ":")
		write("three")
		keys("Enter", "C-b", ":")
		write("draft")
		settled()
		shows(t, m, " to docs ")
		keys("Tab", "Tab") // to all idle agents
		for _, id := range []string{"cccc3333", "aaaa1111", "bbbb2222"} {
			c.let[id] <- nil
			settled()
		}
		if got := strings.Join(c.sentInOrder(), ", "); got != "cccc3333 three, aaaa1111 one, bbbb2222 two" {
			t.Errorf("sent %q", got)
		}
		if p := m.prompt; p.Text() != "draft" || !strings.Contains(m.picture().Dump(), " idle agents: ") || len(p.Jobs()) != 0 || m.mode != modePrompt {
			t.Errorf("the bar has %q, %d under way", p.Text(), len(p.Jobs()))
		}
	})
}

// TestPromptsInTurn: a session gets its texts in the order in which they were sent,
// the same text twice is two texts, and one that failed comes back for its session.
func TestPromptsInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, c, keys, write, settled := typedAhead(t, idles()...)
		m.setFocus("aaaa1111")
		for _, text := range []string{"go", "go", "last"} {
			keys("C-b", ":")
			write(text)
			keys("Enter")
		}
		settled()
		shows(t, m, "sending 3 texts: 0 of 3 sent…")
		for range 2 {
			c.let["aaaa1111"] <- nil
			settled()
		}
		if got := strings.Join(c.sentInOrder(), ", "); got != "aaaa1111 go, aaaa1111 go" || c.sent[0].ID == c.sent[1].ID {
			t.Errorf("sent %q", got)
		}
		keys("C-b", "2")
		c.let["aaaa1111"] <- api.Errorf(api.CodeConflict, "a dialog is open")
		settled()
		if !strings.Contains(m.notice.text, "not sent to api: a dialog is open") {
			t.Errorf("it says %q", m.notice.text)
		}
		keys("C-b", ":")
		shows(t, m, " to api ", "❯ last")
		keys("Enter")
		settled()
		c.let["aaaa1111"] <- nil
		settled()
		if got := c.sentInOrder(); got[len(got)-1] != "aaaa1111 last" {
			t.Errorf("sent %q", got)
		}
	})
}

// TestPromptAfterAnAnswer: the text after an answer that is on its way is a task, not
// another answer to the same request.
func TestPromptAfterAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, fake := asking(t)
		c := newHeld(fake, "aaaa1111", "bbbb2222", "cccc3333")
		m.opts.Client = c
		start, settled := results(m)
		keys := func(names ...string) {
			for _, name := range names {
				_, next := m.Update(terminal.Typed{Key: &input.Key{Name: name, Press: keyOf(name), At: m.now()}})
				start(next)
			}
		}
		keys("C-b", "2", "C-b", ":", "n", "o")
		shows(t, m, "Enter refuse with this message")
		later := m.now().Add(time.Second)
		m.now = func() time.Time { return later }
		keys("Enter", "C-b", ":", "x", "Enter")
		settled()
		go func() { c.let["bbbb2222"] <- nil }()
		settled()
		if got := strings.Join(fake.answers(), "; "); got != "answer r1 deny false no" {
			t.Errorf("answers %q", got)
		}
		if got := strings.Join(fake.sentInOrder(), "; "); got != "bbbb2222 x" {
			t.Errorf("sent %q", got)
		}
	})
}
