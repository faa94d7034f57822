package tui

import (
	"encoding/json"
	"strings"

	"ccdir/api"
	"ccdir/tui/ui"
)

// maybeSent is what is kept beside the draft: under which ids the texts that are not
// known to have arrived were sent, so that the next grid sends them as the same calls.
type maybeSent struct {
	// Session and Task are what the text of the draft was to make, if it was.
	Session *api.NewSession `json:"session,omitempty"`
	Task    *api.NewTask    `json:"task,omitempty"`
	// Prompts are texts for sessions.
	Prompts []sentPrompt `json:"prompts,omitempty"`
}

// sentPrompt is a text for a session under an id.
type sentPrompt struct {
	Text    string `json:"text"`
	Session string `json:"session"`
	ID      string `json:"id"`
	Unsure  int    `json:"unsure,omitempty"`
}

// maybeSent is what may have arrived by now, of texts on their way too; nil if there is
// nothing.
func (p *promptBar) maybeSent() []byte {
	made, left := p.unsure, p.tries.left
	for _, j := range p.jobs {
		if j.making != (making{}) {
			made = j.making
		}
		left = append(left[:len(left):len(left)], j.tries...)
	}
	out := maybeSent{Session: made.session, Task: made.task}
	for _, t := range left[max(0, len(left)-mostTries):] {
		out.Prompts = append(out.Prompts, sentPrompt{t.text, t.session, t.id, t.unsure})
	}
	if out.Session == nil && out.Task == nil && out.Prompts == nil {
		return nil
	}
	data, err := json.Marshal(out)
	if err != nil {
		return nil // texts alone: it cannot fail
	}
	return data
}

// takeSent takes what the grid before kept of the text, and reports whether it may have
// arrived. What cannot be read is as if nothing had been sent.
func (p *promptBar) takeSent(data []byte, text string) (sent bool) {
	var kept maybeSent
	text = strings.TrimSpace(text)
	if len(data) == 0 || json.Unmarshal(data, &kept) != nil {
		return false
	}
	switch {
	case kept.Session != nil && kept.Session.Prompt == text:
		p.unsure, sent = making{session: kept.Session, kept: true}, true
	case kept.Task != nil && kept.Task.Prompt == text:
		p.unsure, sent = making{task: kept.Task, kept: true}, true
	}
	for _, t := range kept.Prompts {
		if t.Text == text {
			p.tries.keep(try{t.Text, t.Session, t.ID, t.Unsure})
			sent = true
		}
	}
	return sent
}

// keepSent keeps what is being sent: its text may be on disk already, and whoever sends
// it from there must do so under the same id.
func (m *model) keepSent() cmd {
	d, file := &m.draft, m.opts.Draft
	if !d.sentDue || d.saving || file.File == "" || m.opts.ReadOnly {
		return nil
	}
	d.sentDue, d.saving = false, true
	data := m.prompt.maybeSent()
	over := func(m *model) { m.draft.saving = false }
	return m.callOr("", func(calls) (func(*model), error) { return over, file.SaveSent(data) }, func(m *model, err error) {
		over(m)
		m.warn(ui.Problem(err))
	})
}
