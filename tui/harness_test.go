package tui

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/tui/known"
	"ccdir/tui/paint"
	"ccdir/tui/pane"
	"ccdir/tui/terminal"
	"ccdir/tui/terminal/input"
	"ccdir/tui/ui"
	"ccdir/wire"
)

// keyOf is a key press by its name.
func keyOf(name string) tea.Key {
	if name == "Space" {
		return tea.Key{Code: ' ', Text: " "}
	}
	if r, n := utf8.DecodeRuneInString(name); n == len(name) {
		return tea.Key{Code: unicode.ToLower(r), Text: name}
	}
	for code := tea.KeyUp; code < tea.KeyF1; code++ {
		if input.KeyName(tea.Key{Code: code}) == name {
			return tea.Key{Code: code}
		}
	}
	for _, code := range []rune{tea.KeyEnter, tea.KeyEscape, tea.KeyTab, tea.KeyBackspace} {
		if input.KeyName(tea.Key{Code: code}) == name {
			return tea.Key{Code: code}
		}
	}
	var k tea.Key
	rest := name
	for len(rest) > 2 && rest[1] == '-' {
		k.Mod |= map[byte]tea.KeyMod{'C': tea.ModCtrl, 'M': tea.ModAlt, 'S': tea.ModShift}[rest[0]]
		rest = rest[2:]
	}
	k.Code, _ = utf8.DecodeRuneInString(rest)
	return k
}

// clientModel is a model with a fake client whose panes don't run: what is sent
// to them stays in their queues.
func clientModel(t *testing.T, sessions ...api.Session) (*model, *fakeClient) {
	t.Helper()
	c := newFakeClient(sessions...)
	m := testModel(120, 40)
	for _, v := range sessions {
		m.hosts.Panes[v.ID] = pane.New(pane.Config{ID: v.ID, Dialer: c, Report: m.inbox.pane})
		m.hosts.States[v.ID] = pane.State{ID: v.ID, Connected: true, Cols: 80, Rows: 24}
	}
	m.Loaded = false
	m.take(news{News: known.News{Snapshot: &api.Snapshot{Sessions: sessions}}})
	m.settle()
	m.drain()
	m.opts.Client, m.out = c, nil
	return m, c
}

// drain empties the queues of all panes.
func (m *model) drain() {
	for _, p := range m.hosts.Panes {
		p.DiscardInput()
	}
}

// queued are the inputs that wait for a pane.
func (m *model) queued(id string) string {
	var out []string
	for _, in := range m.hosts.Panes[id].DiscardInput() {
		switch in.Type {
		case wire.InputKey, wire.InputRaw, wire.InputPaste:
			out = append(out, string(in.Text))
		case wire.InputMouse:
			out = append(out, "mouse")
		}
	}
	return strings.Join(out, " ")
}

// perform runs a command and what follows from it. The model of a test has
// neither clocks nor waits (testModel).
func perform(m *model, c cmd) {
	if c == nil {
		return
	}
	switch msg := c().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			perform(m, c)
		}
	case nil, tea.QuitMsg:
	default:
		_, c := m.Update(msg)
		perform(m, c)
	}
}

// caused are the commands that f causes.
func caused(m *model, f func()) cmd {
	m.out = nil
	f()
	return m.out.Take()
}

// do presses keys and carries out what they start.
func do(m *model, names ...string) {
	for _, n := range names {
		_, c := m.Update(terminal.Typed{Key: &input.Key{Name: n, Press: keyOf(n), At: m.now()}})
		perform(m, c)
	}
}

// shows fails unless all parts are on the screen.
func shows(t *testing.T, m *model, parts ...string) {
	t.Helper()
	dump := m.picture().Dump()
	for _, p := range parts {
		if !strings.Contains(dump, p) {
			t.Errorf("%q is not on the screen:\n%s", p, dump)
		}
	}
}

// testModel is a model without a client at a fixed time.
func testModel(cols, rows int, sessions ...api.Session) *model {
	k, _ := keymap.Make("", nil)
	m := newModel(Options{Dir: "/repo/project", Env: []string{"HOME=/home/me"}}, k)
	m.now = func() time.Time { return epoch.Add(3 * time.Minute) }
	m.wait = func(cmd) cmd { return nil }
	m.cols, m.rows = cols, rows
	m.sidebar = m.sidebar.Show(false, true) // tests of the column show it
	m.Agents = newFakeClient().agents
	m.take(news{News: known.News{Snapshot: &api.Snapshot{Sessions: sessions}}})
	m.settle()
	m.out = nil
	return m
}

// press presses keys; what they start is not carried out (do does that).
func press(m *model, names ...string) {
	for _, n := range names {
		m.Update(terminal.Typed{Key: &input.Key{Name: n, Press: keyOf(n), At: m.now()}})
	}
}

// typeIn types text into whatever has the keyboard.
func typeIn(m *model, text string) {
	for text != "" {
		n, _ := paint.Next(text)
		c := text[:n]
		text = text[n:]
		_, cmd := m.Update(terminal.Typed{Key: &input.Key{Name: map[string]string{" ": "Space"}[c] + map[bool]string{true: c}[c != " "], Press: tea.Key{Code: []rune(c)[0], Text: c}, At: m.now()}})
		perform(m, cmd)
	}
}

// calledFor are the calls that begin with a word.
func calledFor(c *fakeClient, word string) (out []string) {
	for _, call := range c.noted() {
		if strings.HasPrefix(call, word) {
			out = append(out, call)
		}
	}
	slices.Sort(out)
	return out
}

// within is what comes from ch.
func within[T any](t *testing.T, ch chan T, what string) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(patience):
		t.Fatalf("%s did not come", what)
		panic("unreachable")
	}
}

// remembers puts texts into the history of the prompt bar, the newest last.
func (m *model) remembers(all ...string) {
	for _, text := range all {
		m.prompt.Receive(m.env(), ui.Remember{Text: text}, nil)
	}
}

// recalled are the texts of the history, the newest first.
func (m *model) recalled() (all []string) {
	p := m.prompt
	env := m.env()
	env.Writing = true
	p.Open(env, false, nil)
	for last := ""; ; last = p.Text() {
		p.Key(env, input.Key{Name: "Up", At: env.Now})
		if p.Text() == last {
			return all
		}
		all = append(all, p.Text())
	}
}
