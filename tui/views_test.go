package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ccdir/api"
	"ccdir/tui/terminal/input"
)

// TestEscapeBeforeThePrefixKey: over a slow line both come at once. That is no Alt,
// unless that key is bound.
func TestEscapeBeforeThePrefixKey(t *testing.T) {
	for _, tt := range []struct {
		prefix byte
		in     string
		want   string
	}{
		{2, "\x1b\x02", "Escape C-b"}, {2, "\x1b\x02n\x1bb", "Escape C-b n M-b"}, {2, "\x1b\x01", "C-M-a"},
		{2, "\x1b\x1b\x02", "Escape Escape C-b"}, {2, "\x1b\x1b", "Escape Escape"}, {2, "\x1b\x1b[A", "M-Up"}, {2, "\x1b\x1bx", "Escape M-x"}, {0, "\x1b\x02", "C-M-b"}, {2, "\x1b[98;7u", "C-M-b"},
	} {
		d, got := input.Decoder{Prefix: tt.prefix}, ""
		note := func(e input.Event) {
			if k, ok := e.Event.(uv.KeyPressEvent); ok {
				got += input.KeyName(tea.Key(k)) + " "
			}
		}
		d.Feed([]byte(tt.in), note)
		d.Flush(note)
		if strings.TrimSpace(got) != tt.want {
			t.Errorf("%q with prefix %d: %s, want %s", tt.in, tt.prefix, got, tt.want)
		}
	}
}

// TestPasteWhileTheEventsHaveTheKeyboard: it goes into their filter, or nowhere,
// but never to the pane.
func TestPasteWhileTheEventsHaveTheKeyboard(t *testing.T) {
	m, _ := clientModel(t, fourSessions...)
	press(m, "C-b", "E")
	m.paste([]byte("rm -rf /"))
	press(m, "/")
	m.paste([]byte("ab\nc"))
	press(m, "Left", "x", "Enter")
	if s := m.picture().Dump(); !strings.Contains(s, "/ab xc") && !strings.Contains(s, "/abxc") && !strings.Contains(s, "/ab␊xc") {
		t.Errorf("filter:\n%s", s)
	}
	for _, v := range fourSessions {
		if got := m.queued(v.ID); got != "" {
			t.Errorf("%s got %q", v.Name, got)
		}
	}
}

// TestEmptyGridHints: without sessions the status line names what is possible.
func TestEmptyGridHints(t *testing.T) {
	m := testModel(120, 30)
	shows(t, m, "n new", ": task", "/ history", "p commands", "d detach")
	if s := m.picture().Dump(); strings.Contains(s, "x kill") || strings.Contains(s, "z zoom") {
		t.Errorf("keys for panes:\n%s", s)
	}
}

// TestPromptBarByMouse: a click in the open bar puts the cursor there, and one on
// its lists takes a row; the pane below gets nothing of it.
func TestPromptBarByMouse(t *testing.T) {
	m, _ := clientModel(t, fourSessions...)
	m.setFocus("aaaa1111")
	m.remembers("fix the tests", "write docs")
	press(m, "C-b", ":")
	m.prompt.Paste(m.env(), []byte("one 日本 two\nthree"))
	clickOn(t, m, "two")
	press(m, "X")
	clickOn(t, m, "three")
	press(m, "Y")
	if got := m.prompt.Text(); got != "one 日本 Xtwo\nYthree" || m.mode != modePrompt {
		t.Errorf("%q, mode %d", got, m.mode)
	}
	clickOn(t, m, " to api")
	clickOn(t, m, "new session")
	shows(t, m, " to a new session ")
	press(m, "C-r")
	clickOn(t, m, "fix the tests")
	if got := m.prompt.Text(); got != "fix the tests" {
		t.Errorf("%q", got)
	}
	press(m, "C-r")
	m.Update(tea.MouseWheelMsg{X: 5, Y: 38, Button: tea.MouseWheelDown})
	shows(t, m, "▸ fix the tests")
	press(m, "Escape")
	click(m, m.grid.Layout.Panes[0].X+3, 3)
	if m.mode != modePane {
		t.Error("a click on a pane does not go there")
	}
	if got := m.queued("aaaa1111"); strings.Contains(got, "X") {
		t.Errorf("the pane got %q", got)
	}
}

// TestLongNotices: a notice that is too wide for the status line begins in the row
// above, unless that asks something.
func TestLongNotices(t *testing.T) {
	m := testModel(80, 24, named("aaaa1111", "api", "working", 0))
	text := "sent 15 lines to tmux (OSC 52): it needs `set -g set-clipboard on`, or set copy_command = \"tmux load-buffer -w -\""
	m.say(text)
	shows(t, m, "sent 15 lines to tmux", "load-buffer -w -")
	m.say("short")
	shows(t, m, "short", "a task for api")
	m = askingPanes(80, 24)
	m.say(text)
	shows(t, m, "to answer: [y]es", "sent 15")
	for cols := range 4 { // no room for any of it
		m = testModel(cols, 8, named("aaaa1111", "api", "working", 0))
		m.say(text)
		m.picture()
	}
}

// TestAskBar: the bar of a session that waits names what its request takes.
func TestAskBar(t *testing.T) {
	for _, tt := range []struct {
		kind    api.RequestKind
		choices []string
		want    string
	}{
		{api.RequestPermission, nil, "C-b a to answer: [y]es [n]o [a]lways  C-b : to reply"},
		{api.RequestQuestion, []string{"red", "green"}, "C-b a to answer: [1]…[2] choose [n]o  C-b : to reply"},
	} {
		m := testModel(140, 30, fourSessions...)
		m.setFocus("bbbb2222")
		r := testRequest("r1", "bbbb2222", "Bash", `{"command":"make"}`, 0)
		r.Kind, r.Choices = tt.kind, tt.choices
		m.Requests = []api.Request{r}
		shows(t, m, tt.want)
	}
}

// TestPrefixKeyLeavesDialogs: from dialogs that hold nothing that would be lost the
// prefix key goes on to the next thing; what is being written stays.
func TestPrefixKeyLeavesDialogs(t *testing.T) {
	for _, keys := range [][]string{{"s"}, {"p"}, {"?"}, {"i"}, {"o"}, {"t"}, {"D"}, {"T"}, {"E", "i"}, {"b"}, {"x"}} {
		m, _ := clientModel(t, fourSessions...)
		m.setFocus("aaaa1111")
		press(m, append([]string{"C-b"}, keys...)...)
		if press(m, "C-b", "z"); m.overlay != nil || !m.grid.Zoomed {
			t.Errorf("%v: %T, zoomed %v", keys, m.overlay, m.grid.Zoomed)
		}
	}
	for _, keys := range [][]string{{"n"}, {","}} {
		m, _ := clientModel(t, fourSessions...)
		m.setFocus("aaaa1111")
		press(m, append([]string{"C-b"}, keys...)...)
		was := m.overlay
		if press(m, "C-b"); was == nil || m.mode == modePrefix {
			t.Errorf("%v: the prefix key leaves %T", keys, was)
		}
	}
}

// TestNoticeBesideAList: the beginning of a long notice is not hidden by a list.
func TestNoticeBesideAList(t *testing.T) {
	m := testModel(80, 24, fourSessions...)
	press(m, "C-b", "s")
	m.warn("starting: 20 of 28 sessions, 8 failed: " + strings.Repeat("a long reason ", 6) + "the end")
	shows(t, m, "starting: 20 of 28 sessions, 8 failed")
}
