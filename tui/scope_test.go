package tui

import (
	"fmt"
	"testing"

	"ccdir/api"
)

// scoped is the day with sessions of three repositories: api, migrate and docs are in work trees of
// one of them.
func scoped(cols, rows int) *model {
	m := day(cols, rows)
	dirs, all := map[string]string{}, m.Sessions
	for i := range all {
		v := all[i]
		repository := []string{"/home/me/shop", "/home/me/site", "/home/me/shop", "/home/me/shop"}[i%4]
		v.CWD = fmt.Sprintf("/home/me/trees/%d", i)
		dirs[v.CWD] = repository
		m.Upsert(v)
	}
	m.sidebar = m.sidebar.Know(dirs)
	m.settle()
	return m
}

// TestScopeOfARepository: a key chooses the repository of the focused session; list, counts and numbers are
// about its sessions alone, list and status line say so and how it is left, and the daemon keeps it.
func TestScopeOfARepository(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 36}} {
		m := scoped(size[0], size[1])
		press(m, "C-b", "w")
		golden(t, fmt.Sprintf("scope-menu-%dx%d", size[0], size[1]), m.picture().Dump())
		press(m, "Enter")
		if got := m.grid.Scope(); got != (api.GridScope{Repository: "/home/me/shop"}) {
			t.Fatalf("scope %+v", got)
		}
		golden(t, fmt.Sprintf("scope-%dx%d", size[0], size[1]), m.picture().Dump())
		press(m, "C-b", "w")
		if n := len(m.grid.Shown(&m.World)); n != 8 || m.grid.Scope() != (api.GridScope{}) {
			t.Errorf("left: %d sessions", n)
		}
	}
}

// TestScopeOfAFilter: what the list filters becomes the scope; the filter's own session stays in focus.
func TestScopeOfAFilter(t *testing.T) {
	m := scoped(120, 36)
	press(m, "C-b", "s", "/", "s", "i", "t", "e", "Enter", "w")
	if m.overlay != nil || m.grid.Scope().Filter != "site" || len(m.grid.Shown(&m.World)) != 2 {
		t.Errorf("scope %+v, %d sessions", m.grid.Scope(), len(m.grid.Shown(&m.World)))
	}
	m.notice = notice{}
	shows(t, m, "only site · 2 · C-b w: all", "only site (C-b w leaves)")
	press(m, "C-b", "s", "w")
	shows(t, m, "sessions · 8")
}
