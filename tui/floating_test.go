package tui

import (
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/tui/known"
	"ccdir/tui/pane"
)

// beside is a scratch shell beside a session.
func beside(id, owner string, st api.State) api.Session {
	v := named(id, "api-shell", st, 30)
	v.Agent, v.Plain, v.Beside = "shell", api.PlainShell, &api.Beside{Session: owner, Tool: api.ToolShell, Floating: true}
	return v
}

// withShell is a grid of two agents, the first of which has a scratch shell.
func withShell(t *testing.T) *model {
	t.Helper()
	m, c := clientModel(t, two()...)
	v := beside("shel3333", "aaaa1111", api.StateIdle)
	m.Update(newsMsg{news{News: known.News{Sessions: map[string]api.Session{v.ID: v}}}})
	m.hosts.Panes[v.ID].Close()
	m.hosts.Panes[v.ID] = pane.New(pane.Config{ID: v.ID, Dialer: c, Report: m.inbox.pane})
	return m
}

// TestScratchShellIsStarted: in the directory and on the machine of the session in focus; what is
// typed before it runs is for the shell, not for the agent below it.
func TestScratchShellIsStarted(t *testing.T) {
	m, c := clientModel(t, two()...)
	press(m, "C-b", "!", "p", "w", "d")
	if m.overlay.waits() == "" {
		t.Fatal("nobody waits for the shell")
	}
	shows(t, m, "opening shell")
	if got := m.queued("aaaa1111"); got != "" {
		t.Errorf("the agent got %q", got)
	}
	do(m, "Escape", "C-b", "!")
	n := c.created[len(c.created)-1]
	cols, rows := m.grid.FloatSize()
	if b := n.Beside; n.Agent != "shell" || n.CWD != "/work" || n.Worktree != "-" || b == nil || *b != (api.Beside{Session: "aaaa1111", Tool: "shell", Floating: true}) || n.Cols != cols || n.Rows != rows {
		t.Errorf("created %+v, %+v", n, n.Beside)
	}
	c.fails("create", api.Errorf(api.CodeLimit, "too many"))
	do(m, "C-b", "!")
	if shows(t, m, "shell was not started: too many"); m.overlay != nil {
		t.Error("it stays open")
	}
	m.hosts.Panes["new00001"].Close()
}

// TestScratchShellFloats: its key shows it over the panes and hides it; it is neither a pane of
// the page nor a row of the list, and keys go to it while it is shown.
func TestScratchShellFloats(t *testing.T) {
	m := withShell(t)
	if n := len(m.grid.Shown(&m.World)); n != 2 || len(m.tiles()) != 2 || m.facts().Sessions != 2 {
		t.Fatalf("%d panes", n)
	}
	do(m, "C-b", "!")
	shows(t, m, "api-shell", "C-b ! hides")
	if do(m, "x"); m.queued("shel3333") != "x" || m.grid.Under(&m.World) != "aaaa1111" {
		t.Error("keys do not go to the shell")
	}
	do(m, "C-b", "!")
	if do(m, "y"); m.queued("aaaa1111") != "y" || strings.Contains(m.picture().Dump(), "api-shell") {
		t.Error("it is not hidden")
	}
	do(m, "C-b", "!", "C-b", "Tab")
	if m.grid.Focus != "bbbb2222" {
		t.Errorf("the focus moved to %s", m.grid.Focus)
	}
	do(m, "C-b", "1", "C-b", "!", "C-b", "-")
	if m.grid.Focus != "aaaa1111" || len(m.grid.Hidden()) > 0 {
		t.Error("hiding it hides a pane")
	}
	do(m, "C-b", "!", "C-b", ":")
	if m.grid.Focus != "aaaa1111" {
		t.Error("a prompt is not for the agent")
	}
}

// TestScratchShellEnds: the focus goes back to the session below, and what is typed just then
// does not go there.
func TestScratchShellEnds(t *testing.T) {
	m := withShell(t)
	do(m, "C-b", "2", "C-b", "1", "C-b", "!")
	v, code := beside("shel3333", "aaaa1111", api.StateExited), 1
	v.ExitCode = &code
	m.Update(newsMsg{news{News: known.News{Sessions: map[string]api.Session{v.ID: v}}}})
	if m.grid.Focus != "aaaa1111" {
		t.Fatalf("the focus is at %s", m.grid.Focus)
	}
	if do(m, "q"); m.queued("aaaa1111") != "" {
		t.Error("a key for the shell went to the agent")
	}
	m.Update(newsMsg{news{News: known.News{Removed: map[string]bool{v.ID: true}}}})
	if m.grid.Focus != "aaaa1111" {
		t.Errorf("after its removal the focus is at %s", m.grid.Focus)
	}
}

// TestScratchShellOfNobody: when its session was removed it is a session as others.
func TestScratchShellOfNobody(t *testing.T) {
	m := withShell(t)
	m.Update(newsMsg{news{News: known.News{Removed: map[string]bool{"aaaa1111": true}}}})
	if n := len(m.grid.Shown(&m.World)); n != 2 {
		t.Errorf("%d panes", n)
	}
	shows(t, m, "api-shell")
}

// TestScratchShellStays: the arrangement that is kept has it as the focus, and a grid that is
// opened later shows it.
func TestScratchShellStays(t *testing.T) {
	m := withShell(t)
	do(m, "C-b", "!")
	kept := m.grid.Arrangement(&m.World)
	if kept.Focus != "shel3333" {
		t.Fatalf("kept %+v", kept)
	}
	later := testModel(120, 40)
	later.Loaded = false
	later.take(news{News: known.News{Snapshot: &api.Snapshot{Sessions: m.Sessions, Grid: &kept}}})
	later.settle()
	if later.grid.Focus != "shel3333" || later.grid.Float(&later.World) == nil {
		t.Errorf("later the focus is at %s", later.grid.Focus)
	}
}
