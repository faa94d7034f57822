package tui

import (
	"errors"
	"time"

	"ccdir/tui/prompt/history"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
)

// draftAfter is how long after an edit the text of the prompt bar is kept on
// disk: what is lost of it if the terminal or the machine goes.
const draftAfter = time.Second

// draft is what of the prompt bar's text is on disk.
type draft struct {
	edits  uint64    // number of the text that was looked at last
	due    time.Time // when it is to be kept, zero if it is
	saving bool
	failed bool // what was to be kept last is not on disk
	// sentDue: what is being sent is not kept beside it yet.
	sentDue bool
}

// loadDraft puts what was written before into the prompt bar, unless something
// was written meanwhile.
func (m *model) loadDraft() cmd {
	file := m.opts.Draft
	if file.File == "" || m.opts.ReadOnly {
		return nil
	}
	return m.call("", func(calls) (func(*model), error) {
		text, err := file.Load()
		data, sentErr := file.LoadSent()
		return func(m *model) {
			if p := &m.prompt; text != "" && p.text.Empty() && len(p.jobs) == 0 && m.draft.due.IsZero() {
				p.text = edit.New(text)
				m.draft.edits = p.text.Edits()
				if p.takeSent(data, text) {
					m.say("what you sent last may not have arrived (" + m.keys.Hint("prompt") + "): sent again as it is, nothing is done twice")
					return
				}
				m.say("what you had not sent is still in the prompt bar (" + m.keys.Hint("prompt") + ")")
			}
		}, errors.Join(err, sentErr)
	})
}

// keepsDraft reports whether the text can be kept now. What is on its way to a
// session stays kept until it is there or another text is written; then it is in the
// history.
func (m *model) keepsDraft() bool {
	return m.opts.Draft.File != "" && !m.opts.ReadOnly && (len(m.prompt.jobs) == 0 || !m.prompt.text.Empty()) && !m.draft.saving
}

// draftDue is when the text is to be kept, zero if there is nothing to do.
func (m *model) draftDue() time.Time {
	if !m.keepsDraft() {
		return time.Time{}
	}
	return m.draft.due
}

// keepDraft keeps the text a moment after it has changed.
func (m *model) keepDraft(now time.Time) cmd {
	d, p := &m.draft, &m.prompt
	if keep := m.keepSent(); keep != nil {
		return keep
	}
	if !m.keepsDraft() {
		return nil
	}
	if edits := p.text.Edits(); edits != d.edits {
		if d.edits = edits; d.due.IsZero() {
			d.due = now.Add(draftAfter)
		}
	}
	if d.due.IsZero() || now.Before(d.due) {
		return nil
	}
	d.due, d.saving = time.Time{}, true
	file, text, sent := m.opts.Draft, p.kept().String(), p.maybeSent()
	over := func(m *model) { m.draft.saving, m.draft.failed = false, false }
	return m.callOr("", func(calls) (func(*model), error) { return over, saveDraft(file, text, sent) }, func(m *model, err error) {
		m.draft.saving, m.draft.failed = false, true
		m.warn(ui.Problem(err))
	})
}

// lastDraft keeps what was not kept yet; the program has ended.
func (m *model) lastDraft() error {
	text, unkept := m.unkept()
	if !unkept {
		return nil
	}
	return saveDraft(m.opts.Draft, text.String(), m.prompt.maybeSent())
}

// unkept is the text that is to be kept when the grid is left, if that was not done yet.
func (m *model) unkept() (text edit.Buffer, unkept bool) {
	text = m.prompt.kept()
	n := len(m.prompt.jobs)
	if n > 0 && text.Empty() {
		text = m.prompt.jobs[n-1].draft // nobody waits for its acknowledgement any more
	}
	return text, !m.opts.ReadOnly && (!m.draft.due.IsZero() || m.draft.saving || m.draft.failed || n > 0 || text.Edits() != m.draft.edits)
}

// saveDraft keeps a text and under which ids it may have been sent: never the text
// without them.
func saveDraft(file history.Draft, text string, sent []byte) error {
	if len(sent) == 0 {
		return errors.Join(file.Save(text), file.SaveSent(nil))
	}
	return errors.Join(file.SaveSent(sent), file.Save(text))
}
