package tui

import (
	"testing"

	"ccdir/api"
	"ccdir/tui/known"
	"ccdir/tui/ui"
)

func TestNewSessionDialog(t *testing.T) {
	m, c := clientModel(t, two()...)
	c.dirs = []api.Directory{{Path: "/srv/a"}, {Path: "/srv/b"}}
	do(m, "C-b", "n", "Right", "Tab", "Down", "Down", "Tab", "b", "o", "t", "Tab", "h", "i", "Enter")
	if len(c.created) != 1 {
		t.Fatalf("created %+v, overlay %#v", c.created, m.overlay)
	}
	n := c.created[0]
	if n.Agent != "demo" || n.CWD != "/srv/b" || n.Name != "bot" || n.Prompt != "hi" || len(n.Env) == 0 || n.Cols < 20 {
		t.Errorf("created %+v", n)
	}
	if m.overlay != nil || m.grid.Focus != "new00001" {
		t.Errorf("overlay %v, focus %s", m.overlay, m.grid.Focus)
	}
	// A failure stays in the dialog.
	c.fails("create", api.Errorf(api.CodeConflict, "the name bot is in use"))
	do(m, "C-b", "c", "Enter")
	if shows(t, m, "the name bot is in use"); m.overlay.waiter(ui.Nobody) != nil {
		t.Error("the dialog still waits")
	}
	do(m, "Escape")
	if m.overlay != nil {
		t.Error("Escape does not close")
	}
	m.hosts.Panes["new00001"].Close()
}

// TestNewSessionBeginsWhereTheFocusIs: the directory is that of the focused session, on its
// machine, and the grid's where no session has the focus or its machine does not answer.
func TestNewSessionBeginsWhereTheFocusIs(t *testing.T) {
	here, far := testSession("aaaa1111", "api", api.StateIdle), testSession("gpu1/bbbb2222", "gpu1/train", api.StateIdle)
	here.CWD, far.CWD, far.Node = "/repo/trees/login", "/srv/model", "gpu1"
	m := testModel(120, 40, here, far)
	m.Nodes = []ui.Node{{Name: "gpu1"}}
	press(m, "C-b", "n")
	shows(t, m, "Directory ", "/repo/trees/login")
	press(m, "Escape", "C-b", "Tab", "C-b", "n")
	shows(t, m, "‹gpu1›", "/srv/model")
	press(m, "Escape")
	far.Away = epoch
	m.Update(newsMsg{news{News: known.News{Sessions: map[string]api.Session{far.ID: far}}}})
	press(m, "C-b", "n")
	shows(t, m, "‹here›", "/repo/project")
	none := testModel(120, 40)
	press(none, "n")
	shows(t, none, "/repo/project")
}

func TestNewSessionWithoutAgent(t *testing.T) {
	m, c := clientModel(t)
	c.agents = []api.AgentInfo{{Name: "claude", Kind: "claude", Default: true, Hint: "install it"}, {Name: "demo", Kind: "demo", Path: "/shim"}}
	m.Agents = c.agents
	do(m, "n")
	shows(t, m, "‹demo›")
	do(m, "Left", "Enter")
	if shows(t, m, "claude is not installed: install it"); len(c.created) != 0 {
		t.Fatalf("created %+v", c.created)
	}
	do(m, "Right", "Enter")
	if len(c.created) != 1 || c.created[0].Agent != "demo" {
		t.Errorf("created %+v", c.created)
	}
	for _, p := range m.hosts.Panes {
		p.Close()
	}
}

// TestLeftDialogKeepsItsText: a prompt or a task that was written and not sent is there
// when the dialog is opened again; one that was sent is not.
func TestLeftDialogKeepsItsText(t *testing.T) {
	m, c := clientModel(t, two()...)
	do(m, "C-b", "n", "Tab", "Tab", "Tab", "h", "i", "Escape")
	do(m, "C-b", "n")
	shows(t, m, "Prompt    hi")
	do(m, "Enter", "C-b", "n")
	if shows(t, m, "Prompt    optional"); len(c.created) != 1 || c.created[0].Prompt != "hi" {
		t.Errorf("created %+v", c.created)
	}
	do(m, "Escape")
	m.hosts.Panes["new00001"].Close()

	m, c = queued(t)
	do(m, "C-b", "T", "a", "x", "y", "Escape", "a", "z", "Enter", "a")
	if got := calledFor(c, "add-task"); len(got) != 1 || got[0] != "add-task xyz in /work" {
		t.Errorf("called %q", got)
	}
}
