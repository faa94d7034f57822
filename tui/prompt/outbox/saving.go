package outbox

import (
	"context"
	"errors"
	"strings"
	"time"

	"ccdir/tui/prompt/history"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
)

// saveAfter is how long after an edit the text of the prompt bar is kept on
// disk: what is lost of it if the terminal or the machine goes.
const saveAfter = time.Second

// saving is the part of the text that is on disk.
type saving struct {
	edits  uint64    // number of the text that was looked at last
	due    time.Time // when it must be saved; zero: it is
	busy   bool      // a save is under way
	failed bool      // the last save failed
	// sentDue: what is being sent is not kept beside it yet.
	sentDue bool
}

// saved is the result of a save; all: not only what is being sent.
type saved struct{ all bool }

func (s *saving) takeSaved(v saved, err error) {
	s.busy = false
	if v.all {
		s.failed = err != nil
	}
}

// jobEnded notes that what is kept beside the text has changed.
func (s *saving) jobEnded(now time.Time) {
	if s.due.IsZero() {
		s.due = now.Add(saveAfter)
	}
}

// Loaded is the draft that the previous grid saved, with the ids of what may have arrived.
type Loaded struct {
	text string
	sent []byte
}

// Load asks for what was written before; its result is a Loaded.
func (o *Outbox) Load(env ui.Env) []ui.Effect {
	file := o.file
	if file.File == "" || env.ReadOnly {
		return nil
	}
	return []ui.Effect{ui.Call{Run: func(context.Context, ui.Client) (ui.Result, error) {
		text, err := file.Load()
		data, sentErr := file.LoadSent()
		return ui.Result{Value: Loaded{text, data}}, errors.Join(err, sentErr)
	}}}
}

// Restore returns what the previous grid saved, for an empty bar, unless something was
// written meanwhile; unsure: it may have arrived.
func (o *Outbox) Restore(d Loaded) (text edit.Buffer, unsure, ok bool) {
	if len(o.jobs) > 0 || !o.saving.due.IsZero() {
		return edit.Buffer{}, false, false
	}
	if unsure = o.takeSent(d.sent, d.text); d.text != "" {
		text = edit.New(d.text)
	}
	o.saving.edits = text.Edits()
	return text, unsure, d.text != "" || len(o.Drafts.aside) > 0
}

// saves reports whether the text can be kept now. What is on its way to a
// session stays kept until it is there or another text is written; then it is in the
// history.
func (o *Outbox) saves(env ui.Env, inBar edit.Buffer) bool {
	return o.file.File != "" && !env.ReadOnly && (len(o.jobs) == 0 || !inBar.Empty()) && !o.saving.busy
}

// NextWake is when the text must be saved; zero if there is nothing to do.
func (o *Outbox) NextWake(env ui.Env, inBar edit.Buffer) time.Time {
	if !o.saves(env, inBar) {
		return time.Time{}
	}
	return o.saving.due
}

// Keep keeps the text a moment after it has changed, and what is being sent at once.
func (o *Outbox) Keep(env ui.Env, inBar edit.Buffer) []ui.Effect {
	s := &o.saving
	if s.sentDue && !s.busy && o.file.File != "" && !env.ReadOnly {
		// Its text may be on disk already, and whoever sends it from there must do so
		// under the same id.
		s.sentDue = false
		file, data := o.file, o.maybeSent(inBar)
		return s.save(false, func() error { return file.SaveSent(data) })
	}
	if !o.saves(env, inBar) {
		return nil
	}
	if edits := inBar.Edits(); edits != s.edits {
		if s.edits = edits; s.due.IsZero() {
			s.due = env.Now.Add(saveAfter)
		}
	}
	if s.due.IsZero() || env.Now.Before(s.due) {
		return nil
	}
	s.due = time.Time{}
	lasting, _ := o.Drafts.lasting(inBar)
	file, text, sent := o.file, lasting.String(), o.maybeSent(inBar)
	return s.save(true, func() error { return saveDraft(file, text, sent) })
}

// save writes to the disk away from the program.
func (s *saving) save(all bool, write func() error) []ui.Effect {
	s.busy = true
	return []ui.Effect{ui.Call{
		Run:    func(context.Context, ui.Client) (ui.Result, error) { return ui.Result{Value: saved{all}}, write() },
		Failed: func(_ ui.Env, err error) []ui.Effect { return []ui.Effect{ui.Warn{Text: ui.Problem(err)}} },
	}}
}

// Last keeps what was not kept yet; the program has ended. It blocks on the disk.
func (o *Outbox) Last(inBar edit.Buffer, readOnly bool) error {
	text, unkept := o.unkept(inBar, readOnly)
	if !unkept {
		return nil
	}
	return saveDraft(o.file, text.String(), o.maybeSent(inBar))
}

// Leaving returns what keeps the text when the grid is left, which blocks on the disk; nil if
// there is nothing to do. After it the caller says Kept.
func (o *Outbox) Leaving(inBar edit.Buffer, readOnly bool) (save func() error) {
	text, unkept := o.unkept(inBar, readOnly)
	file, all, sent := o.file, text.String(), o.maybeSent(inBar)
	if !unkept || file.File == "" || strings.TrimSpace(all) == "" && len(o.Drafts.aside) == 0 {
		return nil
	}
	return func() error { return saveDraft(file, all, sent) }
}

// Kept notes that the text with that number of edits is on disk; what was written since is
// kept at the end.
func (o *Outbox) Kept(edits uint64) { o.saving.edits, o.saving.failed = edits, false }

// unkept is the text that is to be kept when the grid is left, if that was not done yet.
func (o *Outbox) unkept(inBar edit.Buffer, readOnly bool) (text edit.Buffer, unkept bool) {
	text, _ = o.Drafts.lasting(inBar)
	s := o.saving
	n := len(o.jobs)
	if n > 0 && text.Empty() {
		text = o.jobs[n-1].entry.Draft // nobody waits for its acknowledgement any more
	}
	return text, !readOnly && (!s.due.IsZero() || s.busy || s.failed || n > 0 || text.Edits() != s.edits)
}

// saveDraft keeps a text and under which ids it may have been sent: never the text
// without them.
func saveDraft(file history.Draft, text string, sent []byte) error {
	if len(sent) == 0 {
		return errors.Join(file.Save(text), file.SaveSent(nil))
	}
	return errors.Join(file.SaveSent(sent), file.Save(text))
}
