package machines

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"ccdir/api"
	"ccdir/client"
	"ccdir/internal/contain"
	"ccdir/internal/text/textsafe"
	"ccdir/nodes/link"
)

// Node is how a node is reached.
type Node struct {
	Name   string
	Target string // what ssh is told to connect with
	State  link.State
	Reason string // why it is not online, and what to do; "" if it is
	Trying bool   // ssh connects at the moment
	// Version is the daemon's there, "" unknown; System its operating system and architecture.
	Version, System string
	// Round is the last round trip, about; 0 unknown.
	Round time.Duration
	// Seen is when it answered last, Next when the next try begins; zero: never.
	Seen, Next time.Time
	// Links: its sessions' hyperlinks may be shown (clipboard in its configuration).
	Links bool
}

// tellNodes hands over how the nodes are reached. ms.mu is held.
func (ms *Client) tellNodes() {
	if ms.changed == nil {
		return
	}
	list := make([]Node, 0, len(ms.far))
	for _, name := range slices.Sorted(maps.Keys(ms.far)) {
		list = append(list, ms.far[name].state)
	}
	ms.changed(list)
}

// took takes a node's status. A round trip that is about the same, as after each ping, is not told.
func (ms *Client) took(n *farNode, s link.Status) (seen time.Time) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	now := nodeOf(n.state, s)
	same := n.state
	same.Seen, same.Round = now.Seen, now.Round
	old := n.state.Round
	if same == now && old > 0 && (now.Round-old).Abs() <= old/4+time.Millisecond {
		n.state.Seen = now.Seen
		return now.Seen
	}
	n.state = now
	if ms.far[now.Name] == n {
		ms.tellNodes()
	}
	return now.Seen
}

// nodeOf describes a node by its link's status.
func nodeOf(n Node, s link.Status) Node {
	n.State = cmp.Or(s.State, link.StateOffline)
	n.Reason, n.Trying, n.Next = textsafe.Line(s.Reason), s.Trying, s.Next
	if s.Round > 0 {
		n.Round = s.Round
	}
	if !s.Seen.IsZero() {
		n.Seen = s.Seen
	}
	if g := s.Greeting; g != nil {
		n.Version, n.System = textsafe.Line(g.Version), textsafe.Line(g.System)
		if g.Server != nil {
			n.Version = textsafe.Line(g.Server.Version)
		}
	}
	return n
}

// retryWatch is the pause after a watch stream of a node that is online has ended.
const retryWatch = 300 * time.Millisecond

// Watch follows this machine, and tells of all of them. It ends with this machine's stream; that
// of a node never ends it.
func (ms *Client) Watch(ctx context.Context, w client.Watcher) error {
	tell := func(msg api.WatchMessage) {
		if msg.Snapshot != nil && msg.Snapshot.Grid != nil {
			ms.grid.Store(msg.Snapshot.Grid)
		}
		if msg.Grid != nil {
			ms.grid.Store(msg.Grid)
		}
		w.Message(msg)
	}
	ms.tell.Store(&tell)
	take := tell // events keep their numbers as long as there is one machine
	for {
		once, cancel := context.WithCancel(ctx)
		ms.mu.Lock()
		if ms.alone = nil; len(ms.far) > 0 || ms.joined.Load() {
			ms.joined.Store(true)
			take = func(msg api.WatchMessage) { ms.merger.Take("", msg) }
		} else {
			ms.alone = cancel
		}
		ms.mu.Unlock()
		err := ms.Client.Watch(once, client.Watcher{Message: take, Link: w.Link})
		again := once.Err() != nil && ctx.Err() == nil
		cancel()
		if !again {
			return err
		}
	}
}

// follow keeps a node's part of the picture: its stream while it is online, and since when it is
// away.
func (ms *Client) follow(ctx context.Context, n *farNode) {
	name, m := n.link.Node(), ms.merger
	online := make(chan struct{}, 1)
	var wg contain.Group
	told := link.StateOnline // the state that the person was told of last
	wg.Go(func() {
		n.link.Watch(ctx, func(s link.Status) {
			seen := ms.took(n, s)
			switch {
			case s.State == told, s.State == link.StateStale, s.State == link.StateOffline && soonBack(s):
			case s.State == link.StateOnline:
				m.Note(name, "is online again")
				told = s.State
			default:
				m.Note(name, stateWord(s.State)+": "+textsafe.Line(s.Reason))
				told = s.State
			}
			if s.State == link.StateOnline {
				if n.watching.Load() { // else the snapshot says so
					m.Away(name, time.Time{})
				}
				select {
				case online <- struct{}{}:
				default:
				}
				return
			}
			m.Away(name, since(seen))
		})
	})
	for ctx.Err() == nil {
		select {
		case <-online:
		case <-ctx.Done():
			continue
		}
		err := n.WatchOnce(ctx, func(msg api.WatchMessage) {
			n.watching.Store(true)
			m.Take(name, msg)
		})
		if n.watching.Swap(false) && ctx.Err() == nil {
			m.Away(name, time.Now())
		}
		if api.CodeOf(err) == api.CodeBadVersion {
			continue // another link begins with another greeting
		}
		if s, err := n.link.Status(ctx); err == nil && s.State == link.StateOnline {
			select {
			case <-time.After(retryWatch): // the daemon there restarts
				select {
				case online <- struct{}{}:
				default:
				}
			case <-ctx.Done():
			}
		}
	}
	wg.Wait()
}

// soonBack reports whether a node that is offline is being tried again at once: not worth an event.
func soonBack(s link.Status) bool {
	return s.Trying || !s.Next.IsZero() && time.Until(s.Next) < time.Second
}

// stateWord says how a node cannot be reached.
func stateWord(s link.State) string {
	switch s {
	case link.StateAsks:
		return "asks you"
	case link.StateOld:
		return "has no ccdir that fits"
	}
	return "is offline"
}

// since is when a node answered last: now, if it never did.
func since(seen time.Time) time.Time {
	if seen.IsZero() {
		return time.Now()
	}
	return seen
}
