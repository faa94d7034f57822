package tui

import (
	"context"
	"sync"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
	"ccdir/tui/pane"
	"ccdir/tui/sidebar/events"
	"ccdir/tui/ui"
	"ccdir/wire"
)

// maxEvents is how many events the grid keeps in view.
const maxEvents = events.Most

// news holds what arrived since the program looked last: of every kind of
// state the latest, of events all (the newest maxEvents).
type news struct {
	// snapshot replaces everything before; what follows it is below.
	snapshot *api.Snapshot
	sessions map[string]api.Session
	requests map[string]requestNews
	removed  map[string]bool
	events   []api.Event
	focus    string
	grid     *api.Grid
	tasks    map[string]*api.Task // nil: forgotten
	queue    *api.Queue
	queues   map[string]api.Queue // of nodes
	settings *Settings            // of the configuration
	nodes    *[]ui.Node
	settled  error // why no others come
	// link is set when the connection to the daemon changed.
	link   *linkState
	panes  map[string]pane.State
	copies map[string]wire.Copy // of programs in panes
	size   *[2]int
	redraw bool
	seen   bool // the first picture is on the screen
}

// linkState is whether the daemon answers.
type linkState struct{ lost error }

// inbox collects news until the program takes them: one slot, one wake-up,
// however much arrives.
type inbox struct {
	mu   sync.Mutex
	next news
	wake chan struct{}
}

func newInbox() *inbox { return &inbox{wake: make(chan struct{}, 1)} }

// put changes the news under the lock; f must not block.
func (b *inbox) put(f func(*news)) {
	b.mu.Lock()
	f(&b.next)
	b.mu.Unlock()
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// take returns the news and begins anew.
func (b *inbox) take() news {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := b.next
	b.next = news{}
	return n
}

// wait returns the next news, nil when ctx ends.
func (b *inbox) wait(ctx context.Context) tea.Msg {
	select {
	case <-b.wake:
		return newsMsg{b.take()}
	case <-ctx.Done():
		return nil
	}
}

// watch puts one message of the watch stream into the inbox.
func (b *inbox) watch(m api.WatchMessage) {
	b.put(func(n *news) {
		if m.Snapshot != nil {
			n.snapshot, n.sessions, n.removed, n.events, n.requests, n.grid = m.Snapshot, nil, nil, nil, nil, nil
			n.tasks, n.queue, n.queues = nil, nil, nil
		}
		if m.Session != nil {
			if n.sessions == nil {
				n.sessions = map[string]api.Session{}
			}
			n.sessions[m.Session.ID] = *m.Session
			delete(n.removed, m.Session.ID)
		}
		if m.Removed != "" {
			if n.removed == nil {
				n.removed = map[string]bool{}
			}
			n.removed[m.Removed] = true
			delete(n.sessions, m.Removed)
		}
		if m.Event != nil {
			n.events = append(n.events, *m.Event)
			if len(n.events) > 2*maxEvents {
				n.events = append([]api.Event(nil), n.events[len(n.events)-maxEvents:]...)
			}
		}
		if m.Request != nil {
			n.request(m.Request.ID, requestNews{open: m.Request})
		}
		if m.RequestEnded != nil {
			n.request(m.RequestEnded.Request.ID, requestNews{ended: m.RequestEnded})
		}
		n.task(m)
		if m.Grid != nil {
			n.grid = m.Grid
		}
		if m.Focus != "" {
			n.focus = m.Focus
		}
	})
}

// request takes the latest of a permission request.
func (n *news) request(id string, r requestNews) {
	if n.requests == nil {
		n.requests = map[string]requestNews{}
	}
	n.requests[id] = r
}

func (b *inbox) pane(s pane.State) {
	b.put(func(n *news) {
		if n.panes == nil {
			n.panes = map[string]pane.State{}
		}
		n.panes[s.ID] = s
	})
}

func (b *inbox) copied(id string, c wire.Copy) {
	b.put(func(n *news) {
		if n.copies == nil {
			n.copies = map[string]wire.Copy{}
		}
		n.copies[id] = c
	})
}
