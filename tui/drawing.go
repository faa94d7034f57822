package tui

import (
	"slices"
	"time"

	"ccdir/api"
	"ccdir/tui/copymode"
	"ccdir/tui/paint"
	"ccdir/tui/prompt"
	"ccdir/tui/terminal"
	"ccdir/tui/ui"
)

// shown is the scene as the terminal shows it.
func (sc *scene) shown() *terminal.Scene {
	s := &terminal.Scene{
		Cols: sc.Cols, Rows: sc.Rows, Drawing: drawing{sc}, Redraws: sc.redraws, Popup: sc.popup,
		Loaded: sc.Loaded, Empty: !sc.Loaded && sc.Banner == "" && sc.overlay == nil,
		Over: sc.overlay != nil || sc.mode == modePrompt,
	}
	for _, t := range sc.Tiles {
		if t.Pane == nil {
			continue
		}
		p := terminal.Pane{Pane: t.Pane, In: t.Inner(), Focused: t.Focused, Ended: t.Session.State.Ended()}
		if v := sc.copies[t.ID()]; v != nil {
			p.Content = copymode.Content{Theme: sc.Theme, Tile: t, View: v, Frame: sc.FrameStyle(t)}
		}
		s.Panes = append(s.Panes, p)
	}
	if sc.overlay == nil && sc.mode == modeEvents {
		cur := sc.side.Cursor(sc.Env)
		s.Cursor = &cur
	}
	return s
}

// drawing draws a scene (terminal.Drawing).
type drawing struct{ sc *scene }

// Chrome draws everything but the panes' rows and the overlay.
func (d drawing) Chrome(s *paint.Surface) { d.sc.drawChrome(s) }

// Over draws the dialog, or without one the prompt bar.
func (d drawing) Over(s *paint.Surface) paint.Cursor {
	sc := d.sc
	if sc.overlay == nil {
		return sc.prompt.Draw(sc.Env, s)
	}
	at := sc.Layout.Prompt
	if sc.Banner == "" || at.Empty() {
		return sc.overlay.Draw(sc.Env, s)
	}
	below := slices.Clone(s.Row(at.Y))
	cur := sc.overlay.Draw(sc.Env, s)
	if !slices.Equal(below, s.Row(at.Y)) { // the dialog covers the banner: the last line says it
		prompt.DrawBanner(sc.Env, s, paint.Rect{Y: sc.Rows - 1, W: sc.Cols, H: 1})
	}
	return cur
}

// pulseStep is how often the signs of sessions that work turn by a step. All turn on
// the whole second, as ages do, so that they wake the program once however many there
// are.
const pulseStep = time.Second

// signTurns reports whether a session's sign turns. Nothing else on the screen moves by
// itself: what waits for a person has a colour, and does not blink.
func signTurns(v api.Session, now time.Time) bool {
	return v.Standing(now) == api.StandingWorking
}

// pulsing reports whether a sign in view turns now: not when the person switched it
// off, not without colours, not where the font lacks the sign, and not on a terminal that
// is slow.
func (m *model) pulsing(tiles []ui.Tile) bool {
	if !m.opts.Pulse || !m.colours || m.theme.ASCII || m.slow() {
		return false
	}
	now := m.now()
	for _, t := range tiles {
		if signTurns(*t.Session, now) {
			return true
		}
	}
	return false
}

// turned reports whether signs are in the second half of their turn.
func turned(now time.Time) bool { return now.Unix()%2 != 0 }
