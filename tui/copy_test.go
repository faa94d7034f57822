package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
	"ccdir/tui/copymode/clipboard"
	"ccdir/tui/paint"
	"ccdir/tui/pane"
	"ccdir/tui/ui"
	"ccdir/wire"
)

// copyModel is a grid of one pane with text, and what it sends to the terminal.
func copyModel(t *testing.T, cols, rows int) (*model, *strings.Builder) {
	t.Helper()
	m := testModel(cols, rows, named("aaaa1111", "api", api.StateIdle, 0))
	m.withStill("aaaa1111", "one two\nfoo 日本 bar\nlast line", cols-2, rows-4)
	var out strings.Builder
	m.caps.Clipboard = paint.ClipboardSure
	m.emit = func(b []byte) { out.Write(b) }
	return m, &out
}

func TestCopyKeys(t *testing.T) {
	m, out := copyModel(t, 60, 12)
	press(m, "C-b", "[")
	if !m.copies.On(m.grid.Focus) || !strings.Contains(m.picture().Dump(), "COPY") {
		t.Fatal("no copy mode")
	}
	if r := m.route(m.now()); r.Pane != nil {
		t.Error("keys go to the pane in copy mode")
	}
	press(m, "g", "j", "w", "v", "e", "y")
	if got := out.String(); got != "\x1b]52;c;5pel5pys\a" { // 日本
		t.Errorf("copied %q", got)
	}
	if m.copies.On(m.grid.Focus) || !strings.Contains(m.notice.text, "copied 4 characters") {
		t.Errorf("after the copy: %q", m.notice.text)
	}
	m.caps.Clipboard = paint.ClipboardNone
	press(m, "C-b", "[", "y")
	if !strings.Contains(m.notice.text, "no clipboard") {
		t.Errorf("notice %q", m.notice.text)
	}
}

// TestCopyDragWhileResized: the pointer is taken for where the pane is by now, when the
// terminal gets another size while text is selected.
func TestCopyDragWhileResized(t *testing.T) {
	m := testModel(120, 40, two()...)
	m.withStill("bbbb2222", "one two\nfoo bar baz\nlast line", 30, 12)
	var out strings.Builder
	m.caps.Clipboard = paint.ClipboardSure
	m.emit = func(b []byte) { out.Write(b) }
	at := func(x, y int) tea.Mouse {
		web, _ := m.env().Tile("bbbb2222")
		return tea.Mouse{X: web.Inner().X + x, Y: web.Inner().Y + y, Button: tea.MouseLeft}
	}
	m.Update(tea.MouseClickMsg(at(0, 1)))
	m.Update(tea.MouseMotionMsg(at(1, 1)))
	before := at(0, 0)
	m.Update(tea.WindowSizeMsg{Width: 100, Height: 30})
	if at(0, 0) == before {
		t.Fatal("the pane has not moved")
	}
	m.Update(tea.MouseMotionMsg(at(6, 1)))
	m.Update(tea.MouseReleaseMsg(at(6, 1)))
	if got := out.String(); got != string(clipboard.OSC52("foo bar", paint.ClipboardSure)) {
		t.Errorf("copied %q", got)
	}
	// What a program with the mouse gets, too.
	m.copies.Leave("bbbb2222")
	m.hosts.Panes["bbbb2222"] = pane.New(pane.Config{ID: "bbbb2222", Dialer: newFakeClient(), Report: m.inbox.pane})
	m.hosts.States["bbbb2222"] = pane.State{ID: "bbbb2222", Connected: true, Cols: 30, Rows: 12, Flags: wire.FlagMouse | wire.FlagMouseMotion}
	m.Update(tea.MouseClickMsg(at(2, 1)))
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	m.Update(tea.MouseMotionMsg(at(4, 2)))
	var last wire.MouseEvent
	for _, in := range m.hosts.Panes["bbbb2222"].DiscardInput() {
		if in.Type == wire.InputMouse {
			last = in.Mouse
		}
	}
	if want := (wire.MouseEvent{X: 4, Y: 2, Button: 1, Action: wire.MouseMotion}); last != want {
		t.Errorf("the program got %+v", last)
	}
}

// TestProgramCopies: what the program in the focused pane copies is sent to the terminal once;
// what may not be is told in a line, and other panes' copies are dropped.
func TestProgramCopies(t *testing.T) {
	hello := wire.Copy{Text: "hello"}
	const sent = "\x1b]52;c;aGVsbG8=\a"
	for _, tt := range []struct {
		name       string
		change     func(*model)
		copies     wire.Copy
		sent, said string
	}{
		{"the focused pane", func(*model) {}, hello, sent, "api copied 5 characters"},
		{"another pane", func(m *model) { m.setFocus("bbbb2222") }, hello, "", ""},
		{"switched off", func(m *model) { m.opts.NoCopies = true }, hello, "", "clipboard = true in the configuration"},
		{"a node that may not", func(m *model) { m.Sessions[0].Node = "box" }, hello, "", "clipboard = true in [nodes.box]"},
		{"a node that may", func(m *model) {
			m.Sessions[0].Node = "box"
			m.Nodes = []ui.Node{{Name: "box", Links: true}}
		}, hello, sent, "copied 5 characters"},
		{"too long", func(*model) {}, wire.Copy{TooLong: true}, "", "more than programs may"},
		{"a grid that only looks", func(m *model) { m.opts.ReadOnly = true }, hello, "", ""},
	} {
		m := testModel(120, 40, named("aaaa1111", "api", api.StateIdle, 0), named("bbbb2222", "web", api.StateIdle, 0))
		m.setFocus("aaaa1111")
		tt.change(m)
		var out strings.Builder
		m.caps.Clipboard = paint.ClipboardSure
		m.emit = func(b []byte) { out.Write(b) }
		m.inbox.copied("aaaa1111", tt.copies)
		m.Update(newsMsg{m.inbox.take()})
		m.Update(newsMsg{m.inbox.take()})
		if out.String() != tt.sent {
			t.Errorf("%s: sent %q, want %q", tt.name, out.String(), tt.sent)
		}
		if said := m.notice.text; tt.said == "" && said != "" || !strings.Contains(said, tt.said) {
			t.Errorf("%s: said %q, want %q", tt.name, said, tt.said)
		}
	}
}
