package tui

import (
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
	"ccdir/tui/known"
	"ccdir/tui/pane"
	"ccdir/wire"
)

func TestKeysGoToTheFocusedPane(t *testing.T) {
	m, _ := clientModel(t, two()...)
	do(m, "a", "Up", "C-c", "Escape", "C-d", "Tab", "?")
	if got := m.queued("aaaa1111"); got != "a Up C-c Escape C-d Tab ?" {
		t.Errorf("got %q", got)
	}
	do(m, "C-b", "Tab", "x", "C-b", "C-b")
	if got := m.queued("bbbb2222"); got != "x C-b" || m.grid.Focus != "bbbb2222" {
		t.Errorf("got %q, focus %s", got, m.grid.Focus)
	}
	if got := m.queued("aaaa1111"); got != "" {
		t.Errorf("the other pane got %q", got)
	}
}

func TestFocusMovesAndIsNotStolen(t *testing.T) {
	m, _ := clientModel(t, fourSessions...)
	if m.grid.Focus != "bbbb2222" {
		t.Fatalf("begins at %s, not at the one that waits", m.grid.Focus)
	}
	for _, step := range []struct{ keys, want string }{
		{"h", "aaaa1111"}, {"j", "cccc3333"}, {"l", "dddd4444"}, {"k", "bbbb2222"}, {"k", "bbbb2222"},
		{"1", "aaaa1111"}, {"4", "dddd4444"}, {"Tab", "aaaa1111"}, {"BTab", "dddd4444"}, {"a", "bbbb2222"}, {"a", "cccc3333"},
		{"9", "cccc3333"}, {"Left", "cccc3333"}, {"Up", "aaaa1111"},
	} {
		do(m, "C-b", step.keys)
		if m.grid.Focus != step.want {
			t.Fatalf("after %s the focus is at %s, want %s", step.keys, m.grid.Focus, step.want)
		}
	}
	// Somebody else starts a session: no.
	m.Update(newsMsg{news{News: known.News{Sessions: map[string]api.Session{"eeee5555": named("eeee5555", "new", api.StateStarting, 20)}}}})
	if m.grid.Focus != "aaaa1111" || len(m.Sessions) != 5 {
		t.Errorf("focus %s", m.grid.Focus)
	}
	// ccdir focus: yes.
	m.Update(newsMsg{news{News: known.News{Focus: "eeee5555"}}})
	if m.grid.Focus != "eeee5555" {
		t.Errorf("focus %s", m.grid.Focus)
	}
	// It is removed: a neighbour takes over.
	m.Update(newsMsg{news{News: known.News{Removed: map[string]bool{"eeee5555": true}}}})
	if m.grid.Focus == "eeee5555" || m.grid.Focus == "" {
		t.Errorf("focus %q", m.grid.Focus)
	}
}

func TestKillAsksAndDefaultsToNo(t *testing.T) {
	m, c := clientModel(t, two()...)
	for _, no := range []string{"n", "Enter", "Escape", "x", "Space"} {
		do(m, "C-b", "x")
		if m.overlay == nil {
			t.Fatal("not asked")
		}
		do(m, no)
		if m.overlay != nil || len(c.noted()) > 0 {
			t.Fatalf("after %q: calls %q", no, c.noted())
		}
	}
	do(m, "C-b", "x", "y")
	if got := strings.Join(c.noted(), ","); got != "kill aaaa1111" {
		t.Errorf("calls %q", got)
	}
	if got := m.queued("aaaa1111"); got != "" {
		t.Errorf("the pane got %q", got)
	}
}

// TestPopupIgnoresKeysInFlight: a "y" typed before the question was on the
// screen is no answer.
func TestPopupIgnoresKeysInFlight(t *testing.T) {
	m, c := clientModel(t, two()...)
	at := m.now()
	shown, visible := at, false
	m.popupShown = func(uint64) (time.Time, bool) { return shown, visible }
	do(m, "C-b", "x")
	do(m, "y") // not yet painted
	visible, shown = true, at.Add(time.Second)
	do(m, "y") // painted, but pressed before
	if m.overlay == nil || len(c.noted()) != 0 {
		t.Fatalf("keys in flight were taken: %q", c.noted())
	}
	// Another key is a no even then: the y of the next word would be a yes else.
	do(m, "t")
	if m.overlay != nil {
		t.Fatal("a no in flight is none")
	}
	do(m, "C-b", "x")
	m.now = func() time.Time { return at.Add(2 * time.Second) }
	do(m, "y")
	if got := strings.Join(c.noted(), ","); got != "kill aaaa1111" {
		t.Errorf("calls %q", got)
	}
}

func TestEndedSession(t *testing.T) {
	m, c := clientModel(t, ended("dddd4444", "old", 1))
	do(m, "a")
	if !strings.Contains(m.notice.text, "has ended") || m.queued("dddd4444") != "" {
		t.Errorf("notice %q", m.notice.text)
	}
	do(m, "C-b", "x")
	shows(t, m, "Remove old")
	do(m, "y", "C-b", "R")
	if got := strings.Join(c.noted(), ","); !strings.Contains(got, "remove dddd4444") || !strings.Contains(got, "restart dddd4444") {
		t.Errorf("calls %q", got)
	}
	if m.notice.text != "old was started again" { // and not that it is being started
		t.Errorf("notice %q", m.notice.text)
	}
	do(m, "C-b", "H")
	if len(m.grid.Shown(&m.World)) != 0 || m.focused() != nil {
		t.Error("ended sessions are not hidden")
	}
}

func TestPromptBar(t *testing.T) {
	m, c := clientModel(t, two()...)
	do(m, "C-b", ":", "f", "i", "x", "Space", "i", "t", "Enter")
	if got := strings.Join(c.noted(), ","); got != "send aaaa1111 fix it" {
		t.Fatalf("calls %q", got)
	}
	if c.sent[0].ID == "" || m.mode != modePane || m.prompt.Text() != "" || len(m.prompt.Jobs()) > 0 {
		t.Errorf("sent %+v, mode %v", c.sent[0], m.mode)
	}
	// What is typed stays when it could not be sent.
	c.fails("send", api.Errorf(api.CodeDialogOpen, "a dialog is open"))
	do(m, "C-b", ":")
	m.Update(tea.PasteMsg{Content: "two\nlines"})
	do(m, "Enter")
	if m.prompt.Text() != "two\nlines" || !strings.Contains(m.notice.text, "a dialog is open") {
		t.Errorf("prompt %q, notice %q", m.prompt.Text(), m.notice.text)
	}
	// Escape keeps the draft and gives the keys back to the pane.
	do(m, "C-b", ":", "x", "Escape", "k")
	if m.queued("aaaa1111") != "k" || m.prompt.Text() != "two\nlinesx" {
		t.Errorf("prompt %q", m.prompt.Text())
	}
}

func TestPromptStartsASession(t *testing.T) {
	m, c := clientModel(t)
	do(m, ":", "g", "o", "Enter")
	if len(c.created) != 1 || c.created[0].Prompt != "go" || c.created[0].CWD != "/repo/project" {
		t.Fatalf("created %+v", c.created)
	}
	if m.grid.Focus != "new00001" {
		t.Errorf("focus %q", m.grid.Focus)
	}
	for _, p := range m.hosts.Panes {
		p.Close()
	}
}

func TestRename(t *testing.T) {
	m, c := clientModel(t, two()...)
	do(m, "C-b", ",", "2", "Enter")
	if got := strings.Join(c.noted(), ","); got != "rename aaaa1111 api2" {
		t.Errorf("calls %q", got)
	}
	// A name that is not taken comes back with the reason.
	c.fails("rename", api.Errorf(api.CodeConflict, "the name \"api3\" is in use"))
	do(m, "C-b", ",", "3", "Enter")
	shows(t, m, "rename api", "api3", `the name "api3" is in use`, "Enter rename")
	c.fails("rename", nil)
	do(m, "BSpace", "4", "Enter")
	if got := c.noted(); m.overlay != nil || got[len(got)-1] != "rename aaaa1111 api4" {
		t.Errorf("calls %q, overlay %T", got, m.overlay)
	}
}

func TestReadOnlySendsNothing(t *testing.T) {
	m, c := clientModel(t, two()...)
	m.opts.ReadOnly = true
	m.hosts.States["aaaa1111"] = pane.State{ID: "aaaa1111", Connected: true, Cols: 80, Rows: 24, Flags: wire.FlagMouse}
	m.settle()
	do(m, "a", "C-b", "n", "C-b", "x", "C-b", ":", "C-b", ",", "C-b", "C-b")
	m.Update(tea.PasteMsg{Content: "x"})
	m.Update(tea.MouseClickMsg{X: 5, Y: 5, Button: tea.MouseLeft})
	m.Update(tea.MouseWheelMsg{X: 5, Y: 5, Button: tea.MouseWheelUp})
	if m.queued("aaaa1111") != "" || len(c.noted()) != 0 || m.overlay != nil || m.mode != modePane {
		t.Errorf("calls %q, overlay %v, mode %v", c.noted(), m.overlay, m.mode)
	}
	if m.route(m.now()).Pane != nil {
		t.Error("the reader may send keys")
	}
	do(m, "C-b", "j", "C-b", "d")
	if m.grid.Focus != "bbbb2222" || !m.quitting {
		t.Error("looking around and leaving do not work")
	}
}

func TestViewsFollowTheLayout(t *testing.T) {
	m, _ := clientModel(t, two()...)
	view := func(id string) wire.View {
		return m.hosts.Panes[id].View()
	}
	if v := view("bbbb2222"); !v.Visible || v.Cols < 20 || v.Claim {
		t.Errorf("view %+v", v)
	}
	do(m, "C-b", "z")
	if v := view("bbbb2222"); v.Visible {
		t.Errorf("hidden by zoom, view %+v", v)
	}
	wide := view("aaaa1111")
	do(m, "C-b", "z", "C-b", "e")
	if v := view("aaaa1111"); v.Cols >= wide.Cols+40 || !v.Visible {
		t.Errorf("view %+v, zoomed it was %+v", v, wide)
	}
	m.Update(tea.WindowSizeMsg{Width: 50, Height: 20})
	if v := view("aaaa1111"); v.Cols != 50 || v.Rows != 16 {
		t.Errorf("narrow: view %+v", v)
	}
}

// TestFocusResizesNothing: in focus + list every session has the size of the large pane, so
// that no host is told of a size when the focus moves.
func TestFocusResizesNothing(t *testing.T) {
	m, _ := clientModel(t, many(6)...)
	views := func() (out map[string]wire.View, visible int) {
		out = map[string]wire.View{}
		for id, p := range m.hosts.Panes {
			v := p.View()
			if v.Visible {
				visible++
			}
			v.Visible = false
			out[id] = v
		}
		return out, visible
	}
	before, n := views()
	if n != 1 || len(before) != 6 {
		t.Fatalf("%d of %d are visible", n, len(before))
	}
	for id, v := range before {
		if v.Cols != m.grid.Layout.Panes[0].W || v.Rows != m.grid.Layout.Panes[0].H-1 {
			t.Errorf("%s has %dx%d", id, v.Cols, v.Rows)
		}
	}
	for _, key := range []string{"4", "Tab", "2", "Down"} {
		press(m, "C-b", key)
		if now, n := views(); n != 1 || !maps.Equal(now, before) {
			t.Errorf("after %s: %v", key, now)
		}
	}
}

func TestLostDaemonDisablesAndComesBack(t *testing.T) {
	m, _ := clientModel(t, two()...)
	m.Update(newsMsg{news{News: known.News{Link: &known.Link{Lost: errors.New("gone")}}}})
	do(m, "C-b", "n")
	if m.overlay != nil || m.notice.text != "the daemon does not answer" {
		t.Errorf("notice %q", m.notice.text)
	}
	do(m, "q")
	if m.queued("aaaa1111") != "q" {
		t.Error("the pane does not work without the daemon")
	}
	m.Update(newsMsg{news{News: known.News{Link: &known.Link{}}}})
	do(m, "C-b", "n")
	if m.overlay == nil {
		t.Error("still disabled")
	}
}

func TestZoomOption(t *testing.T) {
	for _, ref := range []string{"bbbb2222", "bb", "web"} {
		m := testModel(80, 24)
		m.opts.Zoom, m.Loaded = ref, false
		m.take(news{News: known.News{Snapshot: &api.Snapshot{Sessions: two()}}})
		m.settle()
		if m.grid.Focus != "bbbb2222" || !m.grid.Zoomed || len(m.grid.Layout.Panes) != 1 {
			t.Errorf("%q: focus %s, zoom %v", ref, m.grid.Focus, m.grid.Zoomed)
		}
	}
}
