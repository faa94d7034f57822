package machines

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"ccdir/api"
	"ccdir/client"
	"ccdir/config"
	"ccdir/internal/contain"
	"ccdir/internal/text/textsafe"
	"ccdir/nodes/link"
	"ccdir/nodes/merge"
)

// Client is a client of several machines. Methods that take an id are in calls.go, those that ask
// every machine in past.go; the others are of this machine's client.
type Client struct {
	*client.Client
	open   func(name string, n config.Node) *farNode
	merger *merge.Merger
	tell   atomic.Pointer[func(api.WatchMessage)] // of Watch
	grid   atomic.Pointer[api.Grid]               // as it was kept last

	mu      sync.Mutex
	far     map[string]*farNode
	ctx     context.Context // of Nodes; nil before
	wg      contain.Group   // of its followers
	changed func([]Node)
	alone   context.CancelFunc // ends a stream of Watch that was begun without nodes
	joined  atomic.Bool        // the merger has this machine's part
}

// farNode is one node.
type farNode struct {
	*client.Client
	link   nodeLink
	config config.Node
	stop   context.CancelFunc // ends its follower; nil: none runs
	// watching: its watch stream runs.
	watching atomic.Bool
	state    Node // guarded by the client's mu
}

// nodeLink is the connection with a node (*nodes.Remote).
type nodeLink interface {
	client.Far
	// Watch calls changed with each status until ctx ends.
	Watch(ctx context.Context, changed func(link.Status))
	Status(ctx context.Context) (link.Status, error)
	Up(ctx context.Context, install *link.Install, answer func(string) (string, bool), progress func(link.Status)) (link.Status, error)
	TakeDown(ctx context.Context) error
}

// New returns a client of this machine, whose client is c, and of the nodes. It does no I/O; nodes
// are dialled by Nodes. Close closes c alone.
func New(c *client.Client, from Opener, nodes map[string]config.Node) *Client {
	return newClient(c, func(name string, n config.Node) *farNode {
		r := from.Remote(name, n, true)
		return newFarNode(name, n, r, from.Client(r, 0))
	}, nodes)
}

func newClient(c *client.Client, open func(name string, n config.Node) *farNode, nodes map[string]config.Node) *Client {
	ms := &Client{Client: c, open: open, far: map[string]*farNode{}}
	ms.merger = merge.New(time.Now, func(msg api.WatchMessage) {
		if tell := ms.tell.Load(); tell != nil {
			(*tell)(msg)
		}
	})
	ms.Configure(nodes)
	return ms
}

func newFarNode(name string, n config.Node, l nodeLink, o client.Options) *farNode {
	return &farNode{Client: client.New(o), link: l, config: n, state: Node{Name: name, Target: n.SSH, State: link.StateOffline, Links: n.Clipboard}}
}

// Nodes follows the nodes until ctx ends: it tells how each is reached, and their part of the
// picture comes by Watch. The first list comes before anything of theirs.
func (ms *Client) Nodes(ctx context.Context, changed func([]Node)) {
	ms.mu.Lock()
	ms.ctx, ms.changed = ctx, changed
	ms.tellNodes()
	for _, n := range ms.far {
		ms.followNode(n)
	}
	ms.mu.Unlock()
	<-ctx.Done()
	ms.wg.Wait()
}

// Configure takes the nodes of the configuration: new ones are followed, those that are gone or
// have changed are not any more.
func (ms *Client) Configure(now map[string]config.Node) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	for name, n := range ms.far {
		if c, ok := now[name]; ok && reflect.DeepEqual(c, n.config) {
			continue
		}
		if n.stop != nil {
			n.stop()
		}
		n.Close()
		delete(ms.far, name)
		ms.merger.Remove(name)
	}
	for name, c := range now {
		if ms.far[name] != nil {
			continue
		}
		n := ms.open(name, c)
		ms.far[name] = n
		ms.merger.Add(name)
		if ms.ctx != nil {
			ms.followNode(n)
		}
		if ms.alone != nil {
			ms.alone()
		}
	}
	ms.tellNodes()
}

// followNode starts a node's follower. ms.mu is held.
func (ms *Client) followNode(n *farNode) {
	var ctx context.Context
	ctx, n.stop = context.WithCancel(ms.ctx)
	ms.wg.Go(func() { ms.follow(ctx, n) })
}

// node finds a node by its name, nil if there is none.
func (ms *Client) node(name string) *farNode {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	return ms.far[name]
}

// reachable are the nodes whose watch streams run, by their names.
func (ms *Client) reachable() map[string]*farNode {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	out := maps.Clone(ms.far)
	maps.DeleteFunc(out, func(_ string, n *farNode) bool { return !n.watching.Load() })
	return out
}

// SetGrid keeps the arrangement here. Nodes that are away keep their places.
func (ms *Client) SetGrid(ctx context.Context, g api.Grid) error {
	if old := ms.grid.Load(); old != nil {
		g.Order = append(g.Order, missing(old.Order, g.Order, ms.merger)...)
		g.Hidden = append(g.Hidden, missing(old.Hidden, g.Hidden, ms.merger)...)
	}
	return ms.Client.SetGrid(ctx, g)
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

// NodeOffers returns what can be started on a node, and where.
func (ms *Client) NodeOffers(ctx context.Context, node string) (agents []api.AgentInfo, dirs []api.Directory, home string, err error) {
	n := ms.node(node)
	if n == nil {
		return nil, nil, "", errors.New("there is no node " + node)
	}
	if agents, err = n.Agents(ctx); err != nil {
		return nil, nil, "", err
	}
	if dirs, err = n.Directories(ctx); err != nil {
		return nil, nil, "", err
	}
	if s, err := n.link.Status(ctx); err == nil && s.Greeting != nil {
		home = s.Greeting.Home
	}
	return agents, dirs, home, nil
}

// ConnectNode connects and lets ssh ask.
func (ms *Client) ConnectNode(ctx context.Context, node string, answer func(string) (string, bool)) error {
	n := ms.node(node)
	if n == nil {
		return errors.New("there is no node " + node + " any more")
	}
	s, err := n.link.Up(ctx, nil, answer, nil)
	if err == nil && s.State != link.StateOnline {
		err = errors.New(textsafe.Line(s.Reason))
	}
	return err
}

// DisconnectNode ends the connection.
func (ms *Client) DisconnectNode(ctx context.Context, node string) error {
	n := ms.node(node)
	if n == nil {
		return errors.New("there is no node " + node + " any more")
	}
	return n.link.TakeDown(ctx)
}
