package tui

import (
	"encoding/json"
	"image/color"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ccdir/api"
	"ccdir/tui/grid/tiling"
	"ccdir/tui/known"
	"ccdir/tui/paint"
	"ccdir/tui/terminal"
	"ccdir/tui/terminal/input"
	"ccdir/tui/widget/theme"
)

// rawEvents lists all events by their types.
func rawEvents(m *model) {
	env := m.env()
	env.InEvents = true
	m.sidebar.Key(env, input.Key{Name: "r"})
}

// withEvents is a grid with a sidebar and three events.
func withEvents() *model {
	m := testModel(140, 30, named("aaaa1111", "api", api.StateWorking, 0), named("bbbb2222", "web", api.StateIdle, 1))
	rawEvents(m)
	m.take(news{News: known.News{Events: []api.Event{
		{Seq: 1, At: epoch, Session: "aaaa1111", Type: "UserPromptSubmit", Message: "fix it"},
		{Seq: 2, At: epoch, Session: "bbbb2222", Type: "PreToolUse", Message: "Bash: make", Data: json.RawMessage(`{"tool":"Bash\u001b[31m","n":2,"ok":true}`)},
		{Seq: 3, At: epoch, Session: "aaaa1111", Type: "Stop", Message: "done"},
	}}})
	return m
}

func TestEventsFilterPauseClear(t *testing.T) {
	m := withEvents()
	sees := func(want string, parts ...string) {
		t.Helper()
		s := m.picture().Dump()
		for _, p := range []string{"UserPromptSubmit", "PreToolUse", "Stop", "Later"} {
			if strings.Contains(s, " "+p+" ") != strings.Contains(want, p) {
				t.Errorf("want %q:\n%s", want, s)
				return
			}
		}
		for _, p := range parts {
			if !strings.Contains(s, p) {
				t.Errorf("no %q:\n%s", p, s)
			}
		}
	}
	press(m, "C-b", "E")
	sees("UserPromptSubmit PreToolUse Stop", "EVENTS", " 3m ")
	press(m, "/", "m", "a", "k", "e")
	sees("PreToolUse", "EVENTS  Enter keeps the filter  Esc drops it")
	press(m, "Enter")
	sees("PreToolUse", "/make", "s session")
	press(m, "Escape", "s")
	sees("UserPromptSubmit Stop", "events of api")
	press(m, "s", "k", "t")
	sees("PreToolUse")
	press(m, "t", "p")
	m.take(news{News: known.News{Events: []api.Event{{Seq: 4, At: epoch, Session: "bbbb2222", Type: "Later", Message: "x"}}}})
	sees("UserPromptSubmit PreToolUse Stop", "paused", "1 newer ↓")
	press(m, "p")
	sees("UserPromptSubmit PreToolUse Stop Later")
	press(m, "c")
	sees("", "cleared or filtered")
	press(m, "Escape")
	if m.mode != modePane {
		t.Errorf("mode %d", m.mode)
	}
}

// TestEventsWidth: keys give the events more and less room, between their limits.
func TestEventsWidth(t *testing.T) {
	m := withEvents()
	m.settle()
	was := m.grid.Layout.Column().W
	press(m, "C-b", "E", "C-Right", ">", "<")
	if got := m.grid.Layout.Column().W; got != was+4 {
		t.Errorf("%d columns, they were %d", got, was)
	}
	for range 30 {
		press(m, ">")
	}
	if got := m.grid.Layout.Column().W; got != m.cols/2 {
		t.Errorf("at most %d columns", got)
	}
	for range 30 {
		press(m, "<")
	}
	if got := m.grid.Layout.Column().W; got != tiling.SidebarLeast {
		t.Errorf("at least %d columns", got)
	}
	if m.grid.Arrangement(&m.World).Sidebar == nil || m.grid.Arrangement(&m.World).Sidebar.Width == 0 {
		t.Error("the width is not kept")
	}
}

// cursor is where the terminal's cursor is.
func (m *model) cursorNow() paint.Cursor {
	var sc *scene
	m.publish = func(s *scene) { sc = s }
	m.settle()
	return newComposer(paint.Caps{}).compose(sc)
}

// TestFilterCursors: an input method finds the terminal's cursor where the next
// character goes, in every box that takes text.
func TestFilterCursors(t *testing.T) {
	for _, tt := range []struct {
		name string
		keys []string
	}{
		{"events", []string{"E", "/"}}, {"list", []string{"s", "/"}}, {"picker", []string{"f"}}, {"palette", []string{"p"}}, {"help", []string{"?"}},
		{"rename", []string{","}}, {"history of prompts", []string{":", "C-r"}}, {"targets", []string{":", "C-t"}}, {"prompt", []string{":"}},
	} {
		m, _ := clientModel(t, fourSessions...)
		m.cols, m.rows = 140, 40
		m.setFocus("aaaa1111")
		press(m, append([]string{"C-b"}, tt.keys...)...)
		press(m, "q", "本", "z", "Left")
		if tt.name == "rename" {
			press(m, "C-a", "C-k", "q", "本", "z", "Left")
		}
		cur := m.cursorNow()
		lines := strings.Split(m.picture().Dump(), "\n")
		if !cur.Visible || cur.Y >= len(lines) {
			t.Errorf("%s: cursor %+v", tt.name, cur)
			continue
		}
		before, after, ok := strings.Cut(lines[cur.Y], "q本")
		if !ok || !strings.HasPrefix(after, "z") || paint.Width(before)+3 != cur.X {
			t.Errorf("%s: the cursor is at %d in %q", tt.name, cur.X, lines[cur.Y])
		}
	}
	// Where events have the keyboard and no text is typed there is none.
	m := withEvents()
	press(m, "C-b", "E")
	if cur := m.cursorNow(); cur.Visible {
		t.Errorf("cursor %+v", cur)
	}
}

func TestEventsGoAndDetail(t *testing.T) {
	m := withEvents()
	m.grid.Focus = "aaaa1111"
	press(m, "C-b", "E", "k", "i")
	s := m.picture().Dump()
	for _, want := range []string{`"type": "PreToolUse"`, `"ok": true`, `"tool": "Bash\u001b[31m"`, "PreToolUse · web"} {
		if !strings.Contains(s, want) {
			t.Errorf("no %q:\n%s", want, s)
		}
	}
	press(m, "Escape", "Enter")
	if m.grid.Focus != "bbbb2222" || m.mode != modePane {
		t.Errorf("focus %s, mode %d", m.grid.Focus, m.mode)
	}
}

func TestThemeFollowsTheBackground(t *testing.T) {
	m := withEvents()
	light, dark := theme.New("light", nil), theme.New("dark", nil)
	if *m.theme != *dark {
		t.Error("the palette does not begin dark")
	}
	m.Update(terminal.Background{BackgroundColorEvent: uv.BackgroundColorEvent{Color: color.White}})
	if *m.theme != *light {
		t.Error("a white background has a dark palette")
	}
	for chosen, want := range map[string][2]string{"contrast": {"contrast", "contrast-light"}, "dark": {"dark", "dark"}, "light": {"light", "light"}} {
		for i, background := range []color.Color{color.Black, color.White} {
			m.opts.Theme = chosen
			m.theme = themeOf(m.opts, m.light, m.opts.Profile, paint.GlyphsAll)
			m.Update(terminal.Background{BackgroundColorEvent: uv.BackgroundColorEvent{Color: background}})
			if *m.theme != *theme.New(want[i], nil) {
				t.Errorf("%s on %v is not %s", chosen, background, want[i])
			}
		}
	}
}

// TestWheelOverEvents: the wheel goes back in the events without taking the keys
// from the pane, and at the end follows the newest again.
func TestWheelOverEvents(t *testing.T) {
	m := testModel(120, 20, fourSessions...)
	var all []api.Event
	for i := range 100 {
		all = append(all, api.Event{Seq: int64(i + 1), At: epoch.Add(time.Duration(i) * time.Second), Session: "aaaa1111", Type: "E" + strings.Repeat("x", i%3)})
	}
	m.take(news{News: known.News{Events: all}})
	m.settle()
	over := tea.Mouse{X: m.grid.Layout.Sidebar.X + 3, Y: 5, Button: tea.MouseWheelUp}
	for range 10 {
		m.Update(tea.MouseWheelMsg(over))
	}
	if m.mode != modePane {
		t.Errorf("mode %d", m.mode)
	}
	shows(t, m, "22 newer ↓")
	over.Button = tea.MouseWheelDown
	for range 11 {
		m.Update(tea.MouseWheelMsg(over))
	}
	if s := m.picture().Dump(); strings.Contains(s, "newer") {
		t.Errorf("it stays:\n%s", s)
	}
}

func TestPickEventSession(t *testing.T) {
	m := fourPanes(140, 30)
	press(m, "C-b", "E", "S")
	shows(t, m, "events of", "all sessions", "web", "gone0000 (gone)")
	press(m, "w", "e", "b", "Enter")
	if m.mode != modeEvents || m.overlay != nil {
		t.Errorf("mode %d, %T", m.mode, m.overlay)
	}
	shows(t, m, "of web ")
	press(m, "S", "a", "l", "l", "Enter")
	if s := m.picture().Dump(); strings.Contains(s, "of web") {
		t.Errorf("not all again:\n%s", s)
	}
}

// TestEventsOnNarrowTerminals: where there is no room for the sidebar a list shows
// the same events with the same keys.
func TestEventsOnNarrowTerminals(t *testing.T) {
	m := fourPanes(80, 24)
	rawEvents(m)
	press(m, "C-b", "E")
	shows(t, m, "events", "UserPromptSubmit", "❯", "PermissionRequest", "✋   PermissionRequest")
	press(m, "k", "s")
	shows(t, m, "events of web")
	if strings.Contains(m.picture().Dump(), "UserPromptSubmit") {
		t.Error("events of another session are listed")
	}
	press(m, "i")
	shows(t, m, `"type": "P`)
	press(m, "q", "q", "S", "a", "p", "i", "Enter")
	shows(t, m, "events of api", "SessionStart")
	press(m, "o", "Escape")
	press(m, "Enter")
	if m.overlay != nil || m.grid.Focus != "aaaa1111" {
		t.Errorf("%T, focus %s", m.overlay, m.grid.Focus)
	}
}

// TestEventsWhereTheyAreNot: in a terminal that has no room for the sidebar its key hides
// nothing elsewhere, and says what to press.
func TestEventsWhereTheyAreNot(t *testing.T) {
	t.Parallel()
	m := withEvents()
	m.cols, m.rows = 60, 20
	press(m, "C-b", "e")
	shows(t, m, "events beside the panes need 96 columns: C-b E lists them")
	if _, kept := m.sidebar.Kept(); kept != nil {
		t.Error("the events were hidden in wider terminals")
	}
	m.cols, m.rows = 120, 40
	if m.settle(); m.grid.Layout.Sidebar.W == 0 {
		t.Error("a wide terminal has no events")
	}
	if press(m, "C-b", "e"); m.grid.Layout.Sidebar.W != 0 {
		t.Error("e does not hide them where they are")
	}
}

// TestEventsOnFortyColumns: the list says what happened where there is little room.
func TestEventsOnFortyColumns(t *testing.T) {
	t.Parallel()
	m := withEvents()
	m.cols, m.rows = 40, 10
	press(m, "C-b", "E", "k")
	golden(t, "events-40x10", m.picture().Dump())
}
