package tui

import (
	"strings"
	"testing"

	"ccdir/internal/keymap"
	"ccdir/tui/sidebar"
)

// TestFirstScreen: the screen without sessions names the tour and its key, the settings' file, and
// inside tmux the prefix that both have.
func TestFirstScreen(t *testing.T) {
	m, _ := clientModel(t)
	m.opts.ConfigFile, m.opts.Env = "/home/me/.config/ccdir/config.toml", []string{"HOME=/home/me", "TMUX=/tmp/tmux-0/default,1,0"}
	shows(t, m, "Y shows a tour", "ccdir demo", "~/.config/ccdir/config.toml", "is tmux's prefix, too", "config set keys.prefix")
	m.sidebar = sidebar.Sidebar{} // as nobody has chosen: there is nothing to list
	m.settle()
	if !m.grid.Layout.Sidebar.Empty() || !m.grid.Layout.List.Empty() {
		t.Errorf("a column without content:\n%s", m.picture().Dump())
	}
	if press(m, "C-b", "E"); m.grid.Layout.Sidebar.Empty() {
		t.Error("the events cannot be seen")
	}
	press(m, "Escape")
	other, problems := keymap.Make("C-a", nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	m.keys = other
	if text := m.picture().Dump(); strings.Contains(text, "tmux") {
		t.Errorf("another prefix does not clash:\n%s", text)
	}
}
