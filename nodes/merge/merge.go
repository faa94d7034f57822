package merge

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"ccdir/api"
)

// Bounds of what is kept of one node.
const (
	maxSessions = 2000
	maxRequests = 2000
	maxTasks    = 2000
	// maxEvents is how many events a snapshot has.
	maxEvents = 500
	// eventsPerSecond is how many events of a node are shown.
	eventsPerSecond = 200
)

// Merger joins the streams. Its methods may be called from any goroutine.
type Merger struct {
	out func(api.WatchMessage)
	now func() time.Time

	mu       sync.Mutex
	machines map[string]*machine // "" is this one
	names    []string            // in order, "" first
	events   []api.Event         // of all, with the merged numbers
	numbers  numbers
	grid     *api.Grid
	notes    int64 // events of Note
}

// machine is the newest state of one machine, with merged ids.
type machine struct {
	name     string
	loaded   bool
	server   api.Server
	queue    *api.Queue
	limits   *api.Limits // with the machine's name
	sessions map[string]api.Session
	requests []api.Request
	tasks    []api.Task
	away     time.Time // since when it does not answer; zero: it does
	rate     rate
}

// New joins this machine and the nodes that are added. out does not block.
func New(now func() time.Time, out func(api.WatchMessage)) *Merger {
	m := &Merger{out: out, now: now, machines: map[string]*machine{}, numbers: newNumbers()}
	m.Add("")
	return m
}

// Add adds a machine of which nothing is known yet.
func (m *Merger) Add(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.machines[name] == nil {
		m.machines[name] = &machine{name: name, sessions: map[string]api.Session{}}
		m.names = slices.Sorted(maps.Keys(m.machines))
	}
}

// Remove forgets a node: what is its own goes, but for the events.
func (m *Merger) Remove(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.machines[name]
	if c == nil || name == "" {
		return
	}
	delete(m.machines, name)
	m.names = slices.Sorted(maps.Keys(m.machines))
	if c.loaded {
		m.all()
	}
}

// Take takes one message of a machine's stream.
func (m *Merger) Take(name string, msg api.WatchMessage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.machines[name]
	if c == nil {
		return
	}
	if msg.Snapshot != nil {
		m.snapshot(c, *msg.Snapshot)
	}
	out := api.WatchMessage{}
	if e := msg.Event; e != nil && (name == "" || c.rate.take(m.now())) {
		shown := m.event(c, *e, false)
		m.events = keepLast(append(m.events, shown))
		out.Event = &shown
	}
	if msg.Session != nil {
		if v, ok := c.session(*msg.Session); ok {
			out.Session = &v
		}
	}
	if msg.Removed != "" && c.idOK(msg.Removed) {
		out.Removed = c.id(msg.Removed)
		delete(c.sessions, out.Removed)
	}
	if msg.Focus != "" && c.idOK(msg.Focus) {
		out.Focus = c.id(msg.Focus)
	}
	if msg.Request != nil {
		if r, ok := c.request(*msg.Request); ok {
			out.Request = &r
		}
	}
	if msg.RequestEnded != nil {
		out.RequestEnded = c.ended(*msg.RequestEnded)
	}
	if msg.Task != nil {
		if t, ok := c.task(*msg.Task); ok {
			out.Task = &t
		}
	}
	if msg.TaskGone != "" && c.idOK(msg.TaskGone) {
		out.TaskGone = c.id(msg.TaskGone)
		c.tasks = slices.DeleteFunc(c.tasks, func(t api.Task) bool { return t.ID == out.TaskGone })
	}
	if msg.Queue != nil {
		c.queue = Queue(name, msg.Queue)
		out.Queue = c.queue
	}
	if name == "" {
		out.Grid, m.grid = msg.Grid, cmp.Or(msg.Grid, m.grid)
	}
	if msg.Limits != nil {
		c.limits = limitsOf(name, msg.Limits)
		out.Limits = m.limits()
	}
	m.tell(out)
}

// tell passes on a message that says something, once this machine's snapshot was told.
func (m *Merger) tell(out api.WatchMessage) {
	if m.machines[""].loaded && out != (api.WatchMessage{}) {
		m.out(out)
	}
}

// snapshot replaces a machine's state, and tells everything anew.
func (m *Merger) snapshot(c *machine, s api.Snapshot) {
	first := !c.loaded
	c.loaded, c.server, c.queue, c.away = true, s.Server, Queue(c.name, s.Queue), time.Time{}
	c.sessions, c.requests, c.tasks = map[string]api.Session{}, nil, nil
	for _, v := range s.Sessions {
		c.session(v)
	}
	for _, r := range s.Requests {
		c.request(r)
	}
	for _, t := range s.Tasks {
		c.task(t)
	}
	for _, e := range s.Events[max(0, len(s.Events)-maxEvents):] {
		if _, known := m.numbers.merged[origin{c.name, e.Seq}]; !known {
			m.events = append(m.events, m.event(c, e, first))
		}
	}
	slices.SortStableFunc(m.events, func(x, y api.Event) int { return cmp.Compare(x.Seq, y.Seq) })
	m.events = keepLast(m.events)
	if c.limits = limitsOf(c.name, s.Limits); c.name == "" {
		m.grid = s.Grid
	}
	m.all()
}

// all tells a snapshot of everything.
func (m *Merger) all() {
	here := m.machines[""]
	if !here.loaded {
		return
	}
	s := api.Snapshot{Server: here.server, Queue: here.queue, Grid: m.grid, Limits: m.limits(), Events: slices.Clone(m.events)}
	for _, name := range m.names {
		c := m.machines[name]
		for _, v := range c.sessions {
			s.Sessions = append(s.Sessions, v)
		}
		s.Requests = append(s.Requests, c.requests...)
		s.Tasks = append(s.Tasks, c.tasks...)
		if name != "" && c.queue != nil {
			s.Queues = append(s.Queues, *c.queue)
		}
	}
	slices.SortStableFunc(s.Requests, func(x, y api.Request) int { return x.Since.Compare(y.Since) })
	m.out(api.WatchMessage{Snapshot: &s})
}

// maxWindows bounds the windows of a node.
const maxWindows = 200

// limitsOf are a machine's windows of limits, with its name.
func limitsOf(name string, l *api.Limits) *api.Limits {
	if l == nil || name == "" {
		return l
	}
	windows := slices.Clone(l.Windows[:min(len(l.Windows), maxWindows)])
	for i := range windows {
		windows[i].Node = name
	}
	return &api.Limits{Windows: windows}
}

// limits are the windows of all machines, this one's first; nil: none is known.
func (m *Merger) limits() *api.Limits {
	var all *api.Limits
	for _, name := range m.names {
		l := m.machines[name].limits
		switch {
		case l == nil:
		case all == nil:
			all = l
		default:
			all = &api.Limits{Windows: slices.Concat(all.Windows, l.Windows)}
		}
	}
	return all
}

// Away says since when a node does not answer; the zero time: it answers again.
func (m *Merger) Away(name string, since time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.machines[name]
	if c == nil || c.name == "" || c.away.Equal(since) {
		return
	}
	c.away = since
	for id, v := range c.sessions {
		v.Away = since
		c.sessions[id] = v
		m.tell(api.WatchMessage{Session: &v})
	}
}

// Note tells of a node itself: an event that is in no log.
func (m *Merger) Note(name, text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.notes++
	e := api.Event{At: m.now().UTC(), Type: api.EventNode, Source: "tui", Message: name + " " + text}
	e.Seq = m.numbers.of("\x00"+name, api.Event{Seq: m.notes, At: e.At}, false)
	m.events = keepLast(append(m.events, e))
	m.tell(api.WatchMessage{Event: &e})
}

// Keeps reports whether an id is of a node whose sessions are not known yet: an arrangement keeps
// its place.
func (m *Merger) Keeps(id string) bool {
	node, _ := Split(id)
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.machines[node]
	return node != "" && c != nil && !c.loaded
}

// keepLast bounds the events that are kept.
func keepLast(events []api.Event) []api.Event {
	return slices.Clip(events[max(0, len(events)-maxEvents):])
}

// rate bounds the events of a node.
type rate struct {
	second time.Time
	n      int
}

func (r *rate) take(now time.Time) bool {
	if now.Sub(r.second) >= time.Second {
		r.second, r.n = now, 0
	}
	r.n++
	return r.n <= eventsPerSecond
}
