package tui

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"

	"ccdir/internal/keymap"
	"ccdir/tui/dialogs/palette"
	"ccdir/tui/known"
	"ccdir/tui/lists"
	"ccdir/tui/lists/chooser"
	"ccdir/tui/terminal"
)

// list is the list of sessions, which has the keyboard.
func list(t *testing.T, m *model) lists.Dialog {
	t.Helper()
	d, ok := m.front().(lists.Dialog)
	if !ok || d.Chip() != "LIST" {
		t.Fatalf("the list is not open: %T", m.overlay)
	}
	return d
}

func TestSessionList(t *testing.T) {
	m := workPanes(120, 40)
	press(m, "C-b", "s")
	if list(t, m).View.ID != "bbbb2222" {
		t.Errorf("chosen at first: %s", list(t, m).View.ID)
	}
	press(m, "j", "j", "j", "j", "k")
	if list(t, m).View.ID != "dddd4444" && list(t, m).View.ID != "aaaa1111" {
		t.Errorf("moved to %s", list(t, m).View.ID)
	}
	// A chosen session that goes away is replaced; the list stays.
	m.take(news{News: known.News{Removed: map[string]bool{list(t, m).View.ID: true}}})
	press(m, "j")
	press(m, "/", "d", "o", "c")
	if d := list(t, m); d.View.ID != "cccc3333" || !d.View.Typing {
		t.Errorf("filtered: %+v", d)
	}
	press(m, "Enter")
	if d := list(t, m); d.View.Typing || d.View.Query.String() != "doc" {
		t.Errorf("Enter does not keep the filter: %+v", d.View)
	}
	press(m, "Space", "Escape") // the filter goes, the mark stays
	if d := list(t, m); !d.View.Query.Empty() || !strings.Contains(m.picture().Dump(), " 1 marked") {
		t.Errorf("Escape after a mark: %+v", d.View)
	}
	press(m, "Escape", "/", "d", "o", "c", "Enter", "Enter")
	if m.overlay != nil || m.grid.Focus != "cccc3333" {
		t.Errorf("the second Enter: %T, focus %s", m.overlay, m.grid.Focus)
	}
	press(m, "C-b", "s", "o", "g")
	if m.sidebar.List().Sort != "name" || !m.sidebar.List().Group {
		t.Errorf("order and groups: %+v", m.sidebar.List())
	}
	press(m, "/", "w", "e", "b", "Enter", "h")
	if !m.grid.Hidden()["bbbb2222"] {
		t.Error("h does not hide")
	}
	press(m, "r")
	shows(t, m, "rename web", "New name:")
	press(m, "Escape")
	if list(t, m).View.ID != "bbbb2222" {
		t.Error("after renaming the list is not back")
	}
	press(m, ":")
	if m.mode != modePrompt || m.grid.Focus != "bbbb2222" || m.grid.Hidden()["bbbb2222"] {
		t.Error(": does not go to the prompt bar")
	}
	press(m, "Escape", "C-b", "s", "/", "x", "Escape")
	if d := list(t, m); d.View.Typing || !d.View.Query.Empty() {
		t.Error("Escape does not end the filter")
	}
	press(m, "Space", "q")
	if list(t, m); strings.Contains(m.picture().Dump(), " marked") {
		t.Error("the first q does not take the marks away")
	}
	press(m, "q")
	if m.overlay != nil {
		t.Error("q does not close")
	}
}

// TestListByMouse: a click on a row goes to its session, in the column and over
// the panes; a click beside the list closes it.
func TestListByMouse(t *testing.T) {
	m := workPanes(140, 40)
	press(m, "C-b", "s", "Tab")
	if m.grid.Layout.List.Empty() {
		t.Fatal("no column")
	}
	press(m, "q")
	row := func(name string) (x, y int) {
		for y, l := range strings.Split(m.picture().Dump(), "\n") {
			if column := []rune(l)[:min(len([]rune(l)), 30)]; regexp.MustCompile(`[✋✗✓◐○☾▪]\s?[1-9]?\s+` + name).MatchString(string(column)) {
				return 8, y
			}
		}
		t.Fatalf("%s is not listed", name)
		return 0, 0
	}
	x, y := row("docs")
	m.clickAt(x, y)
	if m.grid.Focus != "cccc3333" {
		t.Errorf("focus %s", m.grid.Focus)
	}
	m.Update(terminal.Typed{Event: uv.MouseReleaseEvent{X: x, Y: y}})
	press(m, "C-b", "s")
	x, y = row("api")
	m.clickAt(x, y)
	if m.grid.Focus != "aaaa1111" || m.overlay != nil {
		t.Errorf("focus %s", m.grid.Focus)
	}
	press(m, "C-b", "s")
	m.clickAt(100, 20)
	if m.overlay != nil {
		t.Error("a click beside the list leaves it open")
	}
}

// TestListOverZoom: the list lies over a zoomed pane, which stays zoomed.
func TestListOverZoom(t *testing.T) {
	m := workPanes(120, 36)
	m.sidebar = m.sidebar.Show(true, true)
	press(m, "C-b", "z", "C-b", "s")
	list(t, m)
	if press(m, "Escape"); !m.grid.Zoomed || m.overlay != nil {
		t.Errorf("zoomed %v, open %T", m.grid.Zoomed, m.overlay)
	}
}

// TestFindByNumber: the number of a pane finds it, also beyond nine.
func TestFindByNumber(t *testing.T) {
	m := testModel(120, 36, many(12)...)
	m.settle()
	if press(m, "C-b", "'", "1", "2", "Enter"); m.grid.Focus != "id000012" {
		t.Errorf("focus %s", m.grid.Focus)
	}
}

func TestChooser(t *testing.T) {
	m := workPanes(100, 30)
	press(m, "C-b", "f", "d", "o", "c", "s", "Enter")
	if m.overlay != nil || m.grid.Focus != "cccc3333" {
		t.Errorf("the picker: %T, focus %s", m.overlay, m.grid.Focus)
	}
	press(m, "C-b", "f", "a", "l", "l", "Space", "w", "o", "r", "k", "Enter")
	if d := list(t, m); d.View.Query.String() != "working" || d.View.ID != "aaaa1111" {
		t.Errorf("a state: %q, %s", d.View.Query.String(), d.View.ID)
	}
	press(m, "C-c", "C-b", "p", "z", "o", "o", "m", "BSpace", "m")
	press(m, "Enter")
	if !m.grid.Zoomed {
		t.Error("the palette does not run zoom")
	}
	// What is not possible says why and stays.
	press(m, "C-b", "M-x", "s", "h", "o", "w", "-", "h", "i", "d", "Enter")
	if m.overlay == nil || m.notice.text != "no pane is hidden" {
		t.Errorf("an action that is not possible: %T, %q", m.overlay, m.notice.text)
	}
	if s := m.picture().Dump(); !strings.Contains(s, "not now: no pane is hidden") {
		t.Errorf("no reason:\n%s", s)
	}
}

// TestPaletteHasEveryAction: each action of the table can be found by its name, but
// the palette's own and those that only move through a list; choosing one of another
// mode goes there and tells its key.
func TestPaletteHasEveryAction(t *testing.T) {
	m := workPanes(100, 30)
	names := map[string]bool{}
	for _, b := range m.keys.Bindings() {
		found := slices.ContainsFunc(palette.Menu(palette.Recent{}).Matching(m.env(), string(b.Action)), func(p chooser.Pick) bool { return p.Detail == string(b.Action) })
		if want := b.Action != keymap.Palette && b.Group != keymap.GroupViews; found != want {
			t.Errorf("%s: found %v", b.Action, found)
		}
	}
	for _, p := range palette.Menu(palette.Recent{}).Matching(m.env(), "") {
		if names[p.Name()] {
			t.Errorf("%q is there twice", p.Name())
		}
		names[p.Name()] = true
	}
	m, _ = clientModel(t, fourSessions...)
	m.setFocus("aaaa1111")
	do(m, "C-b", "p")
	typeIn(m, "group by project")
	do(m, "Enter")
	list(t, m)
	shows(t, m, "g: group by project, or not")
	do(m, "Escape", "C-b", "p")
	typeIn(m, "focus-number")
	do(m, "Enter")
	shows(t, m, "find a session or a state")
}

func TestNewDialogStartsSeveral(t *testing.T) {
	client := newFakeClient()
	m := testModel(100, 30)
	m.opts.Client = client
	press(m, "n", "BTab", "x", "Enter")
	shows(t, m, "a number from 1 to 50")
	press(m, "BSpace", "3", "Enter")
	if m.overlay != nil || len(m.work.Items(m.now())) != 1 || m.work.Items(m.now())[0].Text != "starting 3 sessions" {
		t.Errorf("how many: 3: %T %+v", m.overlay, m.work.Items(m.now()))
	}
}

// TestTaskForMarkedSessions: the prompt bar's target is what the list marked.
func TestTaskForMarkedSessions(t *testing.T) {
	m := testModel(100, 30, many(3)...)
	press(m, "C-b", "s", "Space", "Space", ":")
	if got := m.picture().Dump(); m.mode != modePrompt || !strings.Contains(got, " to 2 sessions: s1, s2 ") {
		t.Errorf("target %+v", got)
	}
	press(m, "Escape", "C-b", "s", "j", ":")
	if got := m.picture().Dump(); !strings.Contains(got, " to s2 ") || m.grid.Focus != "id000002" {
		t.Errorf("of one session: %+v, focus %s", got, m.grid.Focus)
	}
}

// TestListFilterIsKept: what Enter does in the filter is said, since what follows may be
// done to all that are listed.
func TestListFilterIsKept(t *testing.T) {
	m := testModel(120, 24, fourSessions...)
	press(m, "C-b", "s", "/", "w", "e", "b")
	shows(t, m, "Enter keeps the filter   ↑ ↓ choose   Esc drops it")
	press(m, "Enter", "a")
	shows(t, m, "1 of 4", "1 marked", "+✋2 web")
}
