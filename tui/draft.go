package tui

import (
	"time"

	"ccdir/tui/edit"
)

// draftAfter is how long after an edit the text of the prompt bar is kept on
// disk: what is lost of it if the terminal or the machine goes.
const draftAfter = time.Second

// draft is what of the prompt bar's text is on disk.
type draft struct {
	edits  uint64    // number of the text that was looked at last
	due    time.Time // when it is to be kept, zero if it is
	saving bool
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
		return func(m *model) {
			if p := &m.prompt; text != "" && p.text.Empty() && p.job == nil && m.draft.due.IsZero() {
				p.text = edit.New(text)
				m.draft.edits = p.text.Edits()
				m.say("what you had not sent is still in the prompt bar (" + m.keys.Hint("prompt") + ")")
			}
		}, err
	})
}

// keepsDraft reports whether the text can be kept now. What is on its way to a
// session stays kept until it is there.
func (m *model) keepsDraft() bool {
	return m.opts.Draft.File != "" && !m.opts.ReadOnly && m.prompt.job == nil && !m.draft.saving
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
	file, text := m.opts.Draft, p.text.String()
	over := func(m *model) { m.draft.saving = false }
	return m.callOr("", func(calls) (func(*model), error) { return over, file.Save(text) }, func(m *model, err error) {
		over(m)
		m.warn(problem(err))
	})
}

// lastDraft keeps what was not kept yet; the program has ended.
func (m *model) lastDraft() error {
	p := m.prompt
	text := p.text
	if p.job != nil && text.Empty() {
		text = p.job.draft // nobody waits for its acknowledgement any more
	}
	if m.opts.ReadOnly || m.draft.due.IsZero() && !m.draft.saving && p.job == nil && text.Edits() == m.draft.edits {
		return nil
	}
	return m.opts.Draft.Save(text.String())
}
