package tui

import (
	"context"
	"sync"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
	"ccdir/tui/known"
	"ccdir/tui/pane"
	"ccdir/wire"
)

// news holds what arrived since the program looked last.
type news struct {
	known.News
	settings *Settings // of the configuration
	settled  error     // why no others come
	panes    map[string]pane.State
	copies   map[string]wire.Copy // of programs in panes
	size     *[2]int
	redraw   bool
	seen     bool // the first picture is on the screen
}

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
	b.put(func(n *news) { n.Watch(m) })
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
