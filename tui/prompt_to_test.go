package tui

import (
	"strings"
	"testing"
	"testing/synctest"

	"ccdir/api"
)

// running is an idle session of a command or a shell.
func running(id, name, what string, plain string) api.Session {
	v := named(id, name, api.StateIdle, 9)
	v.Agent, v.Plain = what, plain
	return v
}

// mixed are two idle agents, one that works, and what runs beside them and is no agent.
func mixed() []api.Session {
	return []api.Session{
		named("aaaa1111", "api", api.StateIdle, 0), named("bbbb2222", "web", api.StateIdle, 1), named("cccc3333", "long", api.StateWorking, 2),
		running("dddd4444", "vim", "command", api.PlainCommand), running("eeee5555", "sh", "command", api.PlainShell),
		running("ffff6666", "zsh", "shell", ""), // as an older daemon says it
		running("gggg7777", "fish", "mine", api.PlainShell),
	}
}

// TestIdleAgentsOnly: no way to the idle ones leads to a shell or a command, and none of
// them is one Tab away.
func TestIdleAgentsOnly(t *testing.T) {
	byTab := func(m *model) { do(m, "Tab", "Tab") }
	byList := func(m *model) {
		do(m, "C-t")
		typeIn(m, "all idle")
		shows(t, m, "2 agents: api, web")
		do(m, "Enter")
	}
	for _, choose := range []func(*model){byTab, byList} {
		m, c := clientModel(t, mixed()...)
		do(m, "C-b", ":")
		typeIn(m, "touch OOPS")
		choose(m)
		shows(t, m, " to 2 idle agents: api, web ")
		do(m, "Enter")
		if got := strings.Join(c.sends(), ","); got != "send aaaa1111 touch OOPS,send bbbb2222 touch OOPS" {
			t.Errorf("sent %q", got)
		}
	}
	// Where nothing but shells is idle there is no such target.
	m, c := clientModel(t, mixed()[2:]...)
	do(m, "C-b", ":")
	typeIn(m, "x")
	for range 4 {
		do(m, "Tab")
		if strings.Contains(m.picture().Dump(), " idle agent") {
			t.Error("Tab leads to no idle agent")
		}
	}
	if len(c.sends()) != 0 {
		t.Errorf("sent %q", c.sends())
	}
}

// TestFirstTab: it leads to no group, with a session in focus, an ended one or none, and
// with the queue or without.
func TestFirstTab(t *testing.T) {
	for _, first := range []api.Session{named("aaaa0000", "first", api.StateIdle, -1), ended("aaaa0000", "first", 0)} {
		for _, queue := range []bool{false, true} {
			m, c := clientModel(t, append([]api.Session{first}, mixed()...)...)
			if queue {
				m.opts.Client = queueFake{c}
			}
			m.setFocus(first.ID)
			do(m, "C-b", ":", "Tab")
			want := " to a new session "
			if queue && first.State.Ended() {
				want = " to the queue " // the first one would be a new session
			}
			if got := m.picture().Dump(); !strings.Contains(got, want) {
				t.Errorf("queue %v, state %s: the first Tab does not lead%s:\n%s", queue, first.State, want, got)
			}
		}
	}
}

// TestIdleSetIsKept: of those that the bar named, who is not idle any more does not get
// the text, and it says so; who becomes idle does not either.
func TestIdleSetIsKept(t *testing.T) {
	becomes := func(m *model, i int, st api.State) {
		v := mixed()[i]
		v.State = st
		watched(m, api.WatchMessage{Session: &v})
	}
	m, c := clientModel(t, mixed()...)
	do(m, "C-b", ":")
	typeIn(m, "go")
	do(m, "Tab", "Tab")
	becomes(m, 2, api.StateIdle)
	shows(t, m, " to 2 idle agents: api, web ")
	becomes(m, 1, api.StateWorking)
	shows(t, m, " to 1 idle agent: api; web is not idle any more ")
	do(m, "Enter")
	if got := strings.Join(c.sends(), ","); got != "send aaaa1111 go" {
		t.Errorf("sent %q", got)
	}
	shows(t, m, "sent to api; web is not idle any more")
	// None is left: nothing is sent, and the text stays.
	c.calls = nil
	do(m, "C-b", ":")
	typeIn(m, "more")
	do(m, "Tab", "Tab")
	shows(t, m, " to 2 idle agents: api, long ")
	becomes(m, 0, api.StatePermission)
	watched(m, api.WatchMessage{Removed: "cccc3333"})
	do(m, "Enter")
	shows(t, m, "not sent: api, long are not idle any more", "❯ more")
	if got := c.sends(); len(got) != 0 {
		t.Errorf("sent %q", got)
	}
	// The bar that is opened again names those that are idle then.
	becomes(m, 1, api.StateIdle)
	do(m, "Escape", "C-b", ":")
	shows(t, m, " to 1 idle agent: web ")
}

// TestLeftOutAndFailed: a text that did not reach one of the group comes back for that
// one alone, with who was left out.
func TestLeftOutAndFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, c, keys, write, settled := typedAhead(t, idles()...)
		keys("C-b", ":")
		write("go")
		keys("Tab", "Tab")
		for _, id := range []string{"cccc3333", "dddd4444"} {
			v := *m.Session(id)
			v.State = api.StateWorking
			watched(m, api.WatchMessage{Session: &v})
		}
		keys("Enter")
		settled()
		c.let["aaaa1111"] <- api.Errorf(api.CodeConflict, "a dialog is open")
		c.let["bbbb2222"] <- nil
		settled()
		shows(t, m, "not sent to api: a dialog is open; docs, ops are not idle any more", " to api ")
	})
}

// TestPlainByName: a shell or a command gets a text where it was named, and the bar says
// what it is.
func TestPlainByName(t *testing.T) {
	m, c := clientModel(t, mixed()...)
	m.setFocus("eeee5555")
	do(m, "C-b", ":")
	shows(t, m, " to sh, a shell ")
	typeIn(m, "ls")
	do(m, "Enter")
	if got := strings.Join(c.sends(), ","); got != "send eeee5555 ls" {
		t.Errorf("sent %q", got)
	}
	// Marked in the session list.
	c.calls = nil
	do(m, "C-b", "s")
	do(m, "/", "a", "p", "i", "Tab", "Space", "/", "BSpace", "BSpace", "BSpace", "s", "h", "Tab", "Space", ":")
	shows(t, m, " to 2 sessions: api and sh, a shell ")
	typeIn(m, "both")
	do(m, "Enter")
	if got := strings.Join(c.sends(), ","); got != "send aaaa1111 both,send eeee5555 both" {
		t.Errorf("sent %q", got)
	}
	// Marked in the bar's own list.
	do(m, "C-b", ":", "C-t")
	typeIn(m, "vim")
	shows(t, m, "vim  command")
	do(m, "Space", "BSpace", "BSpace", "BSpace")
	typeIn(m, "zsh")
	do(m, "Space", "Enter")
	shows(t, m, " to 2 sessions: vim, zsh, which are no agents ")
}

// TestMarkedWithAllOthers: who marks all that are listed has named no shell among them.
func TestMarkedWithAllOthers(t *testing.T) {
	m, _ := clientModel(t, mixed()...)
	do(m, "C-b", "s", "a", ":")
	shows(t, m, " to 3 sessions: api, web, long ", "no agents, left out: ", "Space in the list marks one")
	do(m, "Escape")
	// One that is marked by itself, before or after, gets it.
	do(m, "C-b", "s", "a", "/", "s", "h", "Tab")
	do(m, "Space", "Up", "Space") // not marked any more, and marked again
	do(m, ":")
	shows(t, m, " to 4 sessions: api, web, long and sh, a shell ")
	// Nothing but shells and commands: the list stays.
	m, _ = clientModel(t, mixed()[3:]...)
	do(m, "C-b", "s", "a", ":")
	if list(t, m); m.mode == modePrompt {
		t.Errorf("mode %v", m.mode)
	}
	shows(t, m, "4 marked", "no agents, left out: ")
}
