package fleet

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ccdir/api"
	"ccdir/client"
	"ccdir/config"
	"ccdir/internal/text/textsafe"
	"ccdir/nodes"
	"ccdir/nodes/link"
	"ccdir/nodes/merge"
)

// Fleet is a client of several machines. Methods that take an id are in calls.go, those that ask
// every machine in past.go; the others are of this machine's client.
type Fleet struct {
	*client.Client
	from   Opener
	merger *merge.Merger
	tell   atomic.Pointer[func(api.WatchMessage)] // of Watch
	grid   atomic.Pointer[api.Grid]               // as it was kept last

	mu      sync.Mutex
	far     map[string]*farNode
	ctx     context.Context // of Nodes; nil before
	wg      sync.WaitGroup  // of its followers
	changed func([]Node)
	alone   context.CancelFunc // ends a stream of Watch that was begun without nodes
	joined  atomic.Bool        // the merger has this machine's part
}

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

// farNode is one node.
type farNode struct {
	*client.Client
	remote *nodes.Remote
	config config.Node
	stop   context.CancelFunc // ends its follower; nil: none runs
	// watching: its watch stream runs.
	watching atomic.Bool
	state    Node // guarded by the fleet's mu
}

// New returns a client of this machine, whose client is c, and of the nodes. It does no I/O; nodes
// are dialled by Nodes. Close closes c alone.
func New(c *client.Client, from Opener, nodes map[string]config.Node) *Fleet {
	f := &Fleet{Client: c, from: from, far: map[string]*farNode{}}
	f.merger = merge.New(time.Now, func(msg api.WatchMessage) {
		if tell := f.tell.Load(); tell != nil {
			(*tell)(msg)
		}
	})
	f.Configure(nodes)
	return f
}

// open returns a node that has not been dialled.
func (f *Fleet) open(name string, n config.Node) *farNode {
	r := f.from.Remote(name, n, true)
	return &farNode{Client: client.New(f.from.patient(r)), remote: r, config: n, state: Node{Name: name, Target: n.SSH, State: link.StateOffline, Links: n.Clipboard}}
}

// Nodes follows the nodes until ctx ends: it tells how each is reached, and their part of the
// picture comes by Watch. The first list comes before anything of theirs.
func (f *Fleet) Nodes(ctx context.Context, changed func([]Node)) {
	f.mu.Lock()
	f.ctx, f.changed = ctx, changed
	f.tellNodes()
	for _, n := range f.far {
		f.followNode(n)
	}
	f.mu.Unlock()
	<-ctx.Done()
	f.wg.Wait()
}

// Configure takes the nodes of the configuration: new ones are followed, those that are gone or
// have changed are not any more.
func (f *Fleet) Configure(now map[string]config.Node) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for name, n := range f.far {
		if c, ok := now[name]; ok && reflect.DeepEqual(c, n.config) {
			continue
		}
		if n.stop != nil {
			n.stop()
		}
		n.Close()
		delete(f.far, name)
		f.merger.Remove(name)
	}
	for name, c := range now {
		if f.far[name] != nil {
			continue
		}
		n := f.open(name, c)
		f.far[name] = n
		f.merger.Add(name)
		if f.ctx != nil {
			f.followNode(n)
		}
		if f.alone != nil {
			f.alone()
		}
	}
	f.tellNodes()
}

// followNode starts a node's follower. f.mu is held.
func (f *Fleet) followNode(n *farNode) {
	var ctx context.Context
	ctx, n.stop = context.WithCancel(f.ctx)
	f.wg.Go(func() { f.follow(ctx, n) })
}

// node finds a node by its name, nil if there is none.
func (f *Fleet) node(name string) *farNode {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.far[name]
}

// reachable are the nodes whose watch streams run, by their names.
func (f *Fleet) reachable() map[string]*farNode {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := maps.Clone(f.far)
	maps.DeleteFunc(out, func(_ string, n *farNode) bool { return !n.watching.Load() })
	return out
}

// tellNodes hands over how the nodes are reached. f.mu is held.
func (f *Fleet) tellNodes() {
	if f.changed == nil {
		return
	}
	list := make([]Node, 0, len(f.far))
	for _, name := range slices.Sorted(maps.Keys(f.far)) {
		list = append(list, f.far[name].state)
	}
	f.changed(list)
}

// took takes a node's status. A round trip that is about the same, as after each ping, is not told.
func (f *Fleet) took(n *farNode, s link.Status) (seen time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := nodeOf(n.state, s)
	same := n.state
	same.Seen, same.Round = now.Seen, now.Round
	old := n.state.Round
	if same == now && old > 0 && (now.Round-old).Abs() <= old/4+time.Millisecond {
		n.state.Seen = now.Seen
		return now.Seen
	}
	n.state = now
	if f.far[now.Name] == n {
		f.tellNodes()
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
func (f *Fleet) Watch(ctx context.Context, w client.Watcher) error {
	tell := func(msg api.WatchMessage) {
		if msg.Snapshot != nil && msg.Snapshot.Grid != nil {
			f.grid.Store(msg.Snapshot.Grid)
		}
		if msg.Grid != nil {
			f.grid.Store(msg.Grid)
		}
		w.Message(msg)
	}
	f.tell.Store(&tell)
	take := tell // events keep their numbers as long as there is one machine
	for {
		once, cancel := context.WithCancel(ctx)
		f.mu.Lock()
		if f.alone = nil; len(f.far) > 0 || f.joined.Load() {
			f.joined.Store(true)
			take = func(msg api.WatchMessage) { f.merger.Take("", msg) }
		} else {
			f.alone = cancel
		}
		f.mu.Unlock()
		err := f.Client.Watch(once, client.Watcher{Message: take, Link: w.Link})
		again := once.Err() != nil && ctx.Err() == nil
		cancel()
		if !again {
			return err
		}
	}
}

// follow keeps a node's part of the picture: its stream while it is online, and since when it is
// away.
func (f *Fleet) follow(ctx context.Context, n *farNode) {
	name, m := n.remote.Node(), f.merger
	online := make(chan struct{}, 1)
	var wg sync.WaitGroup
	told := link.StateOnline // the state that the person was told of last
	wg.Go(func() {
		n.remote.Watch(ctx, func(s link.Status) {
			seen := f.took(n, s)
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
func (f *Fleet) at(ctx context.Context, id string) (context.Context, *client.Client, string, string, error) {
	node, rest := merge.Split(id)
	if node == "" {
		return ctx, f.Client, "", id, nil
	}
	n := f.node(node)
	if n == nil {
		return ctx, f.Client, "", id, errors.New("there is no node " + node + " any more")
	}
	if match := api.MatchOf(ctx); match != "" {
		if of, own := merge.Split(match); of == node {
			ctx = api.IfMatch(ctx, own)
		}
	}
	return ctx, n.Client, node, rest, nil
}

// SetGrid keeps the arrangement here. Nodes that are away keep their places.
func (f *Fleet) SetGrid(ctx context.Context, g api.Grid) error {
	if old := f.grid.Load(); old != nil {
		g.Order = append(g.Order, missing(old.Order, g.Order, f.merger)...)
		g.Hidden = append(g.Hidden, missing(old.Hidden, g.Hidden, f.merger)...)
	}
	return f.Client.SetGrid(ctx, g)
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
func (f *Fleet) NodeOffers(ctx context.Context, node string) (agents []api.AgentInfo, dirs []api.Directory, home string, err error) {
	n := f.node(node)
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

// ConnectNode connects and lets ssh ask.
func (f *Fleet) ConnectNode(ctx context.Context, node string, answer func(string) (string, bool)) error {
	n := f.node(node)
	if n == nil {
		return errors.New("there is no node " + node + " any more")
	}
	s, err := n.remote.Up(ctx, nil, answer, nil)
	if err == nil && s.State != link.StateOnline {
		err = errors.New(textsafe.Line(s.Reason))
	}
	return err
}

// DisconnectNode ends the connection.
func (f *Fleet) DisconnectNode(ctx context.Context, node string) error {
	n := f.node(node)
	if n == nil {
		return errors.New("there is no node " + node + " any more")
	}
	return n.remote.TakeDown(ctx)
}
