package tui

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/tui/copymode"
	"ccdir/tui/paint"
	"ccdir/tui/pane"
	"ccdir/tui/widget/modal"
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
	if m.copying() == nil || !strings.Contains(m.picture().Dump(), "COPY") {
		t.Fatal("no copy mode")
	}
	if r := m.route(m.now()); r.Pane != nil {
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

// TestCopyIsWrappedAnew: when the session's screen gets another width the lines are
// wrapped for it by themselves, and cursor and selection stay where they are; what comes
// in of before has other numbers and is left out.
func TestCopyIsWrappedAnew(t *testing.T) {
	m, out := copyModel(t, 60, 12)
	p := m.panes["aaaa1111"]
	resize := func(cols int) {
		p.Show(pane.ParseStill("else", cols, 8))
		m.states["aaaa1111"] = p.State()
		m.settle()
	}
	press(m, "C-b", "[")
	c := m.copying()
	c.known, c.complete = true, false
	press(m, "g", "j", "w", "v", "e") // 日本
	for _, cols := range []int{9, 30, 5, 58} {
		resize(cols)
		if c = m.copying(); c == nil || c.cols != cols || c.st.Text() != "日本" {
			t.Fatalf("%d columns: %+v", cols, c)
		}
		if first, _ := c.st.Buf.Row(c.st.Buf.First()); cols < 7 && !first.Wrapped {
			t.Errorf("%d columns: the first row is %+v", cols, first)
		}
	}
	if !c.complete || !strings.Contains(c.note, "wrapped anew") {
		t.Errorf("older lines: %+v", c)
	}
	press(m, "y")
	if got := out.String(); got != "\x1b]52;c;5pel5pys\a" { // 日本
		t.Errorf("copied %q", got)
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
		web, _ := m.tileOf("bbbb2222")
		return tea.Mouse{X: web.inner().X + x, Y: web.inner().Y + y, Button: tea.MouseLeft}
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
	if got := out.String(); got != string(osc52("foo bar", paint.ClipboardSure)) {
		t.Errorf("copied %q", got)
	}
	// What a program with the mouse gets, too.
	m.leaveCopy("bbbb2222")
	m.panes["bbbb2222"] = pane.New(pane.Config{ID: "bbbb2222", Dialer: newFakeClient(), Report: m.inbox.pane})
	m.states["bbbb2222"] = pane.State{ID: "bbbb2222", Connected: true, Cols: 30, Rows: 12, Flags: wire.FlagMouse | wire.FlagMouseMotion}
	m.Update(tea.MouseClickMsg(at(2, 1)))
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	m.Update(tea.MouseMotionMsg(at(4, 2)))
	var last wire.MouseEvent
	for _, in := range m.panes["bbbb2222"].DiscardInput() {
		if in.Type == wire.InputMouse {
			last = in.Mouse
		}
	}
	if want := (wire.MouseEvent{X: 4, Y: 2, Button: 1, Action: wire.MouseMotion}); last != want {
		t.Errorf("the program got %+v", last)
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
	lines := make([]cells.Row, 50)
	c.st.Prepend(copymode.NewPage(-len(lines), c.cols, cells.NewTable(), lines))
	c.gotMore()
	if want := -3 * modal.WheelLines; c.st.Top != want || c.toScroll != 0 {
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

// TestFetchingIsShown: as long as the history comes for the editor, or for its first
// line, the frame says so, and any key stops it.
func TestFetchingIsShown(t *testing.T) {
	t.Parallel()
	m, _ := copyModel(t, 80, 24)
	m.suspend = func(*exec.Cmd) error { t.Error("the editor was opened"); return nil }
	press(m, "C-b", "[")
	c := m.copies["aaaa1111"]
	c.complete, c.loading = false, true // a host that does not answer
	for key, shown := range map[string]string{m.keys.Hint(keymap.CopyEditor): "fetching for the editor: ", "g": "fetching: "} {
		press(m, key)
		m.notice = notice{}
		m.now = func() time.Time { return epoch.Add(20 * time.Second) }
		if picture := m.picture().Dump(); !strings.Contains(picture, shown) || !strings.Contains(picture, "any key stops it") {
			t.Errorf("%s shows\n%s", key, picture)
		}
		press(m, "j")
		if picture := m.picture().Dump(); strings.Contains(picture, "fetching") {
			t.Errorf("%s goes on\n%s", key, picture)
		}
	}
}

// TestCopyIsLeft: q leaves at once, as the status line says; Escape clears what is
// selected or searched for first.
func TestCopyIsLeft(t *testing.T) {
	for _, doing := range [][]string{{"v", "k"}, {"?", "o", "n", "e", "Enter"}, nil} {
		m, _ := copyModel(t, 60, 12)
		do(m, append([]string{"C-b", "["}, doing...)...)
		if do(m, "q"); m.copying() != nil {
			t.Errorf("after %q: q does not leave", doing)
		}
		do(m, append([]string{"C-b", "["}, doing...)...)
		if do(m, "Escape"); (m.copying() == nil) != (doing == nil) {
			t.Errorf("after %q: Escape, %v", doing, m.copying())
		}
		if do(m, "Escape"); m.copying() != nil {
			t.Errorf("after %q: two Escapes do not leave", doing)
		}
	}
}

// TestCopyHintsAreTheKeys: the status line names the keys that were chosen.
func TestCopyHintsAreTheKeys(t *testing.T) {
	m, _ := copyModel(t, 120, 12)
	m.keys, _ = keymap.Make("", map[string][]string{"copy-leave": {"X"}, "copy-clear": {"C-g"}, "copy-editor": {}})
	do(m, "C-b", "[")
	shows(t, m, "X leave")
	if dump := m.picture().Dump(); strings.Contains(dump, "editor") {
		t.Errorf("a key that does not exist is named:\n%s", dump)
	}
	do(m, "v")
	shows(t, m, "C-g clear")
}

// TestCopyDragScrollsOn: a pointer that is held below the pane scrolls until it comes back
// or the button is let go.
func TestCopyDragScrollsOn(t *testing.T) {
	m, _ := copyModel(t, 60, 12)
	now := m.now()
	m.now = func() time.Time { return now }
	m.withStill("aaaa1111", strings.Repeat("a line\n", 59)+"the end", 58, 60)
	in := m.tiles(m.shown())[0].inner()
	at := func(y int) tea.Mouse { return tea.Mouse{X: in.X + 5, Y: in.Y + y, Button: tea.MouseLeft} }
	wait := func() int {
		before := m.copying().st.Top
		now = now.Add(scrollEvery)
		m.Update(clockMsg{m.wakeGen})
		return m.copying().st.Top - before
	}
	m.Update(tea.MouseClickMsg(at(3)))
	m.Update(tea.MouseMotionMsg(at(2)))
	if by := wait(); by != 0 {
		t.Fatalf("in the pane: scrolled by %d", by)
	}
	m.Update(tea.MouseMotionMsg(at(in.H)))
	for range 5 {
		if by := wait(); by != 1 {
			t.Fatalf("scrolled by %d", by)
		}
	}
	m.Update(tea.MouseMotionMsg(at(0)))
	if by := wait(); by != 0 {
		t.Errorf("back in the pane: scrolled by %d", by)
	}
	m.Update(tea.MouseMotionMsg(at(in.H)))
	m.Update(tea.MouseReleaseMsg(at(in.H)))
	if by := wait(); by != 0 || !m.selecting.next.IsZero() {
		t.Errorf("let go: scrolled by %d", by)
	}
}
