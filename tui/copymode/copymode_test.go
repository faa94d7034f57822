package copymode

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/tui/copymode/core"
	"ccdir/tui/paint"
	"ccdir/tui/pane"
	"ccdir/tui/terminal"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

const session = "aaaa1111"

// rig is one pane in copy mode, or not, and what is asked for.
type rig struct {
	Panes
	t      *testing.T
	env    ui.Env
	copied string
	typed  int // inputs for the pane
	lines  []string
	given  []string // commands that the terminal was lent to
	held   bool     // calls are kept in calls, not made
	calls  []ui.Call
}

// newRig shows text in a pane over the whole screen.
func newRig(t *testing.T, cols, rows int, text string) *rig {
	t.Helper()
	r := &rig{t: t, env: uitest.Env(cols, rows)}
	r.env.Environ = []string{"EDITOR=ed"}
	r.env.Focus = session
	r.env.Sessions = []api.Session{{ID: session, Name: "api", State: api.StateIdle}}
	p := pane.New(pane.Config{ID: session, Report: func(pane.State) {}})
	r.env.Tiles = []ui.Tile{{Session: &r.env.Sessions[0], Pane: p, Rect: paint.Rect{W: cols, H: rows - 2}, Focused: true, Number: 1}}
	r.shows(text, cols-2, rows-4)
	return r
}

// shows is what the session's screen shows.
func (r *rig) shows(text string, cols, rows int) {
	t := &r.env.Tiles[0]
	t.Pane.Show(pane.ParseStill(text, cols, rows))
	t.State = t.Pane.State()
	r.carryOut(r.Refresh(r.env))
}

func (r *rig) carryOut(effects []ui.Effect) {
	r.t.Helper()
	for _, e := range effects {
		switch e := e.(type) {
		case ui.Copy:
			r.copied += e.Text
		case ui.Say:
			r.lines = append(r.lines, e.Text)
		case ui.Warn:
			r.lines = append(r.lines, e.Text)
		case ui.Pass:
			r.typed++
		case ui.Suspend:
			if err := e.Run(context.Background(), func(c *exec.Cmd) error { r.given = append(r.given, c.Args...); return nil }); err != nil {
				r.t.Error(err)
			}
		case ui.Call:
			if r.held {
				r.calls = append(r.calls, e)
				continue
			}
			res, err := e.Run(context.Background(), nil)
			r.carryOut(r.Receive(r.env, res.Value, err))
		default:
			r.t.Errorf("unexpected effect %T", e)
		}
	}
	if len(effects) > 0 {
		r.carryOut(r.Refresh(r.env))
	}
}

// start begins copy mode and presses keys.
func (r *rig) start(keys ...string) {
	r.t.Helper()
	r.carryOut(r.Start(r.env, "["))
	r.press(keys...)
}

func (r *rig) paste(text string) {
	effects, _ := r.Paste(r.env, []byte(text))
	r.carryOut(effects)
}

func (r *rig) press(keys ...string) {
	r.t.Helper()
	for _, name := range keys {
		k := ui.Key{Name: name, At: r.env.Now}
		if c := []rune(name); len(c) == 1 {
			k.Press = tea.Key{Code: c[0], Text: name}
		}
		effects, _ := r.Key(r.env, k)
		r.carryOut(effects)
	}
}

// at is a cell of the pane's screen.
func (r *rig) at(x, y int) tea.Mouse {
	in := r.env.Tiles[0].Inner()
	return tea.Mouse{X: in.X + x, Y: in.Y + y, Button: tea.MouseLeft}
}

// drag presses at one place and lets go at another.
func (r *rig) drag(x0, y0, x1, y1 int) {
	r.carryOut(r.pressAt(r.env, r.env.Tiles[0], r.at(x0, y0)))
	r.motion(x1, y1)
	effects, _ := r.Drag(r.env, tea.MouseReleaseMsg(r.at(x1, y1)))
	r.carryOut(effects)
}

func (r *rig) motion(x, y int) {
	effects, _ := r.Drag(r.env, tea.MouseMotionMsg(r.at(x, y)))
	r.carryOut(effects)
}

// said reports whether a line of the status line has the text.
func (r *rig) said(text string) bool {
	return slices.ContainsFunc(r.lines, func(l string) bool { return strings.Contains(l, text) })
}

// Chrome and Over draw nothing but the frame.
func (r *rig) Chrome(s *paint.Surface) {
	s.Line(r.env.Tiles[0].Rect, paint.Heavy, theme.FG(r.env.Theme.Dim))
}
func (r *rig) Over(*paint.Surface) paint.Cursor { return paint.Cursor{} }

// picture is what is on the screen, with the chip and the keys below the frame.
func (r *rig) picture() string {
	t := r.env.Tiles[0]
	p := terminal.Pane{Pane: t.Pane, In: t.Inner(), Focused: true}
	foot := ""
	if v := r.Shown(r.env)[session]; v != nil {
		p.Content = Content{Theme: r.env.Theme, Tile: t, View: v}
		foot = v.Chip() + strings.Join(v.Hints(r.env.Keys), " ")
	}
	c := terminal.NewCompositor(paint.Caps{Profile: colorprofile.TrueColor})
	c.Compose(&terminal.Scene{Cols: r.env.Cols, Rows: r.env.Rows, Drawing: r, Panes: []terminal.Pane{p}}, nil)
	return c.Surface().Dump() + foot + "\n"
}

const threeLines = "one two\nfoo 日本 bar\nlast line"

func TestKeys(t *testing.T) {
	r := newRig(t, 60, 12, threeLines)
	r.start("g", "j", "w", "v", "e", "y")
	if r.copied != "日本" || r.On(session) {
		t.Errorf("copied %q, still open: %v", r.copied, r.On(session))
	}
	r.start("F5")
	if !r.said("copy mode has no key F5") {
		t.Errorf("said %q", r.lines)
	}
	r.press("9", "9", "k")
	r.copied = ""
	r.press("y")
	if r.copied != "one two\n" {
		t.Errorf("the cursor's line: %q", r.copied)
	}
}

func TestMouseAndPeek(t *testing.T) {
	r := newRig(t, 60, 12, threeLines)
	r.drag(5, 1, 500, 1) // from the second half of 日
	if r.copied != "日本 bar" {
		t.Errorf("copied %q", r.copied)
	}
	if v := r.views[session]; v == nil || !v.peek {
		t.Fatal("the selection is not shown any more")
	}
	r.press("x")
	if r.On(session) || r.typed != 1 {
		t.Errorf("a key that is typed does not lead back to the pane: %d inputs", r.typed)
	}
	r.drag(5, 1, 500, 1)
	r.press("Escape")
	if r.On(session) || r.typed != 1 {
		t.Errorf("Escape: open %v, %d inputs", r.On(session), r.typed)
	}
	r.drag(5, 1, 500, 1)
	r.paste("x")
	if r.On(session) || r.typed != 2 {
		t.Errorf("a paste: open %v, %d inputs", r.On(session), r.typed)
	}
	r.start()
	r.paste("x")
	if !r.said("this pane is in copy mode: nothing was pasted") || r.typed != 2 {
		t.Errorf("a paste in copy mode: %q, %d inputs", r.lines, r.typed)
	}
}

// TestClicks: a second click selects a word, a third one the line.
func TestClicks(t *testing.T) {
	r := newRig(t, 60, 12, threeLines)
	for _, want := range []string{"", "bar", "foo 日本 bar\n"} {
		r.copied = ""
		r.carryOut(r.pressAt(r.env, r.env.Tiles[0], r.at(10, 1)))
		effects, _ := r.Drag(r.env, tea.MouseReleaseMsg(r.at(10, 1)))
		r.carryOut(effects)
		if r.copied != want {
			t.Errorf("copied %q, want %q", r.copied, want)
		}
	}
}

// TestWrappedAnew: when the session's screen gets another width the lines are wrapped for
// it by themselves, and cursor and selection stay where they are; what comes in of before
// has other numbers and is left out.
func TestWrappedAnew(t *testing.T) {
	r := newRig(t, 60, 12, threeLines)
	r.held = true
	r.start()
	v := r.views[session]
	v.known, v.complete = true, false
	r.press("g", "j", "w", "v", "e") // 日本
	for _, cols := range []int{9, 30, 5, 58} {
		r.shows("else", cols, 8)
		if v.cols != cols || v.st.Text() != "日本" {
			t.Fatalf("%d columns: %+v", cols, v)
		}
		if first, _ := v.st.Buf.Row(v.st.Buf.First()); cols < 7 && !first.Wrapped {
			t.Errorf("%d columns: the first row is %+v", cols, first)
		}
	}
	if !v.complete || !strings.Contains(v.note, "wrapped anew") {
		t.Errorf("older lines: %+v", v)
	}
	r.press("y")
	if r.copied != "日本" {
		t.Errorf("copied %q", r.copied)
	}
}

// TestWheelBeforeHistory: turns of the wheel between the answer that tells where the
// history ends and the one with its lines are not lost.
func TestWheelBeforeHistory(t *testing.T) {
	r := newRig(t, 60, 12, threeLines)
	r.held = true
	turn := func() {
		e := r.at(0, 0)
		e.Button = tea.MouseWheelUp
		r.carryOut(r.wheel(r.env.Tiles[0], e))
	}
	r.start()
	v := r.views[session]
	turn()
	v.known = true // the screen is here, no line above it
	v.gotMore()
	turn()
	turn()
	lines := make([]cells.Row, 50)
	v.st.Prepend(core.NewPage(-len(lines), v.cols, cells.NewTable(), lines))
	v.gotMore()
	if want := -3 * modal.WheelLines; v.st.Top != want || v.toScroll != 0 {
		t.Errorf("the view is at %d, %d to come; want %d", v.st.Top, v.toScroll, want)
	}
}

// TestEnterBeforeFound: Enter pressed before the matches are known goes to the nearest one of
// the whole pattern, though one of its beginning was found before.
func TestEnterBeforeFound(t *testing.T) {
	r := newRig(t, 60, 12, "lane\nline\nlast line")
	r.start("?", "l", "a")
	r.held = true
	r.press("n", "Enter")
	r.held = false
	for _, c := range r.calls {
		r.carryOut([]ui.Effect{c})
	}
	if v := r.views[session]; v.st.Cursor != (core.Pos{}) || v.find.at != 0 {
		t.Errorf("the cursor is at %+v, match %d of %v", v.st.Cursor, v.find.at, v.find.matches)
	}
}

// TestNoConnection: without a host the screen is all there is, and the frame says so.
func TestNoConnection(t *testing.T) {
	r := newRig(t, 60, 12, threeLines)
	r.start()
	if v := r.views[session]; !v.complete || v.loading || !strings.Contains(v.note, "no connection to the host") {
		t.Errorf("%+v", v)
	}
	if picture := r.picture(); !strings.Contains(picture, "no connection to the host") {
		t.Errorf("shows\n%s", picture)
	}
}

// TestFetchingIsShown: as long as the history comes for the editor, or for its first line,
// the frame says so, and any key stops it. Without more to come the editor opens.
func TestFetchingIsShown(t *testing.T) {
	r := newRig(t, 80, 24, threeLines)
	r.held = true // a host that does not answer
	r.start()
	for key, shown := range map[string]string{r.env.Keys.Hint(keymap.CopyEditor): "fetching for the editor: ", "g": "fetching: "} {
		r.press(key)
		if picture := r.picture(); !strings.Contains(picture, shown) || !strings.Contains(picture, "any key stops it") {
			t.Errorf("%s shows\n%s", key, picture)
		}
		r.press("j")
		if picture := r.picture(); strings.Contains(picture, "fetching") {
			t.Errorf("%s goes on\n%s", key, picture)
		}
	}
	if r.given != nil {
		t.Fatalf("the editor was opened: %q", r.given)
	}
	v := r.views[session]
	r.press("E")
	v.take(nil, pane.ErrNotConnected)
	r.carryOut(r.Refresh(r.env))
	if len(r.given) == 0 || !strings.HasPrefix(r.given[2], "ed ") {
		t.Errorf("the editor: %q", r.given)
	}
}

// TestLeft: q leaves at once, as the status line says; Escape clears what is selected or
// searched for first.
func TestLeft(t *testing.T) {
	for _, doing := range [][]string{{"v", "k"}, {"?", "o", "n", "e", "Enter"}, nil} {
		r := newRig(t, 60, 12, threeLines)
		r.start(doing...)
		if r.press("q"); r.On(session) {
			t.Errorf("after %q: q does not leave", doing)
		}
		r.start(doing...)
		if r.press("Escape"); r.On(session) == (doing == nil) {
			t.Errorf("after %q: Escape, open %v", doing, r.On(session))
		}
		if r.press("Escape"); r.On(session) {
			t.Errorf("after %q: two Escapes do not leave", doing)
		}
	}
	r := newRig(t, 60, 12, threeLines)
	r.start()
	r.env.Sessions = nil
	r.carryOut(r.Refresh(r.env))
	if r.On(session) {
		t.Error("the session is gone, its view is not")
	}
}

// TestHintsAreTheKeys: the status line names the keys that were chosen.
func TestHintsAreTheKeys(t *testing.T) {
	r := newRig(t, 120, 12, threeLines)
	r.env.Keys, _ = keymap.Make("", map[string][]string{"copy-leave": {"X"}, "copy-clear": {"C-g"}, "copy-editor": {}})
	r.start()
	if hints := r.views[session].Hints(r.env.Keys); !slices.Contains(hints, "X leave") || slices.ContainsFunc(hints, func(h string) bool { return strings.Contains(h, "editor") }) {
		t.Errorf("%q", hints)
	}
	r.press("v")
	if hints := r.views[session].Hints(r.env.Keys); !slices.Contains(hints, "C-g clear") {
		t.Errorf("%q", hints)
	}
}

// TestDragScrollsOn: a pointer that is held below the pane scrolls until it comes back or
// the button is let go.
func TestDragScrollsOn(t *testing.T) {
	r := newRig(t, 60, 12, threeLines)
	r.shows(strings.Repeat("a line\n", 59)+"the end", 58, 60)
	in := r.env.Tiles[0].Inner()
	wait := func() int {
		before := r.views[session].st.Top
		r.env.Now = r.env.Now.Add(scrollEvery)
		r.carryOut(r.scrollOn(r.env))
		return r.views[session].st.Top - before
	}
	r.carryOut(r.pressAt(r.env, r.env.Tiles[0], r.at(5, 3)))
	r.motion(5, 2)
	if by := wait(); by != 0 {
		t.Fatalf("in the pane: scrolled by %d", by)
	}
	r.motion(5, in.H)
	for range 5 {
		if by := wait(); by != 1 {
			t.Fatalf("scrolled by %d", by)
		}
	}
	r.motion(5, 0)
	if by := wait(); by != 0 {
		t.Errorf("back in the pane: scrolled by %d", by)
	}
	r.motion(5, in.H)
	effects, _ := r.Drag(r.env, tea.MouseReleaseMsg(r.at(5, in.H)))
	r.carryOut(effects)
	if by := wait(); by != 0 || !r.NextWake(r.env).IsZero() {
		t.Errorf("let go: scrolled by %d", by)
	}
}

// TestDragWhileMoved: when the pane moves while text is selected, the selection begins
// anew where the pointer is.
func TestDragWhileMoved(t *testing.T) {
	r := newRig(t, 60, 12, threeLines)
	r.carryOut(r.pressAt(r.env, r.env.Tiles[0], r.at(0, 1)))
	r.motion(1, 1)
	r.env.Tiles = slices.Clone(r.env.Tiles)
	r.env.Tiles[0].Rect = paint.Rect{X: 20, Y: 3, W: 40, H: 9}
	r.motion(2, 2)
	effects, handled := r.Drag(r.env, tea.MouseClickMsg(r.at(2, 2)))
	r.carryOut(effects)
	if handled || r.Panes.press.down {
		t.Errorf("another click: handled %v, still pressed %v", handled, r.Panes.press.down)
	}
}

func TestGolden(t *testing.T) {
	for _, size := range uitest.Sizes {
		text := strings.Repeat("a line of what an agent has said, 日本 and more\n", size[1]/2) + threeLines
		name := func(what string) string { return fmt.Sprintf("%s-%dx%d", what, size[0], size[1]) }
		r := newRig(t, size[0], size[1], text)
		r.start("?", "o", "n", "e")
		uitest.Compare(t, name("find"), r.picture())
		r.press("Escape", "V", "k")
		uitest.Compare(t, name("lines"), r.picture())
		r.press("C-v", "l", "l", "j")
		uitest.Compare(t, name("block"), r.picture())
		r = newRig(t, size[0], size[1], text)
		r.drag(2, 1, 9, 2)
		uitest.Compare(t, name("peek"), r.picture())
	}
}
