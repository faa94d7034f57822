package ui

import (
	"time"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
)

// Sign is the sign of a session's standing as it stands now.
func (e Env) Sign(standing api.Standing) string {
	if e.Turned && standing == api.StandingWorking {
		return e.Theme.Signs.TurnedSign()
	}
	return e.Theme.Sign(standing)
}

// StandingWord is a session's standing in a word.
func StandingWord(v api.Session, now time.Time) string { return textsafe.Line(v.StandingWord(now)) }

// WordWidth is how many columns a list has for the words of standings at least, so that it
// stands still while they change; MostWord how many at most, for a longer one.
const WordWidth, MostWord = 8, 14

// CutHeadline shortens what is said of a session to w columns: a command that it asks for in
// the middle, a retry by fewer words, anything else at the end.
func CutHeadline(v api.Session, now time.Time, text string, w int) string {
	if v.Standing(now) == api.StandingAsks && v.Tool != "" && v.State == api.StatePermission {
		return paint.CutMiddle(text, w)
	}
	if v.Retry != nil && paint.Width(text) > w && text == v.RetryLine(now) {
		text = v.Retry.Brief(now) // what matters most, the time, is at its end
	}
	return paint.Cut(text, w)
}
