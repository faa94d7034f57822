package known

import (
	"ccdir/api"
	"ccdir/tui/sidebar/events"
	"ccdir/tui/ui"
)

// Most is how many events are kept.
const Most = events.Most

// News is what a stream told since somebody looked last: of every kind of state the latest, of
// events all (the newest Most). The zero value is nothing.
type News struct {
	// Snapshot replaces everything before; what follows it is below.
	Snapshot *api.Snapshot
	Sessions map[string]api.Session
	Requests map[string]Request
	Removed  map[string]bool
	Events   []api.Event
	Focus    string
	Grid     *api.Grid
	Tasks    map[string]*api.Task // nil: forgotten
	Queue    *api.Queue
	Limits   *api.Limits
	Queues   map[string]api.Queue // of nodes
	Nodes    *[]ui.Node
	// Link is set when the connection to the daemon changed.
	Link *Link
}

// Link is whether the daemon answers.
type Link struct{ Lost error }

// Request is the latest of one permission request: it is open, or it has
// ended.
type Request struct {
	Open  *api.Request
	Ended *api.Decision
}

// Watch takes one message of the watch stream.
func (n *News) Watch(m api.WatchMessage) {
	if m.Snapshot != nil {
		n.Snapshot, n.Sessions, n.Removed, n.Events, n.Requests, n.Grid = m.Snapshot, nil, nil, nil, nil, nil
		n.Tasks, n.Queue, n.Queues, n.Limits = nil, nil, nil, nil
	}
	if m.Limits != nil {
		n.Limits = m.Limits
	}
	if m.Session != nil {
		if n.Sessions == nil {
			n.Sessions = map[string]api.Session{}
		}
		n.Sessions[m.Session.ID] = *m.Session
		delete(n.Removed, m.Session.ID)
	}
	if m.Removed != "" {
		if n.Removed == nil {
			n.Removed = map[string]bool{}
		}
		n.Removed[m.Removed] = true
		delete(n.Sessions, m.Removed)
	}
	if m.Event != nil {
		n.Events = append(n.Events, *m.Event)
		if len(n.Events) > 2*Most {
			n.Events = append([]api.Event(nil), n.Events[len(n.Events)-Most:]...)
		}
	}
	if m.Request != nil {
		n.request(m.Request.ID, Request{Open: m.Request})
	}
	if m.RequestEnded != nil {
		n.request(m.RequestEnded.Request.ID, Request{Ended: m.RequestEnded})
	}
	n.task(m)
	if m.Grid != nil {
		n.Grid = m.Grid
	}
	if m.Focus != "" {
		n.Focus = m.Focus
	}
}

// request takes the latest of a permission request.
func (n *News) request(id string, r Request) {
	if n.Requests == nil {
		n.Requests = map[string]Request{}
	}
	n.Requests[id] = r
}

// task takes what a message says of the queue.
func (n *News) task(m api.WatchMessage) {
	set := func(id string, t *api.Task) {
		if n.Tasks == nil {
			n.Tasks = map[string]*api.Task{}
		}
		n.Tasks[id] = t
	}
	if m.Task != nil {
		set(m.Task.ID, m.Task)
	}
	if m.TaskGone != "" {
		set(m.TaskGone, nil)
	}
	switch {
	case m.Queue == nil:
	case m.Queue.Node == "":
		n.Queue = m.Queue
	case n.Queues == nil:
		n.Queues = map[string]api.Queue{m.Queue.Node: *m.Queue}
	default:
		n.Queues[m.Queue.Node] = *m.Queue
	}
}
