package tui

import (
	"slices"
	"strconv"
	"strings"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/grid/tiling"
)

// firstFocus chooses the pane to begin with: the one asked for, else the one that the
// grid was left at, else one that waits for a person, else one that runs.
func (m *model) firstFocus() {
	if m.opts.Zoom != "" {
		if v := m.find(m.opts.Zoom); v != nil {
			m.setFocus(v.ID)
			m.zoom = true
			return
		}
		m.warn("there is no session " + textsafe.Line(m.opts.Zoom))
	}
	if v := m.session(m.arr.zoom); v != nil && !v.External && !m.arr.hidden[v.ID] {
		m.focus, m.zoom = v.ID, true
		return
	}
	shown := m.shown()
	if slices.ContainsFunc(shown, func(v api.Session) bool { return v.ID == m.arr.focus }) {
		m.focus = m.arr.focus
		return
	}
	rank := func(v api.Session) int {
		switch {
		case v.State.NeedsPerson() && !m.snoozed(v):
			return 0
		case !v.State.Ended():
			return 1
		}
		return 2
	}
	best := 3
	for _, v := range shown {
		if r := rank(v); r < best {
			best, m.focus = r, v.ID
		}
	}
}

// find resolves an id, a unique prefix of one, or a name.
func (m *model) find(ref string) *api.Session {
	var found *api.Session
	for i := range m.Sessions {
		v := &m.Sessions[i]
		if v.External {
			continue
		}
		if v.ID == ref || v.Name == ref {
			return v
		}
		if strings.HasPrefix(v.ID, ref) {
			if found != nil {
				return nil
			}
			found = v
		}
	}
	return found
}

// setFocus gives a session the keyboard, if it has a pane.
func (m *model) setFocus(id string) {
	v := m.session(id)
	if v == nil {
		return
	}
	if v.External {
		m.say(textsafe.Line(v.Name) + " runs outside ccdir: it has no pane (process " + strconv.Itoa(v.PID) + " in " + textsafe.Line(v.CWD) + ")")
		return
	}
	if v.State.Ended() && m.hideEnded {
		m.hideEnded = false
		m.rearranged()
	}
	m.setHidden(id, false)
	m.focus = id
}

// focused is the session with the keyboard, nil if there is none.
func (m *model) focused() *api.Session { return m.session(m.focus) }

func (m *model) focusAt() (shown []api.Session, at int) {
	shown = m.shown()
	return shown, slices.IndexFunc(shown, func(v api.Session) bool { return v.ID == m.focus })
}

// focusTo moves the focus on the page; where one pane is shown at a time it
// moves through all of them.
func (m *model) focusTo(d tiling.Side) {
	shown, at := m.focusAt()
	if at < 0 {
		return
	}
	if len(m.layout.Panes) == 1 && len(shown) > 1 {
		if d == tiling.Left || d == tiling.Up {
			m.focusStep(-1)
		} else {
			m.focusStep(1)
		}
		return
	}
	next := tiling.Neighbour(m.layout.Panes, at-m.layout.First, d)
	if next == at-m.layout.First && m.layout.Pages > 1 { // over the edge of the page
		switch l := m.layout; {
		case (d == tiling.Right || d == tiling.Down) && l.Page+1 < l.Pages:
			next = len(l.Panes)
		case (d == tiling.Left || d == tiling.Up) && l.Page > 0:
			next = -1
		}
	}
	m.focus = shown[m.layout.First+next].ID
}

func (m *model) focusStep(n int) {
	if shown, at := m.focusAt(); at >= 0 {
		m.focus = shown[(at+n+len(shown))%len(shown)].ID
	}
}

// focusNumber gives the focus to the pane of that number.
func (m *model) focusNumber(a keymap.Action, key string) {
	n := slices.Index(m.keys.Of(a).Keys, key)
	shown := m.shown()
	if n < 0 || n >= len(shown) {
		m.warn("there are only " + strconv.Itoa(len(shown)) + " panes")
		return
	}
	m.focus = shown[n].ID
}

// openSession closes the dialog and goes to a session's pane, or says that there
// is none.
func (m *model) openSession(id string) {
	if id == "" || m.session(id) == nil {
		m.warn("there is no pane of it any more: " + m.keys.Hint("history") + " has what it showed")
		return
	}
	if !m.session(id).External { // else it says that there is no pane
		m.overlay = nil
	}
	m.setFocus(id)
}
