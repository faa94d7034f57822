// Package far joins the person's nodes to the page: their sessions, requests and conversations, as
// NODE/ID, beside those of this machine.
//
// Contract: nodes are followed while somebody looks at the page, and lookTime longer; nobody's look
// waits for a node. What the overview and the approvals show is the newest picture, in memory. A call
// about something of a node is that node's own call, made in the name of the device, and waits for it
// no longer than callTime; of a node that is known to be away it fails at once. Links with nodes are
// processes of their own, which grids share.
package far

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"ccdir/api"
	"ccdir/client"
	"ccdir/client/machines"
	"ccdir/config"
	"ccdir/internal/contain"
	"ccdir/internal/disk/paths"
	"ccdir/nodes/link"
	"ccdir/nodes/merge"
	"ccdir/web"
)

const (
	// lookTime is how long nodes are followed after the last look.
	lookTime = 5 * time.Minute
	// callTime bounds a call of a node.
	callTime = 15 * time.Second
	// maxWaiting bounds the messages that a watcher has not taken: beyond, one stands for all.
	maxWaiting = 64
)

// Options say where nodes are. All are needed.
type Options struct {
	Paths paths.Paths
	UID   int
	// Env is the environment of ssh, Shim the program that holds a link.
	Env  []string
	Shim string
	// Nodes are those of the configuration in force.
	Nodes  func() map[string]config.Node
	Logger *slog.Logger
}

// Far follows the nodes. Its methods may be called from any goroutine.
type Far struct {
	o     Options
	group contain.Group

	// mu guards what follows. It is never held in a call of machines, which tells with its own locks.
	mu       sync.Mutex
	now      *following // nil: nobody looks
	ended    bool
	watchers map[*watcher]bool
}

// following is the picture of the nodes while somebody looks.
type following struct {
	machines *machines.Client
	ctx      context.Context
	idle     *time.Timer
	cancel   context.CancelFunc
	sessions map[string]api.Session
	requests []api.Request
	tasks    map[string]api.Task
	queues   map[string]api.Queue // by node
	limits   []api.UsageWindow
	nodes    []machines.Node
}

// New returns the nodes. It does no I/O. End ends it.
func New(o Options) *Far {
	return &Far{o: o, group: contain.Group{Log: o.Logger}, watchers: map[*watcher]bool{}}
}

// End ends the following, and waits.
func (f *Far) End() {
	f.mu.Lock()
	f.ended = true
	if f.now != nil {
		f.now.cancel()
	}
	f.mu.Unlock()
	f.group.Wait()
}

// Look has the nodes followed for a while.
func (f *Far) Look() {
	nodes := f.o.Nodes()
	f.mu.Lock()
	n := f.now
	if n == nil || n.ctx.Err() != nil {
		if n = nil; len(nodes) > 0 && !f.ended {
			f.begin(nodes)
		}
	} else {
		n.idle.Reset(lookTime)
	}
	f.mu.Unlock()
	if n != nil {
		n.machines.Configure(nodes)
	}
}

// begin follows the nodes. f.mu is held.
func (f *Far) begin(nodes map[string]config.Node) {
	opener := machines.Opener{Paths: f.o.Paths, UID: f.o.UID, Env: f.o.Env, Name: "page", Wait: callTime,
		Shim: func(context.Context) (string, error) { return f.o.Shim, nil }}
	n := &following{sessions: map[string]api.Session{}, tasks: map[string]api.Task{}, queues: map[string]api.Queue{}}
	n.ctx, n.cancel = context.WithCancel(context.Background())
	n.idle = time.AfterFunc(lookTime, n.cancel)
	n.machines = machines.New(client.New(client.Options{Paths: f.o.Paths, UID: f.o.UID}), opener, nodes)
	f.now = n
	f.group.Go(func() {
		defer f.forget(n)
		n.machines.WatchNodes(func(m api.WatchMessage) { f.take(n, m) })
		n.machines.Nodes(n.ctx, func(list []machines.Node) { f.took(n, list) })
	})
}

// forget drops the picture once nobody looks: it would be old when the next one does.
func (f *Far) forget(n *following) {
	n.cancel()
	n.idle.Stop()
	n.machines.Configure(nil)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.now == n {
		f.now = nil
		f.tell(api.WatchMessage{Snapshot: &api.Snapshot{}})
	}
}

// take takes a message of the nodes into the picture.
func (f *Far) take(n *following, m api.WatchMessage) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s := m.Snapshot; s != nil {
		n.sessions = map[string]api.Session{}
		for _, v := range s.Sessions {
			n.sessions[v.ID] = v
		}
		n.requests = slices.Clone(s.Requests)
		clear(n.tasks)
		for _, t := range s.Tasks {
			n.tasks[t.ID] = t
		}
		for _, q := range s.Queues {
			n.queues[q.Node] = q
		}
		n.limits = nil
		if s.Limits != nil {
			n.limits = s.Limits.Windows
		}
	}
	if m.Limits != nil {
		n.limits = m.Limits.Windows
	}
	if m.Task != nil {
		n.tasks[m.Task.ID] = *m.Task
	}
	delete(n.tasks, m.TaskGone)
	if m.Queue != nil {
		n.queues[m.Queue.Node] = *m.Queue
	}
	if m.Session != nil {
		n.sessions[m.Session.ID] = *m.Session
	}
	delete(n.sessions, m.Removed)
	drop := func(id string) {
		n.requests = slices.DeleteFunc(n.requests, func(q api.Request) bool { return q.ID == id })
	}
	if q := m.Request; q != nil {
		drop(q.ID)
		n.requests = append(n.requests, *q)
	}
	if m.RequestEnded != nil {
		drop(m.RequestEnded.Request.ID)
	}
	if f.now == n {
		f.tell(m)
	}
}

// took takes how the nodes are reached.
func (f *Far) took(n *following, list []machines.Node) {
	f.mu.Lock()
	defer f.mu.Unlock()
	same := slices.EqualFunc(n.nodes, list, func(x, y machines.Node) bool { return x.Name == y.Name && x.State == y.State && x.Reason == y.Reason })
	if n.nodes = list; !same && f.now == n {
		f.tell(api.WatchMessage{Snapshot: &api.Snapshot{}})
	}
}

// List implements web.Nodes.
func (f *Far) List() []web.Node {
	f.mu.Lock()
	defer f.mu.Unlock()
	nodes := f.o.Nodes()
	list := make([]web.Node, 0, len(nodes))
	for _, name := range slices.Sorted(maps.Keys(nodes)) {
		w := web.Node{Name: name, Target: nodes[name].SSH, State: "not looked at yet"}
		if f.now != nil {
			for _, n := range f.now.nodes {
				if n.Name == name {
					w = web.Node{Name: name, Target: n.Target, State: string(n.State), Reason: n.Reason, Version: n.Version, System: n.System, Round: n.Round, Seen: n.Seen}
				}
			}
		}
		list = append(list, w)
	}
	return list
}

// sessions are those of the nodes, by node, the oldest first.
func (f *Far) sessions() []api.Session {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.now == nil {
		return nil
	}
	return slices.SortedFunc(maps.Values(f.now.sessions), func(x, y api.Session) int {
		return cmp.Or(cmp.Compare(x.Node, y.Node), x.Created.Compare(y.Created), cmp.Compare(x.ID, y.ID))
	})
}

// requests are the open ones of the nodes.
func (f *Far) requests() []api.Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.now == nil {
		return nil
	}
	return slices.Clone(f.now.requests)
}

// tasks are those of the nodes, by node, the oldest first.
func (f *Far) tasks() []api.Task {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.now == nil {
		return nil
	}
	return slices.SortedFunc(maps.Values(f.now.tasks), func(x, y api.Task) int {
		return cmp.Or(cmp.Compare(x.Node, y.Node), x.Created.Compare(y.Created), cmp.Compare(x.ID, y.ID))
	})
}

// Queue implements web.Nodes.
func (f *Far) Queue(node string) api.Queue {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.now == nil {
		return api.Queue{Node: node}
	}
	return f.now.queues[node]
}

// all is the client of all machines; nil while no node is followed.
func (f *Far) all() *machines.Client {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.now == nil {
		return nil
	}
	return f.now.machines
}

// session finds a session of a node by its id or name, both with the node, in the picture.
func (f *Far) session(ref string) (api.Session, error) {
	for _, v := range f.sessions() {
		if v.ID == ref || v.Name == ref {
			return v, nil
		}
	}
	if _, err := f.reach(ref); err != nil {
		return api.Session{}, err
	}
	return api.Session{}, api.Errorf(api.CodeNotFound, "there is no session %.100q", ref)
}

// elsewhere reports whether an id is of another machine.
func elsewhere(id string) bool { return strings.Contains(id, "/") }

// reach is the client for calls about something of a node; an error if it is known to be away.
func (f *Far) reach(id string) (*machines.Client, error) {
	node, _ := merge.Split(id)
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, known := f.o.Nodes()[node]; !known {
		return nil, api.Errorf(api.CodeNotFound, "there is no node %.60q", node)
	}
	if f.now != nil {
		for _, n := range f.now.nodes {
			switch {
			case n.Name != node:
			case n.State == link.StateOnline, n.State == link.StateStale:
				return f.now.machines, nil
			case !n.Seen.IsZero():
				return nil, api.Errorf(api.CodeUnavailable, "the machine %s does not answer since %s: %s", node, n.Seen.Local().Format("15:04:05"), n.Reason)
			}
		}
	}
	return nil, api.Errorf(api.CodeUnavailable, "the machine %s does not answer yet: try again in a moment, or `ccdir node doctor %[1]s`", node)
}

// on makes a call about something of a node.
func on[T any](ctx context.Context, f *Far, id string, call func(context.Context, *machines.Client) (T, error)) (T, error) {
	ms, err := f.reach(id)
	if err != nil {
		var none T
		return none, err
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	return call(ctx, ms)
}
