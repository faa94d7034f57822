package tui

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/ui"
)

// known is the model's copy of the daemon's state.
type known struct {
	ui.World // its names are made for each scene

	former map[string]string // names of sessions that were removed
	named  nameCache
}

func newKnown() known {
	return known{former: map[string]string{}}
}

// take lays the news into the model.
func (m *model) take(n news) {
	before, told, focus := m.Sessions, m.Loaded, m.grid.Focus
	if n.size != nil {
		m.cols, m.rows = n.size[0], n.size[1]
	}
	if n.redraw {
		m.redraws++
	}
	if n.link != nil {
		m.Offline = ""
		if n.link.lost != nil {
			m.Offline = textsafe.Line(n.link.lost.Error())
		}
	}
	if n.snapshot != nil {
		m.Sessions = sorted(n.snapshot.Sessions)
		m.Events = n.snapshot.Events
		m.carryOut(ui.Daemon, m.daemon.Snapshot(m.Server, n.snapshot, m.keys))
		m.Server = n.snapshot.Server
		m.Offline = ""
		m.grid.Connected(n.snapshot.Grid != nil)
		m.takeGrid(n.snapshot.Grid, !m.Loaded)
	}
	m.takeGrid(n.grid, false)
	m.takeSettings(n.settings)
	if n.nodes != nil {
		m.Nodes = *n.nodes
	}
	if n.settled != nil { // it is not followed any more
		m.warn("config: " + textsafe.Line(n.settled.Error()))
	}
	for _, v := range n.sessions {
		m.upsert(v)
	}
	for id := range n.removed {
		m.remove(id)
	}
	m.takeRequests(n.snapshot, n.requests)
	if n.snapshot == nil && n.tasks != nil {
		m.carryOut(ui.Nobody, m.attention.Tasks(m.env(), m.opts.Notify, n.tasks))
	}
	m.takeTasks(n)
	if len(n.events) > 0 {
		m.daemon.Events(n.events)
		all := append(m.Events[:len(m.Events):len(m.Events)], n.events...)
		m.Events = all[max(0, len(all)-maxEvents):]
	}
	for _, s := range n.panes {
		m.carryOut(ui.Nobody, m.hosts.Report(&m.World, m.grid.Focus, m.now(), s))
	}
	if n.snapshot != nil && !m.Loaded {
		m.Loaded = true
		m.carryOut(ui.Grid, m.grid.Begin(m.env(), m.opts.Zoom))
		m.attention.Met(m.grid.Focus)
	}
	if n.focus != "" && m.session(n.focus) != nil {
		m.setFocus(n.focus)
	}
	m.grid.Close(m.env())
	m.noteRemoved(before, n.snapshot)
	if focus != "" && m.session(focus) == nil {
		m.grid.Lost(m.env(), focus)
	}
	if told {
		m.attention.Changed(m.env(), m.opts.Notify, before)
	}
}

func sorted(all []api.Session) []api.Session {
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b api.Session) int {
		return cmp.Or(a.Created.Compare(b.Created), strings.Compare(a.ID, b.ID))
	})
	return all
}

// session finds one by its id; the pointer is for reading.
func (k *known) session(id string) *api.Session {
	for i := range k.Sessions {
		if k.Sessions[i].ID == id {
			return &k.Sessions[i]
		}
	}
	return nil
}

// nameOf is a session's name for the screen, its id if it is not there.
func (k *known) nameOf(id string) string {
	if v := k.session(id); v != nil {
		return textsafe.Line(v.Name)
	}
	return id
}

// answered takes a session from the answer to a call. The watch stream tells every
// change too, and in order: what it told while the answer was under way is newer, so
// the answer only adds a session of which nothing was heard yet.
func (k *known) answered(v api.Session) {
	if _, removed := k.former[v.ID]; !removed && k.session(v.ID) == nil {
		k.upsert(v)
	}
}

// upsert takes a session's new value.
func (k *known) upsert(v api.Session) {
	if v.ID == "" {
		return
	}
	next := slices.DeleteFunc(slices.Clone(k.Sessions), func(o api.Session) bool { return o.ID == v.ID })
	k.Sessions = sorted(append(next, v))
}

func (m *model) remove(id string) {
	shown := m.grid.Shown(&m.World)
	m.Sessions = slices.DeleteFunc(slices.Clone(m.Sessions), func(o api.Session) bool { return o.ID == id })
	m.attention.Removed(id)
	if m.grid.Focus == id {
		m.grid.Removed(&m.World, shown)
	}
}

// formerNames bounds how many names of removed sessions are kept.
const formerNames = 1000

// noteRemoved keeps the names of sessions that are not there any more, for the
// events that are still shown of them. before is what there was; of those that went
// before the grid came a snapshot's events tell.
func (k *known) noteRemoved(before []api.Session, snapshot *api.Snapshot) {
	if snapshot != nil {
		for _, e := range snapshot.Events {
			if name, ok := strings.CutPrefix(e.Message, "removed "); ok && e.Type == api.EventSessionRemoved && e.Source == "daemon" {
				k.former[e.Session] = name
			}
		}
	}
	for _, v := range before {
		if k.session(v.ID) == nil {
			k.former[v.ID] = v.Name
		}
	}
	k.named = nameCache{}
	if len(k.former) <= formerNames {
		return
	}
	maps.DeleteFunc(k.former, func(id string, _ string) bool {
		return !slices.ContainsFunc(k.Events, func(e api.Event) bool { return e.Session == id })
	})
}

// nameCache are the names as they were computed last, and of what.
type nameCache struct {
	first *api.Session
	n     int
	out   map[string]string
}

// names are those of all sessions by their ids, removed ones among them.
func (k *known) names() map[string]string {
	all := k.Sessions // replaced, never changed in place
	if len(all) == 0 {
		return maps.Clone(k.former)
	}
	if c := &k.named; c.first != &all[0] || c.n != len(all) {
		*c = nameCache{&all[0], len(all), maps.Clone(k.former)}
		for _, v := range all {
			c.out[v.ID] = v.Name
		}
	}
	return k.named.out
}
