package tui

import (
	"time"

	"ccdir/api"
	"ccdir/tui/paint"
)

// pulseStep is how often the frames of sessions that start, work or wait change their
// colour. All change together on the whole second, as ages do, so that one wake-up of the
// program serves all of them.
const pulseStep = time.Second

// pulses reports whether a session's frame pulses: not while the session is snoozed.
func pulses(v api.Session, now time.Time) bool {
	s := v.State
	return s == api.StateStarting || s == api.StateWorking || s.NeedsPerson() && !v.PutOff(now)
}

// pulsing reports whether a frame in view pulses now: not if the person switched it off,
// not without colours, and not on a slow terminal.
func (m *model) pulsing(tiles []tileView) bool {
	if !m.opts.Pulse || !m.colours || m.slow() {
		return false
	}
	now := m.now()
	for _, t := range tiles {
		if pulses(t.session, now) {
			return true
		}
	}
	return false
}

// dimHalf reports whether now is in the darker half of a pulse.
func dimHalf(now time.Time) bool { return now.Unix()%2 != 0 }

// drawPulse draws the darker half over a frame. It costs few bytes: only the corners change
// (40 bytes a frame), or the whole upper edge if the focused session waits; the title's
// text does not change.
func (sc *scene) drawPulse(s *paint.Surface, t tileView, b paint.Border) {
	if !sc.dim || !pulses(t.session, sc.Now) || t.rect.W < 2 || t.rect.H < 2 {
		return
	}
	st := sc.Theme.Soft(sc.frameStyle(t), t.session.State)
	r := t.rect
	if t.focused && t.session.State.NeedsPerson() {
		s.Line(paint.Rect{X: r.X + 1, Y: r.Y, W: r.W - 2, H: 1}, b, st)
	}
	s.Corners(r, b, st)
}
