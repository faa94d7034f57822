package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
)

// rightClick presses the right button at a cell.
func rightClick(m *model, x, y int) {
	m.Update(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseRight})
	m.Update(tea.MouseReleaseMsg{X: x, Y: y, Button: tea.MouseRight})
}

// find is where a text first is in the picture.
func find(t *testing.T, m *model, text string) (x, y int) {
	t.Helper()
	for y, l := range strings.Split(m.picture().Dump(), "\n") {
		if at := strings.Index(l, text); at >= 0 {
			return len([]rune(l[:at])), y
		}
	}
	t.Fatalf("%q is not shown:\n%s", text, m.picture().Dump())
	return 0, 0
}

// TestMenuOfASession: the right button on a title or a row of the list, and a key, open the
// menu of that session; what is chosen is done to it, not to the one in focus.
func TestMenuOfASession(t *testing.T) {
	for name, open := range map[string]func(m *model){
		"title": func(m *model) { tile, _ := m.env().Tile("bbbb2222"); rightClick(m, tile.Rect.X+3, tile.Rect.Y) },
		"list":  func(m *model) { do(m, "C-b", "s"); x, y := find(t, m, "web"); rightClick(m, x, y) },
		"key":   func(m *model) { m.setFocus("bbbb2222"); do(m, "C-b", "M"); m.grid.Focus = "aaaa1111" },
		"palette": func(m *model) {
			do(m, "C-b", "p")
			typeIn(m, "web")
			do(m, "C-o")
		},
	} {
		m, _ := clientModel(t, named("aaaa1111", "api", api.StateWorking, 0), named("bbbb2222", "web", api.StateIdle, 1))
		m.setFocus("aaaa1111")
		open(m)
		if got := m.picture().Dump(); !strings.Contains(got, "go to its pane") || !strings.Contains(got, "[x] kill this session") || strings.Contains(got, "the focused") {
			t.Errorf("%s opens no menu:\n%s", name, got)
			continue
		}
		do(m, "x")
		if got := m.picture().Dump(); !strings.Contains(got, "web") || !strings.Contains(got, "kill") || m.overlay == nil {
			t.Errorf("%s: x does not ask about web:\n%s", name, got)
		}
		do(m, "Escape", "Escape", "Escape")
		m.setFocus("aaaa1111")
		open(m)
		if do(m, "z"); m.grid.Focus != "bbbb2222" || !m.grid.Zoomed || m.overlay != nil {
			t.Errorf("%s: z: focus %s, zoomed %v, overlay %v", name, m.grid.Focus, m.grid.Zoomed, m.overlay != nil)
		}
	}
}

// TestRightButtonInAPane: a click into a pane is the program's and opens nothing.
func TestRightButtonInAPane(t *testing.T) {
	m := testModel(80, 24, named("aaaa1111", "api", api.StateWorking, 0))
	tile, _ := m.env().Tile("aaaa1111")
	if rightClick(m, tile.Rect.X+3, tile.Rect.Y+3); m.overlay != nil {
		t.Errorf("it opened %T", m.front())
	}
}

// TestPaletteRemembers: what was taken last stands first, with a query among what matches as
// well; the last line says what Enter does.
func TestPaletteRemembers(t *testing.T) {
	m, _ := clientModel(t, named("aaaa1111", "api", api.StateWorking, 0), named("bbbb2222", "web", api.StateIdle, 1))
	do(m, "C-b", "p")
	typeIn(m, "draw the screen anew")
	if shows(t, m, "Enter does it   without this list: C-b r"); strings.Contains(m.picture().Dump(), " of 2") {
		t.Errorf("the place in all actions is shown:\n%s", m.picture().Dump())
	}
	do(m, "Enter", "C-b", "p")
	_, first := find(t, m, "draw the screen anew")
	_, filter := find(t, m, "type a part of it")
	if first != filter+1 {
		t.Errorf("what was used last is in row %d below the filter:\n%s", first-filter, m.picture().Dump())
	}
	typeIn(m, "web")
	shows(t, m, "Enter goes to it", "C-o what else")
}
