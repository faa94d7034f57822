package prompt

import (
	"time"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/tui/answer/request"
	"ccdir/tui/prompt/outbox"
	"ccdir/tui/prompt/target"
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

// nextTarget goes on to the next target that makes sense.
func (b *Bar) nextTarget(env ui.Env) {
	b.target = b.target.Next(env)
	b.problem = ""
	b.pinPrompt(env)
	b.retarget(env)
}

// retarget follows another target: it gets the text that is in the bar, an empty bar shows the
// target's own.
func (b *Bar) retarget(env ui.Env) {
	if b.text.Empty() {
		b.swapDraft(env, b.purpose(env))
		return
	}
	b.beginAnew(env)
}

// pinPrompt makes the text one for the session in focus, whatever comes: neither its
// end nor a focus that somebody else moves gives the text to another session. One for
// the idle agents is for those that are idle now.
func (b *Bar) pinPrompt(env ui.Env) {
	if b.target.Kind == target.Idle {
		b.target = target.IdleNow(env)
	}
	b.session, b.owner = "", ""
	if v := env.Session(env.Focus); v != nil {
		if b.owner = v.ID; target.Takes(*v) {
			b.session = v.ID
		}
	}
}

// leftOut takes the chosen sessions that have ended out of the target and says so, if
// others are left: whoever pressed Enter meant all of them.
func (b *Bar) leftOut(env ui.Env, to []api.Session) bool {
	ended := b.to(env).ChosenEnded()
	if ended == "" || len(to) == 0 {
		return false
	}
	b.target = target.ChosenOf()
	for _, v := range to {
		b.target.IDs = append(b.target.IDs, v.ID)
	}
	b.problem = "not sent: " + ended + "; Enter sends it to " + b.to(env).Label()
	return true
}

// askID is the request that the text answers, "" if it answers none.
func (b *Bar) askID(env ui.Env) string {
	if r := b.replyTo(env); r != nil {
		return r.ID
	}
	return ""
}

// purpose is what the text is for now: what is asked, and the one session that gets it.
func (b *Bar) purpose(env ui.Env) outbox.Purpose {
	p := outbox.Purpose{Request: b.askID(env)}
	id, one := b.target.One()
	switch {
	case one:
		p.Session = id
	case b.target.Kind == target.Focused && env.Writing:
		p.Session = b.owner
	case b.target.Kind == target.Focused && env.Session(env.Focus) != nil:
		p.Session = env.Focus
	}
	return p
}

// beginAnew makes the text one for what is asked now. What was written for that before is in
// the history.
func (b *Bar) beginAnew(env ui.Env) {
	b.intoHistory(env, b.outbox.Drafts.Become(b.purpose(env)))
}

// note notes that keys were pressed at that time with a request in the bar, "" none.
func (a *promptAsk) note(id string, at time.Time) {
	if id != a.id {
		*a = promptAsk{id, at}
	}
}

// surprised reports whether the text was begun for something else than what Enter
// would do with it now, nil: give it as a task; or whether the request came into the
// bar just before Enter. It says so.
func (b *Bar) surprised(env ui.Env, r *api.Request, at time.Time) bool {
	begun := b.outbox.Drafts.Purpose.Request
	b.beginAnew(env) // another Enter is meant
	if begun == b.outbox.Drafts.Purpose.Request && (r == nil || at.Sub(b.asked.since) >= askedLongEnough) {
		return false
	}
	b.asked.since = time.Time{}
	is, does := "it asks by now", "refuses it with this"
	switch {
	case r == nil && b.to(env).Ended() != "":
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
