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
	"ccdir/tui/ui"
	"ccdir/wire"
)

// slowStart holds the start of each session up until it is let go.
type slowStart struct {
	*fakeClient
	let chan error
}

func (c *slowStart) CreateSession(ctx context.Context, n api.NewSession) (api.Session, error) {
	if err := <-c.let; err != nil {
		return api.Session{}, err
	}
	return c.fakeClient.CreateSession(ctx, n)
}

// startingGrid is a grid in which sessions take long to start.
func startingGrid(t *testing.T) (m *model, c *slowStart, keys func(...string), let func(error)) {
	m, fake := clientModel(t, two()...)
	c = &slowStart{fake, make(chan error)}
	m.opts.Client = c
	m.Agents = []api.AgentInfo{{Name: "demo", Path: "/demo", Default: true}}
	start, settled := results(m)
	at := m.now()
	m.now = func() time.Time { return at }
	keys = func(names ...string) {
		for _, name := range names {
			at = at.Add(time.Millisecond)
			m.router.NoteInput(at)
			_, next := m.Update(terminal.Typed{Key: &input.Key{Name: name, Press: keyOf(name), At: at}})
			start(next)
		}
	}
	let = func(err error) {
		c.let <- err
		settled()
	}
	return m, c, keys, let
}

// endPanes ends those that were started.
func (m *model) endPanes() {
	for id, p := range m.hosts.Panes {
		if strings.HasPrefix(id, "new") {
			p.Close()
		}
	}
}

// typed is what the host of a session got.
func (c *fakeClient) typed(id string) string {
	synctest.Wait()
	var out []string
	c.host(id).seen(func(h *fakeHost) bool {
		for _, in := range h.inputs {
			if in.Type == wire.InputKey || in.Type == wire.InputPaste {
				out = append(out, string(in.Text))
			}
		}
		return true
	})
	return strings.Join(out, " ")
}

// TestTypedWhileASessionStarts: what is typed after Enter in the dialog is for the new
// session, also the keys of ccdir and another dialog; nothing of it reaches another one.
func TestTypedWhileASessionStarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, c, keys, let := startingGrid(t)
		m.setFocus("aaaa1111")
		keys("C-b", "n", "Enter", "l", "s", "Enter")
		m.Update(terminal.Typed{Paste: []byte("pasted")})
		keys("C-b", "n", "Enter", "x")
		let(nil)
		if m.grid.Focus != "new00001" || m.overlay.waiter(ui.Nobody) == nil {
			t.Errorf("focus %q, overlay %T", m.grid.Focus, m.overlay)
		}
		let(nil)
		if m.grid.Focus != "new00002" || m.overlay != nil || len(m.typeahead.typed) != 0 {
			t.Errorf("focus %q, overlay %T, held %d", m.grid.Focus, m.overlay, len(m.typeahead.typed))
		}
		for id, want := range map[string]string{"new00001": "l s Enter pasted", "new00002": "x"} {
			if got := c.typed(id); got != want {
				t.Errorf("%s got %q, not %q", id, got, want)
			}
		}
		if got := m.queued("aaaa1111"); got != "" {
			t.Errorf("the session before got %q", got)
		}
		m.endPanes()
	})
}

// TestTypedForASessionThatDoesNotStart: nobody gets it.
func TestTypedForASessionThatDoesNotStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, c, keys, let := startingGrid(t)
		m.setFocus("aaaa1111")
		keys("C-b", "n", "Enter", "y")
		let(api.Errorf(api.CodeInvalid, "no such directory"))
		shows(t, m, "no such directory")
		keys("Enter", "1", "Escape") // not waited for any more
		keys("z")
		let(nil)
		if len(c.created) != 1 || m.grid.Focus != "aaaa1111" || len(m.typeahead.typed) != 0 || !strings.Contains(m.notice.text, "has started; C-b f goes to it") {
			t.Errorf("created %d, focus %q, held %d, notice %q", len(c.created), m.grid.Focus, len(m.typeahead.typed), m.notice.text)
		}
		if got := m.queued("aaaa1111"); got != "z" {
			t.Errorf("the other one got %q", got)
		}
		m.endPanes()
	})
}

// TestFocusStaysWhereOneTypes: a session that the prompt bar started gets the focus
// unless something was typed meanwhile.
func TestFocusStaysWhereOneTypes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, _, keys, let := startingGrid(t)
		m.setFocus("aaaa1111")
		send := func() {
			keys("C-b", ":", "Tab")
			keys("g", "o", "Enter")
		}
		send()
		let(nil)
		if m.grid.Focus != "new00001" {
			t.Errorf("focus %q", m.grid.Focus)
		}
		m.setFocus("aaaa1111")
		send()
		keys("y")
		let(nil)
		if got := m.queued("aaaa1111"); got != "y" || m.grid.Focus != "aaaa1111" {
			t.Errorf("focus %q, typed %q", m.grid.Focus, got)
		}
		m.endPanes()
	})
}

// slowAnswer holds each answer up until it is let go.
type slowAnswer struct {
	*fakeClient
	let chan error
}

func (c *slowAnswer) Answer(ctx context.Context, id string, a api.Answer) (api.Decision, error) {
	if err := <-c.let; err != nil {
		return api.Decision{}, err
	}
	return c.fakeClient.Answer(ctx, id, a)
}

// answeringGrid is a grid in which answers take long, and one is under way.
func answeringGrid(t *testing.T) (m *model, c *slowAnswer, keys func(...string), let func(error)) {
	m, fake := asking(t)
	c = &slowAnswer{fake, make(chan error)}
	m.opts.Client = c
	start, settled := results(m)
	keys = func(names ...string) {
		for _, name := range names {
			_, next := m.Update(terminal.Typed{Key: &input.Key{Name: name, Press: keyOf(name), At: m.now()}})
			start(next)
		}
	}
	let = func(err error) {
		c.let <- err
		settled()
	}
	keys("C-b", "2", "C-b", "a", "y")
	shows(t, m, "answering…")
	return m, c, keys, let
}

// TestTypedWhileAnAnswerIsSent: what is typed behind an answer is for the pane, whole,
// and another y by a hand that shakes is for nobody.
func TestTypedWhileAnAnswerIsSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, c, keys, let := answeringGrid(t)
		keys("y", "h", "a", "y")
		if got := m.queued("bbbb2222"); got != "" {
			t.Errorf("before: %q", got)
		}
		let(nil)
		if got := m.queued("bbbb2222"); got != "h a y" || m.overlay != nil || len(c.answers()) != 1 {
			t.Errorf("typed %q, overlay %T, answers %q", got, m.overlay, c.answers())
		}
	})
}

// TestAnswerBarCanBeLeft: an answer that takes long holds the keyboard up no longer than
// the person wants, and what was typed for what does not come reaches nobody.
func TestAnswerBarCanBeLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, c, keys, let := answeringGrid(t)
		keys("h", "C-b", "1")
		if m.grid.Focus != "aaaa1111" || m.overlay != nil || m.mode != modePane {
			t.Errorf("focus %q, overlay %T", m.grid.Focus, m.overlay)
		}
		let(nil)
		if got := m.queued("aaaa1111") + m.queued("bbbb2222"); got != "" || len(c.answers()) != 1 || !strings.Contains(m.notice.text, "web: Bash approved") {
			t.Errorf("typed %q, answers %q, notice %q", got, c.answers(), m.notice.text)
		}
		m, _, keys, let = answeringGrid(t)
		keys("Escape")
		if m.overlay != nil {
			t.Errorf("overlay %T", m.overlay)
		}
		let(nil)
		m, _, keys, let = answeringGrid(t)
		keys("h", "1")
		let(api.Errorf(api.CodeUnavailable, "no daemon"))
		shows(t, m, "no daemon")
		if keys("Escape", "x"); m.queued("bbbb2222") != "x" || len(m.typeahead.typed) != 0 {
			t.Errorf("held %d", len(m.typeahead.typed))
		}
	})
}
