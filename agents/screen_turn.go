package agents

import (
	"time"

	"ccdir/api"
)

// TurnSigns is an adapter that sees on its agent's screen whether a turn goes on,
// where nothing else tells of that in time: without a program status, only the
// session file knows of a "No", up to half a second late.
type TurnSigns interface {
	// TurnSign reads the end of a screen: lines ended by newlines, blanks at their
	// ends cut. TurnUnknown if it shows no sign that is beyond doubt.
	TurnSign(text string) TurnSign
}

// TurnSign is what a screen shows of a turn.
type TurnSign string

// The signs.
const (
	TurnUnknown TurnSign = ""
	// TurnCovered: a dialog, a panel or another view stands in place of the input line.
	TurnCovered TurnSign = "covered"
	// TurnWork: the input line is there, and the sign of work.
	TurnWork TurnSign = "work"
	// TurnInterrupted: the input line is there, no sign of work, and the last word of
	// the conversation is that the turn was interrupted.
	TurnInterrupted TurnSign = "interrupted"
)

// TurnLines is how many of a screen's last lines TurnSign needs.
const TurnLines = 40

// EvidenceTurn is the name of evidence that tells a TurnSign, in its field "sign".
const EvidenceTurn = "turn"

// Evidence is the sign as evidence of a screen that was painted last at that time.
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
