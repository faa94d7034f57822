package merge

import (
	"slices"
	"strings"

	"ccdir/api"
)

// Split takes the node off an id or a name; "" is this machine.
func Split(id string) (node, rest string) {
	if node, rest, ok := strings.Cut(id, "/"); ok {
		return node, rest
	}
	return "", id
}

// Of returns an id or a name of a node as this machine shows it: NODE/ID; for this machine's
// own node "" it is the id alone.
func Of(node, id string) string {
	if node == "" || id == "" {
		return id
	}
	return node + "/" + id
}

func (c *machine) id(id string) string { return Of(c.name, id) }

// maxID bounds an id in bytes.
const maxID = 100

// idOK reports whether a node's id is safe to show as NODE/ID: without separators and
// control characters, and short.
func (c *machine) idOK(id string) bool {
	return c.name == "" || id != "" && len(id) <= maxID && !strings.ContainsAny(id, "/ \t\n\x1b")
}

// session takes a session's new value.
func (c *machine) session(v api.Session) (api.Session, bool) {
	if !c.idOK(v.ID) {
		return v, false
	}
	v = Session(c.name, v)
	v.Away = c.away
	if _, known := c.sessions[v.ID]; !known && c.name != "" && len(c.sessions) >= maxSessions {
		return v, false
	}
	c.sessions[v.ID] = v
	return v, true
}

// Session returns a node's session with its node.
func Session(node string, v api.Session) api.Session {
	if node == "" {
		return v
	}
	v.Node = node
	v.ID, v.Name, v.Parent, v.Task, v.LeftOf = Of(node, v.ID), Of(node, v.Name), Of(node, v.Parent), Of(node, v.Task), Of(node, v.LeftOf)
	if v.Beside != nil {
		beside := *v.Beside
		beside.Session = Of(node, beside.Session)
		v.Beside = &beside
	}
	return v
}

// request takes an open request.
func (c *machine) request(r api.Request) (api.Request, bool) {
	if !c.idOK(r.ID) || !c.idOK(r.Session) || c.name != "" && len(c.requests) >= maxRequests {
		return r, false
	}
	r = Request(c.name, r)
	if at := slices.IndexFunc(c.requests, func(o api.Request) bool { return o.ID == r.ID }); at >= 0 {
		c.requests[at] = r
	} else {
		c.requests = append(c.requests, r)
	}
	return r, true
}

// Request returns a node's request with its node.
func Request(node string, r api.Request) api.Request {
	r.ID, r.Session, r.SessionName = Of(node, r.ID), Of(node, r.Session), Of(node, r.SessionName)
	return r
}

// Pending returns a prompt that a node keeps, with the ids of the grid.
func Pending(node string, p api.PendingPrompt) api.PendingPrompt {
	p.ID, p.Session, p.Name = Of(node, p.ID), Of(node, p.Session), Of(node, p.Name)
	return p
}

// ended takes the end of a request; nil: it is not shown.
func (c *machine) ended(d api.Decision) *api.Decision {
	if !c.idOK(d.Request.ID) || !c.idOK(d.Request.Session) {
		return nil
	}
	d.Request = Request(c.name, d.Request)
	c.requests = slices.DeleteFunc(c.requests, func(o api.Request) bool { return o.ID == d.Request.ID })
	return &d
}

// Entry returns an entry of a node's history with its node.
func Entry(node string, e api.HistoryEntry) api.HistoryEntry {
	e.Node, e.ID, e.Name, e.Task, e.Session = node, Of(node, e.ID), Of(node, e.Name), Of(node, e.Task), Of(node, e.Session)
	return e
}

// Worktree returns a node's work tree with its node.
func Worktree(node string, w api.Worktree) api.Worktree {
	w.Node = node
	w.Sessions = slices.Clone(w.Sessions)
	for i := range w.Sessions {
		w.Sessions[i] = Of(node, w.Sessions[i])
	}
	return w
}

// Hit returns what was found on a node with its node. The number of an event stays that of its
// machine's log.
func Hit(node string, h api.SearchHit) api.SearchHit {
	h.Session, h.Name = Of(node, h.Session), Of(node, h.Name)
	if h.Kind != "event" {
		h.ID = Of(node, h.ID)
	}
	return h
}

// Row returns a row of a node's ledger with its node; its number stays that of its ledger.
func Row(node string, r api.LedgerRow) api.LedgerRow {
	r.Node, r.Session, r.Name, r.Lead = node, Of(node, r.Session), Of(node, r.Name), Of(node, r.Lead)
	return r
}

// task takes a task's new value.
func (c *machine) task(t api.Task) (api.Task, bool) {
	if !c.idOK(t.ID) {
		return t, false
	}
	t = Task(c.name, t)
	at := slices.IndexFunc(c.tasks, func(o api.Task) bool { return o.ID == t.ID })
	switch {
	case at >= 0:
		c.tasks[at] = t
	case c.name != "" && len(c.tasks) >= maxTasks:
		return t, false
	default:
		c.tasks = append(c.tasks, t)
	}
	return t, true
}

// Queue returns a node's queue with its node; nil stays nil.
func Queue(node string, q *api.Queue) *api.Queue {
	if node == "" || q == nil {
		return q
	}
	named := *q
	named.Node = node
	return &named
}

// Offer returns what ran on a node before, with its node.
func Offer(node string, o api.RestoreOffer) api.RestoreOffer {
	o.Sessions = slices.Clone(o.Sessions)
	for i := range o.Sessions {
		o.Sessions[i].ID, o.Sessions[i].Name = Of(node, o.Sessions[i].ID), Of(node, o.Sessions[i].Name)
	}
	return o
}

// Task returns a node's task with its node.
func Task(node string, t api.Task) api.Task {
	if node == "" {
		return t
	}
	t.Node, t.ID, t.Session, t.Name = node, Of(node, t.ID), Of(node, t.Session), Of(node, t.Name)
	after := slices.Clone(t.After)
	for i := range after {
		after[i].Task = Of(node, after[i].Task)
	}
	t.After = after
	return t
}
