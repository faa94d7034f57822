package prompt

import (
	"context"
	"errors"
	"strings"
	"time"

	"ccdir/internal/keymap"
	"ccdir/tui/prompt/history"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
)

// draftAfter is how long after an edit the text of the prompt bar is kept on
// disk: what is lost of it if the terminal or the machine goes.
const draftAfter = time.Second

// keeping is the part of the bar's text that is on disk.
type keeping struct {
	edits  uint64    // number of the text that was looked at last
	due    time.Time // when it must be saved; zero: it is
	saving bool
	failed bool // the last save failed
	// sentDue: what is being sent is not kept beside it yet.
	sentDue bool
}

// loadedDraft is the draft that the previous grid saved, with the parts that may have arrived.
type loadedDraft struct {
	text string
	sent []byte
}

// savedDraft is the result of keeping; all: not only what is being sent.
type savedDraft struct{ all bool }

// Load asks for what was written before.
func (b *Bar) Load(env ui.Env) []ui.Effect {
	file := b.Disk.Draft
	if file.File == "" || env.ReadOnly {
		return nil
	}
	return []ui.Effect{ui.Call{Run: func(context.Context, ui.Client) (ui.Result, error) {
		text, err := file.Load()
		data, sentErr := file.LoadSent()
		return ui.Result{Value: loadedDraft{text, data}}, errors.Join(err, sentErr)
	}}}
}

// takeDraft puts it into the bar, unless something was written meanwhile.
func (b *Bar) takeDraft(env ui.Env, d loadedDraft) {
	if d.text == "" || !b.text.Empty() || len(b.jobs) > 0 || !b.keeping.due.IsZero() {
		return
	}
	b.text = edit.New(d.text)
	b.keeping.edits = b.text.Edits()
	key := " (" + env.Keys.Hint(keymap.Prompt) + ")"
	if b.takeSent(d.sent, d.text) {
		b.say("what you sent last may not have arrived" + key + ": sent again as it is, nothing is done twice")
		return
	}
	b.say("what you had not sent is still in the prompt bar" + key)
}

// keepsDraft reports whether the text can be kept now. What is on its way to a
// session stays kept until it is there or another text is written; then it is in the
// history.
func (b *Bar) keepsDraft(env ui.Env) bool {
	return b.Disk.Draft.File != "" && !env.ReadOnly && (len(b.jobs) == 0 || !b.text.Empty()) && !b.keeping.saving
}

// NextWake is when the text must be saved; zero if there is nothing to do.
func (b *Bar) NextWake(env ui.Env) time.Time {
	if !b.keepsDraft(env) {
		return time.Time{}
	}
	return b.keeping.due
}

// Keep keeps the text a moment after it has changed.
func (b *Bar) Keep(env ui.Env) []ui.Effect {
	k := &b.keeping
	if b.keepSent(env) {
		return b.effects()
	}
	if !b.keepsDraft(env) {
		return nil
	}
	if edits := b.text.Edits(); edits != k.edits {
		if k.edits = edits; k.due.IsZero() {
			k.due = env.Now.Add(draftAfter)
		}
	}
	if k.due.IsZero() || env.Now.Before(k.due) {
		return nil
	}
	k.due = time.Time{}
	file, text, sent := b.Disk.Draft, b.kept().String(), b.maybeSent()
	b.save(true, func() error { return saveDraft(file, text, sent) })
	return b.effects()
}

// save writes to the disk away from the program.
func (b *Bar) save(all bool, write func() error) {
	b.keeping.saving = true
	b.ask(ui.Call{
		Run:    func(context.Context, ui.Client) (ui.Result, error) { return ui.Result{Value: savedDraft{all}}, write() },
		Failed: func(_ ui.Env, err error) []ui.Effect { return []ui.Effect{ui.Warn{Text: ui.Problem(err)}} },
	})
}

// Last keeps what was not kept yet; the program has ended.
func (b *Bar) Last(readOnly bool) error {
	text, unkept := b.unkept(readOnly)
	if !unkept {
		return nil
	}
	return saveDraft(b.Disk.Draft, text.String(), b.maybeSent())
}

// Leaving returns what keeps the text when the grid is left, nil if there is nothing to do,
// and the number of that text for Kept.
func (b *Bar) Leaving(readOnly bool) (save func() error, edits uint64) {
	text, unkept := b.unkept(readOnly)
	file, all, sent := b.Disk.Draft, text.String(), b.maybeSent()
	if !unkept || file.File == "" || strings.TrimSpace(all) == "" {
		return nil, 0
	}
	return func() error { return saveDraft(file, all, sent) }, b.text.Edits()
}

// Kept notes that a text is on disk; what was written since is kept at the end.
func (b *Bar) Kept(edits uint64) { b.keeping.edits, b.keeping.failed = edits, false }

// Unsent names what would be lost.
func (b *Bar) Unsent() string {
	if b.text.Empty() && len(b.jobs) > 0 {
		return "the text that is being sent"
	}
	return "the text in the prompt bar"
}

// unkept is the text that is to be kept when the grid is left, if that was not done yet.
func (b *Bar) unkept(readOnly bool) (text edit.Buffer, unkept bool) {
	text, k := b.kept(), b.keeping
	n := len(b.jobs)
	if n > 0 && text.Empty() {
		text = b.jobs[n-1].draft // nobody waits for its acknowledgement any more
	}
	return text, !readOnly && (!k.due.IsZero() || k.saving || k.failed || n > 0 || text.Edits() != k.edits)
}

// saveDraft keeps a text and under which ids it may have been sent: never the text
// without them.
func saveDraft(file history.Draft, text string, sent []byte) error {
	if len(sent) == 0 {
		return errors.Join(file.Save(text), file.SaveSent(nil))
	}
	return errors.Join(file.SaveSent(sent), file.Save(text))
}
