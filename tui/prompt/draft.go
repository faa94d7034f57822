package prompt

import (
	"strings"
	"time"

	"ccdir/internal/keymap"
	"ccdir/tui/prompt/outbox"
	"ccdir/tui/prompt/target"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
)

// Load asks for what was written before.
func (b *Bar) Load(env ui.Env) []ui.Effect { return b.outbox.Load(env) }

// takeDraft puts it into the bar, unless something was written meanwhile.
func (b *Bar) takeDraft(env ui.Env, d outbox.Loaded) {
	if !b.text.Empty() {
		return
	}
	text, unsure, ok := b.outbox.Restore(d)
	if !ok {
		return
	}
	b.text = text
	b.restored = !text.Empty() && b.outbox.Drafts.Purpose == (outbox.Purpose{})
	if text.Empty() {
		b.say("what you had not sent is still in the prompt bar of " + b.drafted(env))
		return
	}
	key := " (" + env.Keys.Hint(keymap.Prompt) + ")"
	if unsure {
		b.say("what you sent last may not have arrived" + key + ": sent again as it is, nothing is done twice")
		return
	}
	b.say("what you had not sent is still in the prompt bar" + key)
}

// swapDraft has the bar hold the draft for a purpose. What was written for another one waits aside,
// or is in the history if its request is over or its session gone.
func (b *Bar) swapDraft(env ui.Env, purpose outbox.Purpose) {
	if b.restored && !b.text.Empty() && purpose.Request == "" {
		b.restored = false
		b.intoHistory(env, b.outbox.Drafts.Become(purpose))
	}
	if drafts := &b.outbox.Drafts; drafts.Purpose != purpose {
		text := b.text
		if b.past.at > 0 {
			text = edit.Buffer{} // of the history
		}
		b.text = drafts.Swap(purpose, text)
		b.past.at, b.problem = 0, ""
	}
	for _, text := range b.outbox.Drafts.TakeOver(func(p outbox.Purpose) bool {
		if p.Request != "" {
			return env.Request(p.Request) != nil
		}
		return !env.Loaded || env.Session(p.Session) != nil
	}) {
		b.intoHistory(env, text)
	}
}

// intoHistory keeps a draft that no purpose finds any more; an empty one is none.
func (b *Bar) intoHistory(env ui.Env, draft edit.Buffer) {
	if !draft.Empty() {
		b.remember(env, draft.String())
		b.past.keep(draft.String())
	}
}

// followFocus has the closed bar hold the draft of the session in focus. One for nobody in
// particular (a new session, the queue, a group) stays until it is sent.
func (b *Bar) followFocus(env ui.Env) {
	b.restored = b.restored && !b.text.Empty()
	if env.Writing || !env.Loaded || b.target.Kind != target.Focused || b.restored {
		return
	}
	if p := b.purpose(env); p != b.outbox.Drafts.Purpose {
		b.swapDraft(env, p)
	}
}

// NextWake is when the text must be saved; zero if there is nothing to do.
func (b *Bar) NextWake(env ui.Env) time.Time { return b.outbox.NextWake(env, b.text) }

// Refresh shows the draft of the session in focus, and keeps the text a moment after it has changed.
func (b *Bar) Refresh(env ui.Env) []ui.Effect {
	b.followFocus(env)
	return append(b.effects(), b.outbox.Keep(env, b.text)...)
}

// drafted names the sessions that have a draft which is not in the bar.
func (b *Bar) drafted(env ui.Env) string {
	var names []string
	for _, id := range b.outbox.Drafts.Sessions() {
		names = append(names, env.NameOf(id))
	}
	return strings.Join(names, ", ")
}

// Last keeps what was not kept yet; the program has ended.
func (b *Bar) Last(readOnly bool) error { return b.outbox.Last(b.text, readOnly) }

// Leaving returns what keeps the text when the grid is left, nil if there is nothing to do,
// and the number of that text for Kept.
func (b *Bar) Leaving(readOnly bool) (save func() error, edits uint64) {
	return b.outbox.Leaving(b.text, readOnly), b.text.Edits()
}

// Kept notes that a text is on disk; what was written since is kept at the end.
func (b *Bar) Kept(edits uint64) { b.outbox.Kept(edits) }

// Unsent names what would be lost.
func (b *Bar) Unsent() string {
	if b.text.Empty() && len(b.Jobs()) > 0 {
		return "the text that is being sent"
	}
	return "the text in the prompt bar"
}

// Jobs are the texts on their way, the oldest first.
func (b *Bar) Jobs() []outbox.Job { return b.outbox.Jobs() }

// Stop cancels one of them: what was not delivered comes back into the bar.
func (b *Bar) Stop(id uint64) { b.outbox.Stop(id) }

// Shows reports whether the open bar shows how far a text is, which Esc cancels.
func (b *Bar) Shows() bool { return b.shownJob() != nil }

// shownJob is the job whose progress the open bar shows and Esc cancels: the last one
// to several sessions, for which it has stayed open, until the next text is written.
func (b *Bar) shownJob() *outbox.Job {
	if !b.text.Empty() {
		return nil
	}
	return b.outbox.Group()
}
