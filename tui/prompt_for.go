package tui

import (
	"time"

	"ccdir/internal/api"
	"ccdir/internal/keymap"
	"ccdir/internal/textsafe"
)

// promptAsk is the request that the open bar would answer, and since when keys have
// been pressed with it in view.
type promptAsk struct {
	id    string
	since time.Time
}

// askedLongEnough is how long a request has to be in view before Enter answers it by
// what was begun as something else.
const askedLongEnough = 500 * time.Millisecond

// pinPrompt makes the text one for the session in focus, whatever comes: neither its
// end nor a focus that somebody else moves gives the text to another session.
func (m *model) pinPrompt() {
	m.prompt.session = ""
	if v := m.focused(); v != nil && takesPrompts(*v) {
		m.prompt.session = v.ID
	}
}

// promptSession is the session that the text is for unless it is for others, "" a
// new one: that of the open bar, else the one in focus.
func (m *model) promptSession() string {
	if m.mode == modePrompt {
		return m.prompt.session
	}
	return m.focus
}

// promptEnded is the name of the session that the bar was opened for, if it has ended
// meanwhile; else "".
func (m *model) promptEnded() string {
	id := m.promptSession()
	if m.mode != modePrompt || m.prompt.target.kind != targetFocused || id == "" {
		return ""
	}
	if v := m.session(id); v != nil && takesPrompts(*v) {
		return ""
	}
	return textsafe.Line(m.names()[id])
}

// takesPrompts reports whether texts can be sent to a session: it runs, or is about to
// again, and then they are held for it.
func takesPrompts(v api.Session) bool { return !v.State.Ended() || v.Restarting }

// noteAsk notes whether a request has come into the bar.
func (m *model) noteAsk(at time.Time) {
	id := ""
	if r := m.replyTo(); r != nil {
		id = r.ID
	}
	if id != m.prompt.asked.id {
		m.prompt.asked = promptAsk{id, at}
	}
}

// surprised reports whether a request came into the bar just before Enter, which may
// have been meant to send the text as a prompt; and says so.
func (m *model) surprised(r api.Request, at time.Time) bool {
	if at.Sub(m.prompt.asked.since) >= askedLongEnough {
		return false
	}
	m.prompt.asked.since = time.Time{} // another Enter is meant
	does := "refuses it with this"
	if answerable(r) {
		does = "answers it with this"
	}
	m.prompt.problem = "not sent: it asks by now. Enter again " + does + "; " + m.keys.Hint(keymap.PromptTarget) + " chooses who gets it instead"
	return true
}
