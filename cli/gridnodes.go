package cli

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"ccdir/api"
	"ccdir/client"
	"ccdir/internal/text/textsafe"
	"ccdir/nodes"
	"ccdir/nodes/link"
	"ccdir/nodes/merge"
	"ccdir/tui/ui"
)

// fleet is the grid's client of several machines: this one, and the nodes. Ids of a node's things
// are NODE/ID (package merge); the methods that take one are in gridfar.go. What has no id is this
// machine's.
type fleet struct {
	gridClient
	far    map[string]*farNode
	names  []string
	merger atomic.Pointer[merge.Merger] // set by Watch
	grid   atomic.Pointer[api.Grid]     // as it was kept last
}

// farNode is one node.
type farNode struct {
	gridClient
	remote *nodes.Remote
	// watching: its watch stream runs.
	watching atomic.Bool
}

// withNodes returns the grid's client of this machine and the nodes of the configuration; c
// itself if there are none.
func (a *app) withNodes(c *client.Client) (gc ui.Client, names []string, err error) {
	names = a.nodeNames()
	if len(names) == 0 || a.node != "" {
		return gridClient{c}, nil, nil
	}
	f := &fleet{gridClient: gridClient{c}, far: map[string]*farNode{}, names: names}
	for _, name := range names {
		r, err := a.remote(name, true)
		if err != nil {
			return nil, nil, err
		}
		o := client.Options{Paths: c.Paths(), UID: a.UID, Far: r, Name: viaHere("tui"), Patience: gridPatience}
		f.far[name] = &farNode{gridClient: gridClient{client.New(o)}, remote: r}
	}
	return f, names, nil
}

// farPane returns the grid's id of a node's session, and makes the verb act on this machine again:
// the grid shows all machines. "": ref is none, or of this machine.
func (a *app) farPane(ctx context.Context, ref string) (string, error) {
	node := a.node
	if node == "" || ref == "" {
		return "", nil
	}
	c, err := a.connect(ctx)
	if err != nil {
		return "", err
	}
	s, err := c.Session(ctx, ref)
	c.Close()
	a.node, a.client = "", nil
	return merge.Of(node, s.ID), err
}

// retryWatch is the pause after a watch stream of a node that is online has ended.
const retryWatch = 300 * time.Millisecond

// Watch follows all machines. It ends with this machine's stream; that of a node never ends it.
func (f *fleet) Watch(ctx context.Context, message func(api.WatchMessage), changed func(error)) error {
	ctx, cancel := context.WithCancel(ctx)
	m := merge.New(f.names, time.Now, func(msg api.WatchMessage) {
		if msg.Snapshot != nil && msg.Snapshot.Grid != nil {
			f.grid.Store(msg.Snapshot.Grid)
		}
		if msg.Grid != nil {
			f.grid.Store(msg.Grid)
		}
		message(msg)
	})
	f.merger.Store(m)
	var wg sync.WaitGroup
	for name, n := range f.far {
		wg.Go(func() { n.follow(ctx, name, m) })
	}
	err := f.gridClient.Watch(ctx, func(msg api.WatchMessage) { m.Take("", msg) }, changed)
	cancel()
	wg.Wait()
	return err
}

// follow keeps a node's part of the picture: its stream while it is online, and since when it is
// away.
func (n *farNode) follow(ctx context.Context, name string, m *merge.Merger) {
	online := make(chan struct{}, 1)
	var wg sync.WaitGroup
	told := link.StateOnline // the state that the person was told of last
	wg.Go(func() {
		n.remote.Watch(ctx, func(s link.Status) {
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
			m.Away(name, since(s.Seen))
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
		if s, err := n.remote.Status(ctx); err == nil && s.State == link.StateOnline {
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

// at returns the client that an id belongs to, the id there, and the context of a call: what it
// is meant for (If-Match) has the id too.
func (f *fleet) at(ctx context.Context, id string) (context.Context, gridClient, string, string, error) {
	node, rest := merge.Split(id)
	if node == "" {
		return ctx, f.gridClient, "", id, nil
	}
	n := f.far[node]
	if n == nil {
		return ctx, f.gridClient, "", id, errors.New("there is no node " + node + " any more")
	}
	if match := api.MatchOf(ctx); match != "" {
		if of, own := merge.Split(match); of == node {
			ctx = api.IfMatch(ctx, own)
		}
	}
	return ctx, n.gridClient, node, rest, nil
}

// Health is this machine's.
func (f *fleet) Health(ctx context.Context) (api.Server, error) { return f.gridClient.Health(ctx) }

// SetGrid keeps the arrangement here. Nodes that are away keep their places.
func (f *fleet) SetGrid(ctx context.Context, g api.Grid) error {
	if old, m := f.grid.Load(), f.merger.Load(); old != nil && m != nil {
		g.Order = append(g.Order, missing(old.Order, g.Order, m)...)
		g.Hidden = append(g.Hidden, missing(old.Hidden, g.Hidden, m)...)
	}
	return f.gridClient.SetGrid(ctx, g)
}

// missing returns the ids that were kept and are of nodes that have not been heard of yet.
func missing(old, now []string, m *merge.Merger) (out []string) {
	have := map[string]bool{}
	for _, id := range now {
		have[id] = true
	}
	for _, id := range old {
		if !have[id] && m.Keeps(id) {
			out = append(out, id)
		}
	}
	return out
}

// NodeOffers returns what can be started on a node, and where (ui.NodeOffers).
func (f *fleet) NodeOffers(ctx context.Context, node string) (agents []api.AgentInfo, dirs []api.Directory, home string, err error) {
	n := f.far[node]
	if n == nil {
		return nil, nil, "", errors.New("there is no node " + node)
	}
	if agents, err = n.Agents(ctx); err != nil {
		return nil, nil, "", err
	}
	if dirs, err = n.Directories(ctx); err != nil {
		return nil, nil, "", err
	}
	if s, err := n.remote.Status(ctx); err == nil && s.Greeting != nil {
		home = s.Greeting.Home
	}
	return agents, dirs, home, nil
}
