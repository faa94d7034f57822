package tui

import (
	"context"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/tui/known"
	"ccdir/tui/ui"
)

// healthClient is a daemon that says how its database is.
type healthClient struct {
	ui.Client
	unsaved *string
	asked   *int
}

func (c healthClient) Health(context.Context) (api.Server, error) {
	*c.asked++
	return api.Server{Unsaved: *c.unsaved}, nil
}

// TestUnsavedIsShown: as long as the daemon cannot save changes, the status line says so:
// from the snapshot on, from an event on, and until it can.
func TestUnsavedIsShown(t *testing.T) {
	t.Parallel()
	m, c := clientModel(t, two()...)
	now := m.now()
	m.now = func() time.Time { return now }
	unsaved, asked := "", 0
	m.opts.Client = healthClient{c, &unsaved, &asked}
	tick := func() { _, c := m.Update(clockMsg{m.wakeGen}); perform(m, c) }
	tick()
	if asked != 0 {
		t.Errorf("asked %d times without a reason", asked)
	}
	unsaved = "changes can't be saved\x1b[31m: the disk is full"
	_, next := m.Update(newsMsg{news{News: known.News{Events: []api.Event{{Seq: 1, At: now, Type: api.EventStoreHeld, Source: "daemon"}}}}})
	perform(m, next)
	shows(t, m, "not saved: changes can't be saved␛[31m: the disk is full")
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
	tick()
	now = now.Add(10 * time.Second)
	unsaved = ""
	tick()
	if text := m.scene(m.now(), nil); asked != 2 || text.Server.Unsaved != "" {
		t.Errorf("asked %d times, %q", asked, text.Server.Unsaved)
	}
	m.take(news{News: known.News{Snapshot: &api.Snapshot{Sessions: two(), Server: api.Server{PID: 7, Unsaved: "changes are only in memory"}}}})
	shows(t, m, "not saved: changes are only in memory")
}
