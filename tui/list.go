package tui

import (
	"slices"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/internal/api"
	"ccdir/internal/keymap"
	"ccdir/internal/textsafe"
)

// listState is what the model knows for the session list beside the sessions.
type listState struct {
	projects map[string]string // replaced, never changed in place
}

// sessionList is the session list while it has the keyboard: over the panes, or
// in its column.
type sessionList struct {
	at        string // the chosen session
	filter    editor
	filtering bool // the filter is being typed
	marked    map[string]bool
}

// openList gives the list the keyboard; the session that needs a person most is
// chosen.
func (m *model) openList(filter string) cmd {
	m.mode, m.zoom = modePane, m.zoom && m.cols < sidebarFrom
	d := sessionList{filter: newEditor(filter)}
	d = d.settled(m.listSource())
	m.overlay = d
	return m.findProjects()
}

// listSource is what the list shows now.
func (m *model) listSource() listSource {
	src := listSource{
		sessions: m.gridded(), requests: m.requests, hidden: m.arr.hidden, projects: m.list.projects, opt: m.arr.list,
	}
	if out := m.outside(); len(out) > 0 {
		src.sessions = slices.Concat(src.sessions, out)
	}
	return src
}

// toggleColumn keeps the list open beside the panes, or not.
func (m *model) toggleColumn() cmd {
	m.arr.list.Column = !m.arr.list.Column
	m.rearranged()
	if m.arr.list.Column && m.cols < sidebarFrom {
		m.say("the terminal is too narrow for the list beside the panes: it needs " + strconv.Itoa(sidebarFrom) + " columns; " + m.keys.Hint(keymap.List) + " lists the sessions")
	}
	return m.findProjects()
}

// settled chooses another session if the chosen one is not listed any more.
func (d sessionList) settled(src listSource) sessionList {
	rows := src.rows(d.filter.String())
	if d.index(rows) < 0 {
		d.at = ""
		for _, r := range rows {
			if r.heading == "" {
				d.at = r.session.ID
				break
			}
		}
	}
	return d
}

// index is the row of the chosen session, -1 if it is not listed.
func (d sessionList) index(rows []listRow) int {
	return slices.IndexFunc(rows, func(r listRow) bool { return r.heading == "" && r.session.ID == d.at })
}

// move chooses the session n rows further, headings not counted.
func (d sessionList) move(rows []listRow, n int) sessionList {
	var ids []string
	for _, r := range rows {
		if r.heading == "" {
			ids = append(ids, r.session.ID)
		}
	}
	if at := slices.Index(ids, d.at); len(ids) > 0 {
		d.at = ids[min(max(at+n, 0), len(ids)-1)]
	}
	return d
}

func (d sessionList) key(m *model, k keyMsg) cmd {
	src := m.listSource()
	d = d.settled(src)
	m.overlay = d
	if d.filtering {
		return d.filterKey(m, k)
	}
	if k.name == "C-c" {
		m.overlay = nil
		return nil
	}
	if k.name == "KPEnter" {
		k.name = "Enter"
	}
	b, ok := m.keys.LookupIn(keymap.ModeList, k.name)
	if !ok {
		return nil
	}
	if reason := b.Disabled(m.facts()); reason != "" {
		m.warn(reason)
		return nil
	}
	return d.do(m, b.Action)
}

// listMoves are the actions that choose another session, by how many rows; a
// page is pageRows, and what is beyond the ends is the first or last.
func listMoves(a keymap.Action, pageRows int) (n int, ok bool) {
	switch a {
	case keymap.ListUp:
		return -1, true
	case keymap.ListDown:
		return 1, true
	case keymap.ListPageUp:
		return -pageRows, true
	case keymap.ListPageDown:
		return pageRows, true
	case keymap.ListFirst:
		return -1 << 20, true
	case keymap.ListLast:
		return 1 << 20, true
	}
	return 0, false
}

// filterKey types the filter. Enter goes to the chosen session, Escape takes the
// filter away.
func (d sessionList) filterKey(m *model, k keyMsg) cmd {
	switch k.name {
	case "Escape", "C-c":
		d.filter, d.filtering = editor{}, false
	case "Enter", "KPEnter":
		return d.do(m, keymap.ListFocus)
	case "Tab":
		d.filtering = false
	case "Up", "C-p":
		return d.do(m, keymap.ListUp)
	case "Down", "C-n":
		return d.do(m, keymap.ListDown)
	default:
		d.filter, _ = d.filter.key(k.name, k.key)
		d.at = ""
	}
	m.overlay = d.settled(m.listSource())
	return nil
}

func (d sessionList) paste(m *model, text string) {
	if d.filtering {
		d.filter = d.filter.insert(textsafe.Line(text))
		m.overlay = d.settled(m.listSource())
	}
}

// do runs one of the list's actions.
func (d sessionList) do(m *model, a keymap.Action) cmd {
	if n, ok := listMoves(a, max(m.rows-8, 1)); ok {
		m.overlay = d.move(m.listSource().rows(d.filter.String()), n)
		return nil
	}
	switch a {
	case keymap.ListClose:
		if m.overlay = nil; !d.filter.empty() || len(d.marked) > 0 {
			d.filter, d.marked = editor{}, nil
			m.overlay = d.settled(m.listSource())
		}
		return nil
	case keymap.ListFilter:
		d.filtering = true
	case keymap.ListSort:
		m.arr.list.Sort = map[string]string{sortNeed: sortName, sortName: sortGrid}[m.arr.list.Sort]
		m.rearranged()
	case keymap.ListGroup:
		m.arr.list.Group = !m.arr.list.Group
		m.rearranged()
	case keymap.ListToColumn:
		m.overlay = d
		return m.toggleColumn()
	case keymap.ListMarkAll:
		d = d.markAll(m.listSource())
	default:
		if v := m.session(d.at); v != nil {
			return d.doOn(m, a, *v)
		}
	}
	m.overlay = d
	return nil
}

// doOn runs an action on the chosen session, or on the marked ones.
func (d sessionList) doOn(m *model, a keymap.Action, v api.Session) cmd {
	if v.External && a != keymap.ListExplain && a != keymap.ListMark && a != keymap.ListKill {
		m.setFocus(v.ID) // says that it has no pane
		return nil
	}
	switch a {
	case keymap.ListFocus:
		m.overlay = nil
		m.setFocus(v.ID)
	case keymap.ListSend:
		m.overlay = nil
		m.prompt.target = target{}
		if all := d.targets(m, v); len(d.marked) > 0 {
			m.prompt.target.kind = targetChosen
			for _, v := range all {
				m.prompt.target.ids = append(m.prompt.target.ids, v.ID)
			}
		} else {
			m.setFocus(v.ID)
		}
		return m.openPrompt()
	case keymap.ListExplain:
		m.overlay = nil
		return m.askExplain(v)
	case keymap.ListPolicy:
		return m.openPolicy(v)
	case keymap.ListRename:
		r := newRename(v)
		r.back = d
		m.overlay = r
	case keymap.ListMark:
		if next := with(d.marked, v.ID, true); d.marked[v.ID] {
			delete(next, v.ID)
			d.marked = next
		} else {
			d.marked = next
		}
		m.overlay = d.move(m.listSource().rows(d.filter.String()), 1)
	case keymap.ListHide:
		hide := !m.arr.hidden[v.ID]
		for _, v := range d.targets(m, v) {
			m.setHidden(v.ID, hide)
		}
	case keymap.ListKill:
		m.askEnd(d.targets(m, v), d)
	case keymap.ListRestart:
		return m.restartAll(d.targets(m, v))
	}
	return nil
}

// targets are the marked sessions in the list's order, else the chosen one.
func (d sessionList) targets(m *model, chosen api.Session) []api.Session {
	var out []api.Session
	for _, r := range m.listSource().rows("") {
		if r.heading == "" && d.marked[r.session.ID] && !r.session.External {
			out = append(out, r.session)
		}
	}
	if len(out) == 0 {
		out = append(out, chosen)
	}
	return out
}

// markAll marks all sessions that are listed; none if they are marked already.
func (d sessionList) markAll(src listSource) sessionList {
	next := map[string]bool{}
	for _, r := range src.rows(d.filter.String()) {
		if r.heading == "" && !r.session.External && !d.marked[r.session.ID] {
			next[r.session.ID] = true
		}
	}
	if len(next) == 0 {
		d.marked = nil
		return d
	}
	for id := range d.marked {
		next[id] = true
	}
	d.marked = next
	return d
}

// clickList chooses the session that was clicked and goes to it.
func (m *model) clickList(e tea.Mouse) {
	d, _ := m.overlay.(sessionList)
	sc := &scene{cols: m.cols, rows: m.rows, layout: m.layout, list: m.listSource()}
	if id := d.sessionAt(sc, e.X, e.Y); id != "" {
		m.overlay = nil
		m.setFocus(id)
	}
}

// listTimes are the times whose ages the list shows.
func (m *model) listTimes() (out []time.Time) {
	if _, open := m.overlay.(sessionList); !open && m.layout.list.Empty() {
		return nil
	}
	for _, v := range m.sessions {
		if !v.Since.IsZero() {
			out = append(out, v.Since)
		}
	}
	return out
}
