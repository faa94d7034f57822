package tui

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/ui"
)

// known is what the daemon told, and what is remembered of that.
type known struct {
	ui.World // its names are made for each scene

	offered  int                  // pid of the daemon that was asked what can be restored
	asked    map[string]bool      // ended sessions whose last screen was asked for
	seenSent map[string]time.Time // when the daemon was last told that a person sees a session
	former   map[string]string    // names of sessions that were removed
	snoozes  map[string]time.Time // until when sessions are put off, as last seen
}

func newKnown() known {
	return known{asked: map[string]bool{}, seenSent: map[string]time.Time{}, former: map[string]string{}}
}

// take lays the news into the model.
func (m *model) take(n news) {
	before, told, focus := m.Sessions, m.Loaded, m.focus
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
		m.Events, m.eventView.older = m.eventView.resumed(m.Events, n.snapshot.Events), olderEvents{}
		m.noteVersions(n.snapshot)
		m.Server = n.snapshot.Server
		m.Offline = ""
		m.arr.kept, m.arr.failed = n.snapshot.Grid != nil, 0
		m.takeGrid(n.snapshot.Grid, !m.Loaded)
	}
	m.takeGrid(n.grid, false)
	m.takeSettings(n.settings)
	m.noMoreSettings(n.settled)
	for _, v := range n.sessions {
		m.upsert(v)
	}
	for id := range n.removed {
		m.remove(id)
	}
	m.takeRequests(n.snapshot, n.requests)
	m.takeTasks(n)
	if len(n.events) > 0 {
		m.keepEvents(append(m.Events[:len(m.Events):len(m.Events)], n.events...))
	}
	for id, s := range n.panes {
		if old := m.states[id]; s.Dropped > old.Dropped && id == m.focus {
			m.warn("the program in this pane does not read its input: it was not sent")
		}
		m.notePaste(id, m.states[id], s)
		m.states[id] = s
	}
	if n.snapshot != nil && !m.Loaded {
		m.Loaded = true
		m.firstFocus()
	}
	if n.focus != "" && m.session(n.focus) != nil {
		m.setFocus(n.focus)
	}
	m.noteRemoved(before, n.snapshot)
	m.noteFocusLost(focus)
	if told {
		m.noteStates(before)
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
func (m *model) session(id string) *api.Session {
	for i := range m.Sessions {
		if m.Sessions[i].ID == id {
			return &m.Sessions[i]
		}
	}
	return nil
}

// answered takes a session from the answer to a call. The watch stream tells every
// change too, and in order: what it told while the answer was under way is newer, so
// the answer only adds a session of which nothing was heard yet.
func (m *model) answered(v api.Session) {
	if _, removed := m.former[v.ID]; !removed && m.session(v.ID) == nil {
		m.upsert(v)
	}
}

// upsert takes a session's new value.
func (m *model) upsert(v api.Session) {
	if v.ID == "" {
		return
	}
	next := slices.DeleteFunc(slices.Clone(m.Sessions), func(o api.Session) bool { return o.ID == v.ID })
	m.Sessions = sorted(append(next, v))
}

func (m *model) remove(id string) {
	gridded := m.shown()
	at := slices.IndexFunc(gridded, func(v api.Session) bool { return v.ID == id })
	m.Sessions = slices.DeleteFunc(slices.Clone(m.Sessions), func(o api.Session) bool { return o.ID == id })
	delete(m.asked, id)
	delete(m.seenSent, id)
	if m.focus == id {
		m.focus = ""
		if rest := m.shown(); len(rest) > 0 {
			m.focus = rest[min(max(at, 0), len(rest)-1)].ID
		}
	}
}
