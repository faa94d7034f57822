package state

import (
	"ccdir/agents"
	"ccdir/api"
)

// How the last turn ended, so that nothing of an earlier turn is shown as its outcome. Most
// agents report no interruption: it is a key, and rest without the report of an end; or the
// agent's file of the conversation has it.

// BeginsTurn reports whether a hook's evidence begins the turn whose outcome is shown next. A
// prompt that arrives after the end of its turn does not.
func (m *Memory) BeginsTurn(e *api.Evidence) bool {
	return (e.Kind == api.KindPrompt || e.Kind == api.KindReport) && e.Fields["agent_id"] == "" && !e.At.Before(m.TurnOver)
}

// noteOutcome remembers how a turn ended, or that another one begins.
func (m Memory) noteOutcome(e *api.Evidence) Memory {
	switch cleared := e.Kind == api.KindConversationBegins && e.Fields[agents.FieldCleared] != ""; {
	case m.BeginsTurn(e), cleared:
		m.Prompted, m.Interrupted = e.At, false
	case e.Kind.EndsTurn() && e.Fields[FieldContinued] == "":
		m.TurnOver, m.Interrupted = e.At, e.Kind == api.KindTurnInterrupted
	}
	return m
}

// noteRest remembers that a turn was interrupted if the session came to rest by the evidence
// and the rule while its turn had not ended: after a key, or out of a dialog that was answered
// with no.
func (f *Fold) noteRest(e *api.Evidence, rule string) {
	if f.Turn && (f.State.NeedsPerson() || f.State == api.StateWorking && (!f.Escaped.IsZero() || rule == ruleInterruptShown)) {
		f.TurnOver, f.Interrupted = e.At, true
	}
}

// FromFile weighs a turn as the agent's file of the conversation has it. last: it has ended and
// is the last one, as far as is known.
func (f Fold) FromFile(t *api.Turn) (next Fold, last bool) {
	switch {
	case t.Ended.IsZero(), t.Ended.Before(f.Prompted), f.Interrupted && t.Ended.Before(f.TurnOver):
		return f, false
	case t.State == api.TurnInterrupted:
		if t.Ended.After(f.TurnOver) {
			f.TurnOver, f.Interrupted = t.Ended, true
		}
	case t.State == api.TurnDone && f.Interrupted: // what was interrupted went on
		f.TurnOver, f.Interrupted = t.Ended, false
	}
	return f, true
}
