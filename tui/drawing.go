package tui

import (
	"slices"

	"ccdir/tui/paint"
	"ccdir/tui/terminal"
)

// shown is the scene as the terminal shows it.
func (sc *scene) shown() *terminal.Scene {
	s := &terminal.Scene{
		Cols: sc.Cols, Rows: sc.Rows, Drawing: drawing{sc}, Redraws: sc.redraws, Popup: sc.popup,
		Loaded: sc.Loaded, Empty: !sc.Loaded && sc.banner == "" && sc.overlay == nil,
		Over: sc.overlay != nil || sc.mode == modePrompt,
	}
	for _, t := range sc.tiles {
		if t.pane == nil {
			continue
		}
		p := terminal.Pane{Pane: t.pane, In: t.inner(), Focused: t.focused, Ended: t.session.State.Ended()}
		if t.copy != nil {
			p.Content = copied{sc, t}
		}
		s.Panes = append(s.Panes, p)
	}
	if sc.overlay == nil && sc.mode == modeEvents {
		cur := sc.eventsCursor()
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
		return sc.drawPromptBar(s)
	}
	at := sc.layout.Prompt
	if sc.banner == "" || at.Empty() {
		return sc.overlay.draw(s, sc)
	}
	below := slices.Clone(s.Row(at.Y))
	cur := sc.overlay.draw(s, sc)
	if !slices.Equal(below, s.Row(at.Y)) { // the dialog covers the banner: the last line says it
		sc.drawBanner(s, paint.Rect{Y: sc.Rows - 1, W: sc.Cols, H: 1})
	}
	return cur
}
