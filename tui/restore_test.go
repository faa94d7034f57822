package tui

import (
	"context"
	"fmt"
	"testing"

	"ccdir/api"
)

// restoreFake is a daemon that has something to restore.
type restoreFake struct {
	*fakeClient
	offer *api.RestoreOffer
}

func (c restoreFake) RestoreOffer(context.Context, int) (api.RestoreOffer, error) {
	return *c.offer, c.note("offer")
}

func (c restoreFake) Restore(_ context.Context, q api.Restore) ([]api.Restored, error) {
	if err := c.note("restore %s", q.Sessions[0]); err != nil {
		return nil, err
	}
	if q.Sessions[0] == "docs0000" {
		return []api.Restored{{ID: "docs0000", Name: "docs", Error: "the directory /gone does not exist"}}, nil
	}
	v := testSession(q.Sessions[0], "back", api.StateStarting)
	return []api.Restored{{ID: v.ID, Name: v.Name, Session: &v}}, nil
}

func (c restoreFake) RefuseRestore(context.Context) error { return c.note("refuse") }

func rebootOffer() api.RestoreOffer {
	past := func(id, name, cwd, prompt string) api.OfferedSession {
		p := api.PastSession{ID: id, Name: name, Agent: "claude", CWD: cwd, Conversation: "c-" + id, Prompt: prompt}
		return api.OfferedSession{PastSession: p, State: api.StateLost, Resume: prompt != ""}
	}
	o := api.RestoreOffer{Reason: api.RestoreReboot, At: epoch.Add(-10 * 60e9), Sessions: []api.OfferedSession{
		past("api00000", "api", "/home/me/shop", "add a cart\nand \x1b[31mtests"), past("web00000", "web\x1b]0;x\a", "/home/me/web", ""), past("docs0000", "docs", "/gone", "write"),
	}}
	o.Sessions[2].Problem = "its directory is gone: /gone"
	return o
}

// restorable is a grid whose daemon offers three sessions.
func restorable(t *testing.T) (*model, *fakeClient) {
	t.Helper()
	m, c := clientModel(t, fourSessions...)
	o := rebootOffer()
	m.opts.Client = restoreFake{c, &o}
	m.inbox.watch(api.WatchMessage{Snapshot: &api.Snapshot{Sessions: fourSessions, Server: api.Server{PID: 7}}})
	_, cmd := m.Update(newsMsg{m.inbox.take()})
	perform(m, cmd)
	return m, c
}

// TestRestoreIsOffered: a grid that is opened after a reboot offers what ran;
// Enter begins what is chosen, and what cannot be begun is not chosen.
func TestRestoreIsOffered(t *testing.T) {
	m, c := restorable(t)
	shows(t, m, "The machine was restarted", "☑ api", "goes on: add a cart", "☑ web", "begins anew", "☐ docs", "its directory is gone")
	golden(t, "restore", m.picture().Dump())
	do(m, "Enter")
	if got := calledFor(c, "restore"); fmt.Sprint(got) != "[restore api00000 restore web00000]" {
		t.Errorf("called: %v", got)
	}
	shows(t, m, "restoring: 2 of 2 sessions done")
	if m.overlay != nil || m.Session("api00000") == nil {
		t.Error("the dialog is still open, or the session is not in the grid")
	}
}

func TestRestoreChoose(t *testing.T) {
	m, c := restorable(t)
	do(m, "Down", "Space", "Space", "Up", "Enter") // without web, with docs, which fails
	if got := calledFor(c, "restore"); fmt.Sprint(got) != "[restore api00000 restore docs0000]" {
		t.Errorf("called: %v", got)
	}
	shows(t, m, "1 failed (docs: the directory /gone does not exist)")

	m, c = restorable(t)
	do(m, "a", "a", "Enter") // all, none
	shows(t, m, "none is chosen")
	do(m, "d")
	if got := c.noted(); len(calledFor(c, "restore")) != 0 || got[len(got)-1] != "refuse" {
		t.Errorf("called: %v", got)
	}
	shows(t, m, "not offered again")
}

// TestRestoreLater: the dialog opens by itself once, and in a grid that somebody
// works in a line tells of it.
func TestRestoreLater(t *testing.T) {
	m, c := restorable(t)
	do(m, "Escape")
	shows(t, m, "C-b M-r offers it again")
	again := func(pid int) {
		m.inbox.watch(api.WatchMessage{Snapshot: &api.Snapshot{Sessions: fourSessions, Server: api.Server{PID: pid}}})
		_, cmd := m.Update(newsMsg{m.inbox.take()})
		perform(m, cmd)
	}
	again(7)
	if n := len(calledFor(c, "offer")); m.overlay != nil || n != 1 {
		t.Errorf("asked %d times, overlay %T", n, m.overlay)
	}
	again(8) // another daemon
	if n := len(calledFor(c, "offer")); m.overlay != nil || n != 2 {
		t.Errorf("asked %d times, overlay %T", n, m.overlay)
	}
	shows(t, m, "3 sessions can be begun again: C-b M-r")
	m.opts.Client.(restoreFake).offer.Sessions = nil
	do(m, "C-b", "M-r")
	shows(t, m, "nothing to restore")
}

// TestRestoreWhatIsLostMeanwhile: a grid that is open says that lost sessions can be begun
// again, and opens the dialog if nothing else runs.
func TestRestoreWhatIsLostMeanwhile(t *testing.T) {
	m, c := restorable(t)
	do(m, "Escape")
	lose := func() {
		m.inbox.watch(api.WatchMessage{Event: &api.Event{Seq: 1 << 20, Type: api.EventRestoreOffered}})
		_, cmd := m.Update(newsMsg{m.inbox.take()})
		perform(m, cmd)
	}
	lose()
	if n := len(calledFor(c, "offer")); m.overlay != nil || n != 2 {
		t.Errorf("asked %d times, overlay %T", n, m.overlay)
	}
	shows(t, m, "3 sessions can be begun again: C-b M-r")
	for _, v := range m.Sessions {
		v.State = api.StateLost
		m.inbox.watch(api.WatchMessage{Session: &v})
	}
	lose()
	shows(t, m, "☑ api")
}
