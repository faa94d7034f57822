package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"ccdir/internal/api"
	"ccdir/internal/grid"
	"ccdir/tui/copymode"
	"ccdir/tui/paint"
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
	if m.copying() == nil || !strings.Contains(m.picture().Dump(), "COPY") {
		t.Fatal("no copy mode")
	}
	if r := m.route(m.now()); r.pane != nil {
		t.Error("keys go to the pane in copy mode")
	}
	press(m, "g", "j", "w", "v", "e", "y")
	if got := out.String(); got != "\x1b]52;c;5pel5pys\a" { // 日本
		t.Errorf("copied %q", got)
	}
	if m.copying() != nil || !strings.Contains(m.notice.text, "copied 4 characters") {
		t.Errorf("after the copy: %+v %q", m.copying(), m.notice.text)
	}
	m.caps.Clipboard = paint.ClipboardNone
	press(m, "C-b", "[", "y")
	if !strings.Contains(m.notice.text, "no clipboard") {
		t.Errorf("notice %q", m.notice.text)
	}
}

func TestCopyMouseAndPeek(t *testing.T) {
	m, out := copyModel(t, 60, 12)
	in := m.tiles(m.shown())[0].inner()
	at := func(x, y int) tea.Mouse { return tea.Mouse{X: in.X + x, Y: in.Y + y, Button: tea.MouseLeft} }
	m.Update(tea.MouseClickMsg(at(5, 1))) // the second half of 日
	m.Update(tea.MouseMotionMsg(at(500, 1)))
	m.Update(tea.MouseReleaseMsg(at(500, 1)))
	if got := out.String(); got != string(osc52("日本 bar", paint.ClipboardSure)) {
		t.Errorf("copied %q", got)
	}
	if c := m.copying(); c == nil || !c.peek {
		t.Fatal("the selection is not shown any more")
	}
	press(m, "x")
	if m.copying() != nil {
		t.Error("a key that is typed does not lead back to the pane")
	}
}

// TestCopyWheelBeforeHistory: turns of the wheel between the answer that tells where
// the history ends and the one with its lines are not lost.
func TestCopyWheelBeforeHistory(t *testing.T) {
	m, _ := copyModel(t, 60, 12)
	in := m.tiles(m.shown())[0].inner()
	turn := func() { m.Update(tea.MouseWheelMsg{X: in.X, Y: in.Y, Button: tea.MouseWheelUp}) }
	press(m, "C-b", "[")
	c := m.copying()
	c.known, c.complete, c.toScroll = false, false, 0
	turn()
	c.known = true // the screen is here, no line above it
	c.gotMore()
	turn()
	turn()
	lines := make([]grid.Row, 50)
	c.st.Prepend(copymode.NewPage(-len(lines), c.cols, grid.NewTable(), lines))
	c.gotMore()
	if want := -3 * wheelLines; c.st.Top != want || c.toScroll != 0 {
		t.Errorf("the view is at %d, %d to come; want %d", c.st.Top, c.toScroll, want)
	}
}

func TestOSC52ForScreen(t *testing.T) {
	seq := string(osc52(strings.Repeat("x", 2000), paint.ClipboardScreen))
	var inner strings.Builder
	for _, part := range strings.SplitAfter(seq, "\x1b\\") {
		if part == "" {
			continue
		}
		body, ok := strings.CutPrefix(strings.TrimSuffix(part, "\x1b\\"), "\x1bP")
		if !ok || len(part) > 768 {
			t.Fatalf("a part of %d bytes: %.20q", len(part), part)
		}
		inner.WriteString(body)
	}
	if inner.String() != string(osc52(strings.Repeat("x", 2000), paint.ClipboardMaybe)) {
		t.Error("the parts are not the whole")
	}
}

func TestCopyCommand(t *testing.T) {
	file := t.TempDir() + "/copied"
	if err := runCopy(t.Context(), "cat >"+file, []string{"PATH=/usr/bin:/bin"}, "text\n"); err != nil {
		t.Fatal(err)
	}
	if err := runCopy(t.Context(), "echo no display >&2; exit 3", []string{"PATH=/usr/bin:/bin"}, "x"); err == nil || !strings.Contains(err.Error(), "no display") {
		t.Errorf("error %v", err)
	}
}

func TestGoldenCopy(t *testing.T) {
	m, _ := copyModel(t, 60, 12)
	press(m, "C-b", "[", "?", "o", "n", "e")
	golden(t, "copy-find-60x12", m.picture().Dump())
	press(m, "Escape", "V", "k")
	golden(t, "copy-select-60x12", m.picture().Dump())
}
