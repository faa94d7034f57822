package outbox

import (
	"encoding/json"
	"strings"

	"ccdir/api"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
)

// maybeSent is what is kept beside the draft: under which ids the texts that are not
// known to have arrived were sent, so that the next grid sends them as the same calls.
type maybeSent struct {
	// Session and Task are what the text of the draft was to make, if it was.
	Session *api.NewSession `json:"session,omitempty"`
	Task    *api.NewTask    `json:"task,omitempty"`
	// For is the session that the draft is for, "" none; Drafts are those of others.
	For    string      `json:"for,omitempty"`
	Drafts []keptDraft `json:"drafts,omitempty"`
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

// maybeSent is what is kept beside the draft: what may have arrived by now, of texts on their way
// too, and the other drafts; nil if there is nothing.
func (o *Outbox) maybeSent(inBar edit.Buffer) []byte {
	made, left := o.unsure, o.tries.left
	for _, j := range o.jobs {
		if j.making != (ui.Making{}) {
			made = j.making
		}
		left = append(left[:len(left):len(left)], j.tries...)
	}
	out := maybeSent{Session: made.Session, Task: made.Task}
	for _, t := range left[max(0, len(left)-mostTries):] {
		out.Prompts = append(out.Prompts, sentPrompt{t.text, t.session, t.id, t.unsure})
	}
	text, of := o.Drafts.lasting(inBar)
	if out.Drafts = o.Drafts.others(inBar); !text.Empty() {
		out.For = of.Session
	}
	if out.Session == nil && out.Task == nil && out.Prompts == nil && out.Drafts == nil && out.For == "" {
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
func (o *Outbox) takeSent(data []byte, text string) (sent bool) {
	var kept maybeSent
	text = strings.TrimSpace(text)
	if len(data) == 0 || json.Unmarshal(data, &kept) != nil {
		return false
	}
	if text != "" {
		o.Drafts.Purpose = Purpose{Session: kept.For}
	}
	o.Drafts.restore(kept.Drafts)
	switch {
	case text == "":
	case kept.Session != nil && kept.Session.Prompt == text:
		o.unsure, sent = ui.Making{Session: kept.Session, Kept: true}, true
	case kept.Task != nil && kept.Task.Prompt == text:
		o.unsure, sent = ui.Making{Task: kept.Task, Kept: true}, true
	}
	for _, t := range kept.Prompts {
		if t.Text == text && text != "" {
			o.tries.keep(try{t.Text, t.Session, t.ID, t.Unsure})
			sent = true
		}
	}
	return sent
}
