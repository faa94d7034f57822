package tui

import (
	"context"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
	"ccdir/tui/terminal"
	"ccdir/tui/terminal/input"
	"ccdir/tui/ui"
	"ccdir/tui/underway"
)

// hungClient is a daemon that answers some calls never: they end with their context.
type hungClient struct {
	*fakeClient
	began chan string
}

func (c hungClient) hang(ctx context.Context, what string) error {
	c.began <- what
	<-ctx.Done()
	return ctx.Err()
}

func (c hungClient) RestartSession(ctx context.Context, id string) (api.Session, error) {
	return api.Session{}, c.hang(ctx, "restart "+id)
}

func (c hungClient) KillSession(ctx context.Context, id string, _ api.Kill) (api.Session, error) {
	return api.Session{}, c.hang(ctx, "kill "+id)
}

func (c hungClient) SendPrompt(ctx context.Context, id string, _ api.SendPrompt) (api.SendResult, error) {
	return api.SendResult{}, c.hang(ctx, "send "+id)
}

func (c hungClient) Snooze(ctx context.Context, id string, _ time.Duration) (api.Session, error) {
	return api.Session{}, c.hang(ctx, "snooze "+id)
}

func (c hungClient) CreateSession(ctx context.Context, n api.NewSession) (api.Session, error) {
	return api.Session{}, c.hang(ctx, "create "+n.Agent)
}

// later runs the calls of a command elsewhere; their results come by the channel.
func later(c cmd, results chan tea.Msg) {
	if c == nil {
		return
	}
	go func() {
		switch msg := c().(type) {
		case tea.BatchMsg:
			for _, c := range msg {
				later(c, results)
			}
		case underway.Over:
			results <- msg
		}
	}()
}

// TestSlowCallsShowAndCancel: what a hung daemon does not answer is shown once it takes
// long, with how long it has taken, and can be cancelled; then it is not said to have
// failed, nor to have worked.
func TestSlowCallsShowAndCancel(t *testing.T) {
	t.Parallel()
	ended := named("cccc3333", "old", api.StateExited, 2)
	m, fake := clientModel(t, named("aaaa1111", "api", api.StateInput, 0), named("bbbb2222", "web", api.StateWorking, 1), ended)
	c := hungClient{fake, make(chan string, 8)}
	m.opts.Client = c
	now := m.now()
	m.now = func() time.Time { return now }
	results := make(chan tea.Msg, 8)
	keys := func(names ...string) {
		for _, n := range names {
			_, c := m.Update(terminal.Typed{Key: &input.Key{Name: n, Press: keyOf(n), At: now}})
			later(c, results)
		}
	}
	pass := func(d time.Duration) string {
		now = now.Add(d)
		m.Update(clockMsg{m.wakeGen})
		return m.picture().Dump()
	}
	for _, tt := range []struct {
		focus, call, shown string
		keys               []string
	}{
		{"cccc3333", "restart cccc3333", "starting it again… ", []string{"C-b", "R"}},
		{"bbbb2222", "kill bbbb2222", "killing web… ", []string{"C-b", "x", "y"}},
		{"aaaa1111", "snooze aaaa1111", "putting it off… ", []string{"C-b", "Z", "1"}},
	} {
		m.setFocus(tt.focus)
		keys(tt.keys...)
		if got := <-c.began; got != tt.call {
			t.Fatalf("called %s", got)
		}
		if picture := pass(underway.Slow / 2); strings.Contains(picture, tt.shown) {
			t.Errorf("%s is shown at once", tt.shown)
		}
		if m.wakeAt.After(now.Add(underway.Slow / 2)) {
			t.Errorf("%s: nothing wakes it in time", tt.shown)
		}
		if picture := pass(underway.Slow); !strings.Contains(picture, tt.shown+"1s C-b C-c cancels") {
			t.Errorf("not shown: %s\n%s", tt.shown, picture)
		}
		if picture := pass(7 * time.Second); !strings.Contains(picture, tt.shown+"8s C-b C-c cancels") {
			t.Errorf("it stands still\n%s", picture)
		}
		keys("C-b", "C-c")
		m.Update(<-results)
		if picture := pass(0); len(m.work.Items(m.now())) != 0 || strings.Contains(picture, tt.shown) || !strings.Contains(picture, "cancelled") {
			t.Errorf("after it was cancelled: %d under way\n%s", len(m.work.Items(m.now())), picture)
		}
		pass(time.Minute)
	}

	// Of several one is chosen.
	m.setFocus("bbbb2222")
	keys("C-b", "x", "y")
	<-c.began
	m.setFocus("cccc3333")
	keys("C-b", "R")
	<-c.began
	if picture := pass(3 * time.Second); !strings.Contains(picture, "killing web… 3s and 1 more") {
		t.Errorf("two of them\n%s", picture)
	}
	keys("C-b", "C-c")
	shows(t, m, "cancel what is under way", "killing web", "starting it again", "all of it")
	keys("Down", "Enter")
	m.Update(<-results)
	if len(m.work.Items(m.now())) != 1 || m.work.Items(m.now())[0].Text != "killing web" {
		t.Errorf("left: %d", len(m.work.Items(m.now())))
	}
	keys("C-b", "C-c")
	m.Update(<-results)
	if len(m.work.Items(m.now())) != 0 {
		t.Errorf("left: %d", len(m.work.Items(m.now())))
	}
	press(m, "C-b", "C-c")
	shows(t, m, "nothing is under way")

	// A prompt on its way, of which the bar says so.
	m.setFocus("bbbb2222")
	keys("C-b", ":", "x", "Enter")
	if got := <-c.began; got != "send bbbb2222" {
		t.Fatal(got)
	}
	shows(t, m, "sending to web… (C-b C-c cancels)")
	keys("C-b", "C-c")
	for len(m.prompt.Jobs()) > 0 { // the history's files have results too
		select {
		case msg := <-results:
			m.Update(msg)
		case <-time.After(patience):
			t.Fatalf("it is not cancelled\n%s", m.picture().Dump())
		}
	}
	if m.prompt.Text() != "x" {
		t.Errorf("after it was cancelled: %q", m.prompt.Text())
	}
}

// TestCancelWhereItIsShown: the key that the status line names cancels also in the dialog
// for a new session, which holds what is typed; a dialog that takes the prefix key for
// itself does not have it named.
func TestCancelWhereItIsShown(t *testing.T) {
	t.Parallel()
	m, fake := clientModel(t, two()...)
	c := hungClient{fake, make(chan string, 8)}
	m.opts.Client = c
	m.Agents = []api.AgentInfo{{Name: "demo", Path: "/demo", Default: true}}
	now := m.now()
	m.now = func() time.Time { return now }
	results := make(chan tea.Msg, 8)
	keys := func(names ...string) {
		for _, n := range names {
			_, c := m.Update(terminal.Typed{Key: &input.Key{Name: n, Press: keyOf(n), At: now}})
			later(c, results)
		}
	}
	keys("C-b", "n", "Enter", "a", "C-b", "a")
	within(t, c.began, "the call")
	now = now.Add(2 * time.Second)
	m.Update(clockMsg{m.wakeGen})
	shows(t, m, "starting a session… 2s C-b C-c cancels")
	keys("C-c")
	if len(m.typeahead.typed) != 4 {
		t.Fatalf("held %d, C-c without the prefix key among them", len(m.typeahead.typed))
	}
	keys("C-b", "C-c")
	for len(m.work.Items(m.now())) > 0 { // the dialog asks for agents and directories as well
		m.Update(within(t, results, "the end of the call"))
	}
	if m.overlay == nil || m.overlay.waiter(ui.Nobody) != nil || len(m.typeahead.typed) != 0 {
		t.Errorf("after the key: %T, held %d", m.overlay, len(m.typeahead.typed))
	}
	keys("Escape", "C-b", "x", "y")
	within(t, c.began, "the call")
	now = now.Add(2 * time.Second)
	m.Update(clockMsg{m.wakeGen})
	shows(t, m, "killing api… 2s C-b C-c cancels")
	keys("C-b", ",")
	if picture := m.picture().Dump(); !strings.Contains(picture, "killing api… 2s") || strings.Contains(picture, "C-b C-c") {
		t.Errorf("while a name is being written:\n%s", picture)
	}
	keys("Escape", "C-b", "C-c")
	m.Update(within(t, results, "the end of the call"))
}
