package tui

import (
	"time"

	"ccdir/api"
)

// pulseStep is how often the signs of sessions that work turn by a step. All turn on
// the whole second, as ages do, so that they wake the program once however many there
// are.
const pulseStep = time.Second

// signTurns reports whether a session's sign turns. Nothing else on the screen moves by
// itself: what waits for a person has a colour, and does not blink.
func signTurns(v api.Session, now time.Time) bool {
	return v.Standing(v.PutOff(now)) == api.StandingWorking
}

// pulsing reports whether a sign in view turns now: not when the person switched it
// off, not without colours, not where the font lacks the sign, and not on a terminal that
// is slow.
func (m *model) pulsing(tiles []tileView) bool {
	if !m.opts.Pulse || !m.colours || m.theme.ASCII || m.slow() {
		return false
	}
	now := m.now()
	for _, t := range tiles {
		if signTurns(t.session, now) {
			return true
		}
	}
	return false
}

// turned reports whether signs are in the second half of their turn.
func turned(now time.Time) bool { return now.Unix()%2 != 0 }
