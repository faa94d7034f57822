package tui

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/dialogs/confirm"
	"ccdir/tui/dialogs/explain"
	"ccdir/tui/dialogs/rename"
	"ccdir/tui/grid/tiling"
	"ccdir/tui/lists/sessionlist"
	"ccdir/tui/terminal/input"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/listbox"
)

// listState is what the model knows for the session list beside the sessions.
type listState struct {
	projects map[string]string // replaced, never changed in place
}

// sessionList is the session list while it has the keyboard: over the panes, or
// in its column.
type sessionList struct {
	view   listbox.View
	marked map[string]bool
	// swept are those of marked that were marked with all others: a text goes to the
	// agents among them only.
	swept map[string]bool
}

// openList gives the list the keyboard; the session that needs a person most is
// chosen.
func (m *model) openList(filter string) cmd {
	m.mode, m.zoom = modePane, m.zoom && m.cols < tiling.SidebarFrom
	d := sessionList{view: listbox.View{Query: edit.NewLine(filter)}}
	m.overlay = d.with(d.view.Settled(d.content(m.nowScene())))
	return m.findProjects()
}

func (d sessionList) list() listbox.View             { return d.view }
func (d sessionList) with(v listbox.View) listDialog { d.view = v; return d }
func (d sessionList) mode() keymap.Mode              { return keymap.ModeList }
func (d sessionList) key(m *model, k input.Key) cmd  { return listKey(m, d, k) }
func (d sessionList) paste(m *model, text string)    { listPaste(m, d, text) }

// listKeys are the actions of all lists for those of the session list.
var listKeys = map[keymap.Action]keymap.Action{
	keymap.ListUp: keymap.ViewUp, keymap.ListDown: keymap.ViewDown, keymap.ListPageUp: keymap.ViewPageUp, keymap.ListPageDown: keymap.ViewPageDown,
	keymap.ListFirst: keymap.ViewFirst, keymap.ListLast: keymap.ViewLast, keymap.ListFocus: keymap.ViewOpen, keymap.ListFilter: keymap.ViewFilter,
	keymap.ListClose: keymap.ViewClose,
}

// translate makes the session list's actions those of a list.
func (d sessionList) translate(a keymap.Action) keymap.Action { return cmp.Or(listKeys[a], a) }

// listSource is what the list shows now.
func (m *model) listSource() sessionlist.Source {
	src := sessionlist.Source{
		Sessions: m.gridded(), Requests: m.Requests, Hidden: m.arr.hidden, Projects: m.list.projects, Opt: m.arr.list, Now: m.now(),
	}
	if out := m.outside(); len(out) > 0 {
		src.Sessions = slices.Concat(src.Sessions, out)
	}
	return src
}

// toggleColumn keeps the list open beside the panes, or not.
func (m *model) toggleColumn() cmd {
	m.arr.list.Column = !m.arr.list.Column
	m.rearranged()
	if m.arr.list.Column && m.cols < tiling.SidebarFrom {
		m.say("the terminal is too narrow for the list beside the panes: it needs " + strconv.Itoa(tiling.SidebarFrom) + " columns; " + m.keys.Hint(keymap.List) + " lists the sessions")
	}
	return m.findProjects()
}

// act runs one of the list's actions.
func (d sessionList) act(m *model, a keymap.Action, id string) (cmd, bool) {
	switch a {
	case keymap.ViewClose:
		if len(d.marked) == 0 {
			return nil, false
		}
		d.marked, d.view.Query = nil, edit.Line{}
	case keymap.ListSort:
		m.arr.list.Sort = map[string]string{sessionlist.ByNeed: sessionlist.ByName, sessionlist.ByName: sessionlist.ByGrid}[m.arr.list.Sort]
		m.rearranged()
	case keymap.ListGroup:
		m.arr.list.Group = !m.arr.list.Group
		m.rearranged()
	case keymap.ListToColumn:
		return m.toggleColumn(), true
	case keymap.ListWider:
		m.widenList(stepCols)
		return nil, true
	case keymap.ListNarrower:
		m.widenList(-stepCols)
		return nil, true
	case keymap.ListMarkAll:
		d = d.markAll(m.listSource())
	default:
		v := m.session(id)
		if _, move := listbox.Moves(a, 1); v == nil || move || a == keymap.ViewFilter {
			return nil, false
		}
		return d.doOn(m, a, *v), true
	}
	m.overlay = d
	return nil, true
}

// doOn runs an action on the chosen session, or on the marked ones.
func (d sessionList) doOn(m *model, a keymap.Action, v api.Session) cmd {
	if v.External && a != keymap.ListExplain && a != keymap.ListMark && a != keymap.ListKill && a != keymap.ListSnooze {
		m.setFocus(v.ID) // says that it has no pane
		return nil
	}
	switch a {
	case keymap.ViewOpen:
		m.overlay = nil
		m.setFocus(v.ID)
	case keymap.ListSend:
		m.overlay = nil
		m.prompt.target = target{}
		if all := d.targets(m, v); len(d.marked) > 0 {
			m.prompt.target.kind = targetChosen
			if m.prompt.target.ids = d.named(m, all); len(m.prompt.target.ids) == 0 {
				m.prompt.target = target{}
				m.overlay = d
				return nil
			}
		} else {
			m.setFocus(v.ID)
		}
		return m.openPrompt()
	case keymap.ListExplain:
		m.overlay = nil
		return m.openOver(nil, explain.New(v))
	case keymap.ListSnooze:
		return m.openSnooze(v.ID)
	case keymap.ListPolicy:
		return m.openPolicy(v)
	case keymap.ListRename:
		return m.openOver(d, rename.New(v))
	case keymap.ListMark:
		d.swept = with(d.swept, v.ID, false)
		if next := with(d.marked, v.ID, true); d.marked[v.ID] {
			delete(next, v.ID)
			d.marked = next
		} else {
			d.marked = next
		}
		m.overlay = d.with(d.view.Choose(d.content(m.nowScene()), 1))
	case keymap.ListHide:
		hide := !m.arr.hidden[v.ID]
		for _, v := range d.targets(m, v) {
			m.setHidden(v.ID, hide)
		}
	case keymap.ListKill:
		return m.openOver(d, confirm.Kill(d.targets(m, v), ui.Tell{Value: clearMarks}))
	case keymap.ListRestart:
		return m.restartAll(d.targets(m, v))
	}
	return nil
}

// targets are the marked sessions in the list's order, else the chosen one.
func (d sessionList) targets(m *model, chosen api.Session) []api.Session {
	var out []api.Session
	for _, r := range m.listSource().Rows("") {
		if r.Heading == "" && d.marked[r.Session.ID] && !r.Session.External {
			out = append(out, r.Session)
		}
	}
	if len(out) == 0 {
		out = append(out, chosen)
	}
	return out
}

// named are the ids of those marked sessions that a text goes to: the agents, and what
// was marked by itself. Who marks all that are listed does not name each shell.
func (d sessionList) named(m *model, all []api.Session) (ids []string) {
	var left []string
	for _, v := range all {
		if plainOf(v) != "" && d.swept[v.ID] {
			left = append(left, textsafe.Line(v.Name))
			continue
		}
		ids = append(ids, v.ID)
	}
	if n := len(left); n > 0 {
		m.say("no agents, left out: " + strings.Join(left[:min(n, 3)], ", ") + more(n-3) + "; Space in the list marks one for a text, too")
	}
	return ids
}

// markAll marks all sessions that are listed; none if they are marked already.
func (d sessionList) markAll(src sessionlist.Source) sessionList {
	next := map[string]bool{}
	for _, r := range src.Rows(d.view.Query.String()) {
		if r.Heading == "" && !r.Session.External && !d.marked[r.Session.ID] {
			next[r.Session.ID] = true
		}
	}
	if len(next) == 0 {
		d.marked, d.swept = nil, nil
		return d
	}
	swept := maps.Clone(next)
	for id := range d.swept {
		swept[id] = swept[id] || d.swept[id]
	}
	d.swept = swept
	for id := range d.marked {
		next[id] = true
	}
	d.marked = next
	return d
}

// clickList goes to the session that was clicked in the column.
func (m *model) clickList(e tea.Mouse) {
	d, sc := m.columnList(), m.nowScene()
	c := d.content(sc)
	if id := d.view.RowAt(c, d.view.Plan(sc.Screen(), c), e.X, e.Y); id != "" {
		m.setFocus(id)
	}
}

// columnList is the list in its column while the keyboard is elsewhere.
func (m *model) columnList() sessionList { return sessionList{view: listbox.View{ID: m.focus}} }

// listTimes are the times whose ages the list shows.
func (m *model) listTimes() (out []time.Time) {
	if _, open := m.overlay.(sessionList); !open && m.layout.List.Empty() {
		return nil
	}
	for _, v := range m.Sessions {
		if !v.Since.IsZero() {
			out = append(out, v.Since)
		}
	}
	return out
}

// dropStaleMarks takes marks of sessions that have gone out of the list.
func (m *model) dropStaleMarks() {
	if l, ok := m.overlay.(sessionList); ok && len(l.marked) > 0 {
		l.marked = maps.Clone(l.marked)
		maps.DeleteFunc(l.marked, func(id string, _ bool) bool { return m.session(id) == nil })
		m.overlay = l
	}
}
