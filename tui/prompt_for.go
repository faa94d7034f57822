package tui

import (
	"cmp"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
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
// end nor a focus that somebody else moves gives the text to another session. One for
// the idle agents is for those that are idle now.
func (m *model) pinPrompt() {
	if m.prompt.target.kind == targetIdle {
		m.prompt.target = m.idleTarget()
	}
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

// chosenEnded are the names of chosen sessions that have ended meanwhile.
func (m *model) chosenEnded() (names []string) {
	if m.prompt.target.kind != targetChosen {
		return nil
	}
	for _, id := range m.prompt.target.ids {
		if v := m.session(id); v == nil || !takesPrompts(*v) {
			names = append(names, textsafe.Line(cmp.Or(m.names()[id], id)))
		}
	}
	return names
}

// leftOut takes the chosen sessions that have ended out of the target and says so, if
// others are left: whoever pressed Enter meant all of them.
func (m *model) leftOut(to []api.Session) bool {
	p, ended := &m.prompt, m.chosenEnded()
	if len(ended) == 0 || len(to) == 0 {
		return false
	}
	p.target = target{kind: targetChosen}
	for _, v := range to {
		p.target.ids = append(p.target.ids, v.ID)
	}
	p.problem = "not sent: " + haveEnded(ended) + "; Enter sends it to " + m.targetLabel()
	return true
}

// haveEnded says that sessions have ended.
func haveEnded(names []string) string {
	has := " has ended"
	if len(names) > 1 {
		has = " have ended"
	}
	return strings.Join(names[:min(len(names), 3)], ", ") + more(len(names)-3) + has
}

// takesPrompts reports whether texts can be sent to a session: it runs, or is about to
// again, and then they are held for it.
func takesPrompts(v api.Session) bool { return !v.State.Ended() || v.Restarting }

// askID is the request that the text answers, "" if it answers none.
func (m *model) askID() string {
	if r := m.replyTo(); r != nil {
		return r.ID
	}
	return ""
}

// beginAnew makes the text one for what is asked now.
func (m *model) beginAnew() { m.prompt.begun = m.askID() }

// noteAsk notes whether a request has come into the bar.
func (m *model) noteAsk(at time.Time) {
	if id := m.askID(); id != m.prompt.asked.id {
		m.prompt.asked = promptAsk{id, at}
	}
}

// surprised reports whether the text was begun for something else than what Enter
// would do with it now, nil: give it as a task; or whether the request came into the
// bar just before Enter. It says so.
func (m *model) surprised(r *api.Request, at time.Time) bool {
	p := &m.prompt
	begun := p.begun
	m.beginAnew() // another Enter is meant
	if begun == p.begun && (r == nil || at.Sub(p.asked.since) >= askedLongEnough) {
		return false
	}
	p.asked.since = time.Time{}
	is, does := "it asks by now", "refuses it with this"
	switch {
	case r == nil && m.promptEnded() != "":
		return false // which is said and asked in other words
	case r == nil:
		is, does = "what it asked is over", "gives it this as a task"
	case begun != "" && begun != r.ID:
		is = "it asks something else by now"
	}
	if r != nil && answerable(*r) {
		does = "answers it with this"
	}
	p.problem = "not sent: " + is + ". Enter again " + does + "; " + m.keys.Hint(keymap.PromptTarget) + " chooses who gets it instead"
	return true
}
