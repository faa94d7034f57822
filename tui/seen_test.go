package tui

import (
	"slices"
	"testing"
	"time"

	"ccdir/api"
)

// TestAskedWhenSeen: what the first picture does not need is asked for once it is
// on the screen, once.
func TestAskedWhenSeen(t *testing.T) {
	c := newFakeClient(two()...)
	m := testModel(120, 40)
	m.unseen, m.Agents, m.opts.Client = true, nil, c
	perform(m, m.Init())
	m.Update(newsMsg{news{snapshot: &api.Snapshot{Sessions: two(), Server: api.Server{PID: 7}}}})
	if len(m.Agents) != 0 || m.offered != 0 {
		t.Errorf("asked before the first picture: %v, %d", m.Agents, m.offered)
	}
	for range 2 {
		_, cmd := m.Update(newsMsg{news{seen: true}})
		perform(m, cmd)
		if !slices.EqualFunc(m.Agents, c.agents, func(a, b api.AgentInfo) bool { return a.Name == b.Name }) || m.offered != 7 {
			t.Errorf("after it: %v, %d", m.Agents, m.offered)
		}
		c.agents = c.agents[:2]
	}
}

// TestSeenInView: one key says that what is on the screen was looked at, and of nothing else.
func TestSeenInView(t *testing.T) {
	all := two()
	for i := range all {
		all[i].State, all[i].Unread, all[i].Prompt = api.StateIdle, true, "go"
	}
	m, c := clientModel(t, all...)
	do(m, "C-b", ".")
	for _, v := range all {
		if !slices.Contains(c.noted(), "seen "+v.ID) {
			t.Errorf("%s stays unread: %q", v.Name, c.noted())
		}
	}
}

// TestOpeningIsNoLook: the session on which a grid is opened counts as looked at once a person
// gives an input; one that gets the focus does at once.
func TestOpeningIsNoLook(t *testing.T) {
	t.Parallel()
	all := two()
	for i := range all {
		all[i].State, all[i].Unread, all[i].Prompt = api.StateIdle, true, "go"
	}
	for _, focus := range []bool{false, true} {
		m, c := clientModel(t, all...)
		m.met = m.grid.Focus
		m.seenSent = map[string]time.Time{}
		c.calls = nil
		settled := func() []string {
			_, cmd := m.Update(newsMsg{})
			perform(m, cmd)
			return c.noted()
		}
		if got := settled(); slices.Contains(got, "seen "+all[0].ID) {
			t.Errorf("nobody has touched a key: %q", got)
		}
		want := all[0].ID
		if focus {
			m.setFocus(all[1].ID)
			want = all[1].ID
		} else {
			m.router.NoteInput(m.now())
		}
		if got := settled(); !slices.Contains(got, "seen "+want) {
			t.Errorf("focus %v: %q", focus, got)
		}
	}
}
