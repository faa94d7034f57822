package state

import (
	"strconv"
	"time"

	"ccdir/agents"
	"ccdir/api"
)

// TurnFacts are the saved facts of the turn of a task's prompt. It is a value: its methods return the
// next one.
type TurnFacts struct {
	// Delivery is the id of the prompt that was taken, Taken when; "" before.
	Delivery string    `json:"delivery,omitempty"`
	Taken    time.Time `json:"taken,omitzero"`
	// Ended is when the turn ended, zero before; with the agent's last message, and the kind
	// of error that ended it ("": none).
	Ended   time.Time `json:"ended,omitzero"`
	Reply   string    `json:"reply,omitempty"`
	Failure string    `json:"failure,omitempty"`
	// Tasks counts the activities that the turn left running.
	Tasks int `json:"tasks,omitempty"`
	// PromptID is the agent's id of the prompt, Transcript its file of the conversation; ""
	// if unknown.
	PromptID   string `json:"prompt_id,omitempty"`
	Transcript string `json:"transcript,omitempty"`
}

// Begun returns the facts after a prompt was taken at that time. It keeps an end that is
// later: the hook of the end may arrive first, if the prompt's hook was spooled.
func (f TurnFacts) Begun(delivery string, at time.Time) TurnFacts {
	if !f.Ended.After(at) {
		f = TurnFacts{}
	}
	f.Delivery, f.Taken = delivery, at
	return f
}

// printDelivery is the delivery id of a print task's prompt, which is not typed.
const printDelivery = "print"

// Note returns the facts after a report of the agent itself. print: the agent runs in its
// one-shot mode. transcript and reply are those of the report; "" for none.
func (f TurnFacts) Note(e api.Evidence, print bool, transcript, reply string) TurnFacts {
	before := f
	if transcript != "" {
		f.Transcript = transcript
	}
	switch e.Kind {
	case api.KindPrompt, api.KindReport:
		if f.Delivery == "" && print {
			f.Delivery, f.Taken = printDelivery, e.At
		}
		if e.At.Before(f.Ended) {
			break // late, for example from the spool: its turn is over
		}
		// A turn begins or continues: an earlier end does not count.
		f.Ended, f.Failure, f.PromptID = time.Time{}, "", e.Fields["prompt_id"]
	case api.KindTurnEnds, api.KindTurnFails:
		if e.Fields[FieldContinued] != "" {
			break // the turn goes on
		}
		if id := e.Fields["prompt_id"]; id != "" && f.PromptID != "" && id != f.PromptID && e.At.Before(f.Taken) {
			return before // late: an earlier turn's
		}
		f.Ended, f.Reply, f.Failure = e.At, reply, ""
		if e.Kind == api.KindTurnFails {
			if f.Failure = e.Fields["error"]; f.Failure == "" {
				f.Failure = "unknown"
			}
		}
		f.Tasks, _ = strconv.Atoi(e.Fields["background_tasks"])
	case api.KindCompactionEnds, api.KindConversationBegins: // commands, whose end is no turn's
		if f.Ended.IsZero() && !f.Taken.IsZero() && (e.Kind == api.KindCompactionEnds || e.Fields[agents.FieldCleared] != "") {
			f.Ended = e.At
		}
	case api.KindConversationEnds:
		if print && f.Ended.IsZero() && e.Says == api.StateExiting {
			f.Ended = e.At
		}
	}
	return f
}
