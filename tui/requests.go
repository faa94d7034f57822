package tui

import (
	"slices"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/answer"
	"ccdir/tui/answer/request"
	"ccdir/tui/attention"
	"ccdir/tui/ui"
)

// canAnswer reports whether answers can be given from this grid.
func (m *model) canAnswer() bool { return !m.opts.ReadOnly && m.Offline == "" }

// attend opens the answer bar for the focused session if it asks through a held
// request, and was not put off while another waits. If it asks in its pane alone, the first
// press stays there and says so. Else it goes to the session that has waited longest, the
// focused one last, and opens the bar there if there is a request.
func (m *model) attend() {
	v := m.focused()
	others := m.Waiting(m.now())
	if v == nil || !m.canAnswer() || m.Snoozed(*v, m.now()) && len(others) > 0 {
		m.attendNext("")
		return
	}
	if r := m.RequestOf(v.ID); r != nil {
		m.openAnswer(*r)
		return
	}
	if len(others) > 1 && v.State.NeedsPerson() && m.inPane != v.ID {
		m.inPane = v.ID
		m.say(textsafe.Line(v.Name) + " asks in its pane; " + m.keys.Hint(keymap.Attention) + " again goes on to the next")
		return
	}
	m.attendNext("")
}

// attendNext goes to the next session that waits, round and round from that one.
func (m *model) attendNext(from string) {
	all := m.Waiting(m.now())
	here := slices.IndexFunc(all, func(v api.Session) bool { return v.ID == m.grid.Focus })
	if here >= 0 && all[here].ID == from {
		all = append(slices.Clone(all[here+1:]), all[:here]...)
	} else if here >= 0 {
		all = slices.Delete(all, here, here+1)
	}
	if at := slices.IndexFunc(all, func(v api.Session) bool { return !v.External }); at >= 0 {
		v := all[at]
		m.overlay = nil
		m.setFocus(v.ID)
		if r := m.RequestOf(v.ID); r != nil && m.canAnswer() {
			m.openAnswer(*r)
			return
		}
		m.inPane = v.ID
		return
	}
	switch v := m.focused(); {
	case len(all) > 0:
		m.say(textsafe.Line(all[0].Name) + " waits outside ccdir: answer in its own terminal (" + textsafe.Line(all[0].CWD) + ")")
	case v != nil && v.State.NeedsPerson() && m.RequestOf(v.ID) == nil:
		m.say("answer in the pane: " + request.PaneKeys(v.State))
	case v != nil && here >= 0:
		m.say("no other session waits")
	default:
		m.say("no session waits for you" + attention.PutOffNote(m.env()))
	}
}

// openAnswer shows the answer bar.
func (m *model) openAnswer(r api.Request) {
	m.mode = modePane
	m.notice = notice{}
	m.openOver(nil, answer.New(m.env(), r))
}

// onward goes on to a request after that answer bar has answered another one, unless
// something else is in front of it by now. What was typed meanwhile was for nobody who asks
// now, and is dropped.
func (m *model) onward(bar ui.ID, r api.Request) {
	if m.overlay == nil || m.overlay.id != bar || !m.canAnswer() {
		return
	}
	if len(m.typeahead.typed) > 0 {
		m.warn("what you typed was sent to nobody: the next request came to the front")
	}
	m.typeahead = typeahead{}
	m.setFocus(r.Session)
	m.openOver(nil, answer.After(m.env(), r))
}

// nextRequest shows the request after the one with that id, by age and round and round;
// if there is no other it goes to the next session that waits.
func (m *model) nextRequest(id string) {
	at := slices.IndexFunc(m.Requests, func(o api.Request) bool { return o.ID == id })
	from := ""
	if at >= 0 {
		from = m.Requests[at].Session
	}
	for i := range len(m.Requests) {
		next := m.Requests[(at+1+i)%len(m.Requests)]
		if v := m.Session(next.Session); next.ID == id || v == nil || v.External || m.Snoozed(*v, m.now()) {
			continue
		}
		m.overlay = nil
		m.setFocus(next.Session)
		m.openAnswer(next)
		return
	}
	m.attendNext(from)
}
