package tui

import (
	"strings"

	"ccdir/tui/dialogs/confirm"
	"ccdir/tui/ui"
)

// detach leaves the grid. What was written and is on no disk yet is kept before; if that
// cannot be, the person says whether to leave all the same. Asked for once more while it
// is being kept, it does not wait for that.
func (m *model) detach() cmd {
	text, unkept := m.unkept()
	if !unkept || m.leaving || m.opts.Draft.File == "" || strings.TrimSpace(text.String()) == "" {
		m.leave()
		return nil
	}
	m.leaving = true
	file, all, sent, edits := m.opts.Draft, text.String(), m.prompt.maybeSent(), m.prompt.text.Edits()
	return m.callOr("", func(calls) (func(*model), error) {
		return func(m *model) {
			m.leaving = false
			m.leave()
			m.draft.edits, m.draft.failed = edits, false // what was written since is kept at the end
		}, saveDraft(file, all, sent)
	}, func(m *model, err error) {
		m.leaving = false
		m.askLeave(ui.Problem(err))
	})
}

// askLeave asks whether to leave although what was written cannot be kept.
func (m *model) askLeave(reason string) {
	what := "the text in the prompt bar"
	if m.prompt.text.Empty() && len(m.prompt.jobs) > 0 {
		what = "the text that is being sent"
	}
	m.open(confirm.Dialog{
		Question: "Detach all the same? " + strings.ToUpper(what[:1]) + what[1:] + " cannot be kept and would be lost.",
		Detail:   reason, Yes: []ui.Effect{ui.Quit{}},
	})
}
