package prompt

import (
	"cmp"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/answer/request"
	"ccdir/tui/ui"
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
func (b *Bar) pinPrompt(env ui.Env) {
	if b.target.kind == targetIdle {
		b.target = b.idleTarget(env)
	}
	b.session = ""
	if v := env.Session(env.Focus); v != nil && takesPrompts(*v) {
		b.session = v.ID
	}
}

// promptSession is the session that the text is for unless it is for others, "" a
// new one: that of the open bar, else the one in focus.
func (b *Bar) promptSession(env ui.Env) string {
	if env.Writing {
		return b.session
	}
	return env.Focus
}

// promptEnded is the name of the session that the bar was opened for, if it has ended
// meanwhile; else "".
func (b *Bar) promptEnded(env ui.Env) string {
	id := b.promptSession(env)
	if !env.Writing || b.target.kind != targetFocused || id == "" {
		return ""
	}
	if v := env.Session(id); v != nil && takesPrompts(*v) {
		return ""
	}
	return textsafe.Line(env.Names[id])
}

// chosenEnded are the names of chosen sessions that have ended meanwhile.
func (b *Bar) chosenEnded(env ui.Env) (names []string) {
	if b.target.kind != targetChosen {
		return nil
	}
	for _, id := range b.target.ids {
		if v := env.Session(id); v == nil || !takesPrompts(*v) {
			names = append(names, textsafe.Line(cmp.Or(env.Names[id], id)))
		}
	}
	return names
}

// leftOut takes the chosen sessions that have ended out of the target and says so, if
// others are left: whoever pressed Enter meant all of them.
func (b *Bar) leftOut(env ui.Env, to []api.Session) bool {
	ended := b.chosenEnded(env)
	if len(ended) == 0 || len(to) == 0 {
		return false
	}
	b.target = target{kind: targetChosen}
	for _, v := range to {
		b.target.ids = append(b.target.ids, v.ID)
	}
	b.problem = "not sent: " + haveEnded(ended) + "; Enter sends it to " + b.targetLabel(env)
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
func (b *Bar) askID(env ui.Env) string {
	if r := b.replyTo(env); r != nil {
		return r.ID
	}
	return ""
}

// beginAnew makes the text one for what is asked now.
func (b *Bar) beginAnew(env ui.Env) { b.begun = b.askID(env) }

// noteAsk notes whether a request has come into the bar.
func (b *Bar) noteAsk(env ui.Env, at time.Time) {
	if id := b.askID(env); id != b.asked.id {
		b.asked = promptAsk{id, at}
	}
}

// surprised reports whether the text was begun for something else than what Enter
// would do with it now, nil: give it as a task; or whether the request came into the
// bar just before Enter. It says so.
func (b *Bar) surprised(env ui.Env, r *api.Request, at time.Time) bool {
	begun := b.begun
	b.beginAnew(env) // another Enter is meant
	if begun == b.begun && (r == nil || at.Sub(b.asked.since) >= askedLongEnough) {
		return false
	}
	b.asked.since = time.Time{}
	is, does := "it asks by now", "refuses it with this"
	switch {
	case r == nil && b.promptEnded(env) != "":
		return false // which is said and asked in other words
	case r == nil:
		is, does = "what it asked is over", "gives it this as a task"
	case begun != "" && begun != r.ID:
		is = "it asks something else by now"
	}
	if r != nil && request.Answerable(*r) {
		does = "answers it with this"
	}
	b.problem = "not sent: " + is + ". Enter again " + does + "; " + env.Keys.Hint(keymap.PromptTarget) + " chooses who gets it instead"
	return true
}
