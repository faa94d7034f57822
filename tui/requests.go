package tui

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
)

// requestNews is the latest of one permission request: it is open, or it has
// ended.
type requestNews struct {
	open  *api.Request
	ended *api.Decision
}

// takeRequests lays news of permission requests into the model. The list is
// replaced, never changed in place, because scenes share it.
func (m *model) takeRequests(snapshot *api.Snapshot, changed map[string]requestNews) {
	if snapshot == nil && len(changed) == 0 {
		m.retireAnswer(nil)
		return
	}
	next := slices.Clone(m.Requests)
	if snapshot != nil {
		next = slices.Clone(snapshot.Requests)
	}
	for id, n := range changed {
		next = slices.DeleteFunc(next, func(r api.Request) bool { return r.ID == id })
		if n.open != nil {
			next = append(next, *n.open)
		}
	}
	slices.SortFunc(next, func(a, b api.Request) int {
		return cmp.Or(a.Since.Compare(b.Since), strings.Compare(a.ID, b.ID))
	})
	m.Requests = next
	m.retireAnswer(changed)
}

// retireAnswer ends the answer bar if its request has ended.
func (m *model) retireAnswer(changed map[string]requestNews) {
	d, ok := m.overlay.(answerBar)
	if !ok {
		return
	}
	ended := changed[d.req.ID].ended
	switch {
	case m.request(d.req.ID) == nil && (ended != nil || !m.opensAgain(d.req)):
		d.ended(m, ended)
	case d.problem == keymap.NoDaemon && m.Offline == "":
		d.problem = ""
		m.overlay = d
	}
}

// opensAgain reports whether a request that the daemon does not tell of may be open all
// the same: it was asked of the daemon before this one, its session still waits, and
// its hook asks again in a moment. An answer to it is kept by the daemon until then.
func (m *model) opensAgain(r api.Request) bool {
	v := m.session(r.Session)
	return r.Since.Before(m.Server.Started) && v != nil && v.State.NeedsPerson() && requestOf(m.Requests, r.Session) == nil
}

// request finds an open request by its id.
func (m *model) request(id string) *api.Request {
	for i := range m.Requests {
		if m.Requests[i].ID == id {
			return &m.Requests[i]
		}
	}
	return nil
}

// requestOf is the oldest open request of a session, nil if there is none.
func requestOf(requests []api.Request, session string) *api.Request {
	for i := range requests {
		if requests[i].Session == session {
			return &requests[i]
		}
	}
	return nil
}

// waiting are the sessions that wait for a person, the longest waiting first.
func (m *model) waiting() []api.Session {
	var out []api.Session
	for _, v := range m.Sessions {
		if m.waits(v) && !m.snoozed(v) {
			out = append(out, v)
		}
	}
	slices.SortStableFunc(out, func(a, b api.Session) int { return m.waitBegan(a).Compare(m.waitBegan(b)) })
	return out
}

// canAnswer reports whether answers can be given from this grid.
func (m *model) canAnswer() bool { return !m.opts.ReadOnly && m.Offline == "" }

// attend opens the answer bar for the focused session if it asks through a held
// request, and was not put off while another waits; else it goes to the session that
// has waited longest, the focused one last, and opens the bar there if there is a request.
func (m *model) attend() {
	v := m.focused()
	passed := v != nil && m.snoozed(*v) && len(m.waiting()) > 0
	if r := requestOf(m.Requests, m.focus); r != nil && m.canAnswer() && !passed {
		m.openAnswer(*r)
		return
	}
	m.attendNext()
}

// attendNext goes to the next session that waits.
func (m *model) attendNext() {
	all := m.waiting()
	here := slices.IndexFunc(all, func(v api.Session) bool { return v.ID == m.focus })
	if d, ok := m.overlay.(answerBar); ok && here >= 0 && all[here].ID == d.req.Session {
		all = append(slices.Clone(all[here+1:]), all[:here]...) // round and round
	} else if here >= 0 {
		all = slices.Delete(all, here, here+1)
	}
	if at := slices.IndexFunc(all, func(v api.Session) bool { return !v.External }); at >= 0 {
		v := all[at]
		m.overlay = nil
		m.setFocus(v.ID)
		if r := requestOf(m.Requests, v.ID); r != nil && m.canAnswer() {
			m.openAnswer(*r)
		}
		return
	}
	switch v := m.focused(); {
	case len(all) > 0:
		m.say(textsafe.Line(all[0].Name) + " waits outside ccdir: answer in its own terminal (" + textsafe.Line(all[0].CWD) + ")")
	case v != nil && v.State.NeedsPerson() && requestOf(m.Requests, v.ID) == nil:
		m.say("answer in the pane: " + paneKeys(v.State))
	case v != nil && here >= 0:
		m.say("no other session waits")
	default:
		m.say("no session waits for you" + m.putOffNote())
	}
}

// paneKeys are the keys that a dialog in a pane takes. They hold for lists with
// and without numbers: Enter takes the marked choice.
func paneKeys(s api.State) string {
	if s == api.StatePermission {
		return "↑ ↓ choose, Enter answers, Esc refuses"
	}
	return "↑ ↓ choose, Enter answers, Esc cancels"
}

// openAnswer shows the answer bar.
func (m *model) openAnswer(r api.Request) {
	m.mode = modePane
	m.notice = notice{}
	name := r.Session
	if v := m.session(r.Session); v != nil {
		name = v.Name
	}
	m.overlay = answerBar{req: r, name: name, popup: m.openPopup()}
}

// left says how many other sessions wait, for the notice after an answer.
func (m *model) left(session string) string {
	n := 0
	for _, v := range m.waiting() {
		if v.ID != session {
			n++
		}
	}
	switch n {
	case 0:
		return ""
	case 1:
		return "; one more waits (" + m.keys.Hint(keymap.Attention) + ")"
	}
	return "; " + strconv.Itoa(n) + " more wait (" + m.keys.Hint(keymap.Attention) + ")"
}
