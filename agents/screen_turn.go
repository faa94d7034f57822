package agents

import (
	"time"

	"ccdir/api"
)

// TurnSigns is an adapter that recognises on its agent's screen whether a turn is
// running, for versions without a program status: there only the session file reports a
// "No", up to half a second late.
type TurnSigns interface {
	// TurnSign reads the end of a screen: lines ended by newlines, trailing blanks cut.
	// TurnUnknown if no sign is certain.
	TurnSign(text string) TurnSign
}

// TurnSign is the state of a turn on the screen.
type TurnSign string

// The signs.
const (
	TurnUnknown TurnSign = ""
	// TurnCovered: a dialog, a panel or another view replaces the input line.
	TurnCovered TurnSign = "covered"
	// TurnWork: the input line is visible, and the sign of work.
	TurnWork TurnSign = "work"
	// TurnInterrupted: the input line is visible, no sign of work, and the conversation
	// ends with the message that the turn was interrupted.
	TurnInterrupted TurnSign = "interrupted"
)

// TurnLines is how many of a screen's last lines TurnSign needs.
const TurnLines = 40

// EvidenceTurn is the name of evidence with a TurnSign in its field "sign".
const EvidenceTurn = "turn"

// Evidence is the sign as evidence; at is when the screen was last painted.
func (s TurnSign) Evidence(at time.Time) api.Evidence {
	e := api.Evidence{Source: api.SourceScreen, At: at, Name: EvidenceTurn, Fields: map[string]string{"sign": string(s)}}
	switch s {
	case TurnCovered:
		e.Detail = "the screen shows no input line"
	case TurnWork:
		e.Says, e.Detail = api.StateWorking, "the screen shows the sign of work"
	case TurnInterrupted:
		e.Says, e.Detail = api.StateIdle, "the screen shows that the turn was interrupted"
	}
	return e
}
