package tui

import (
	"ccdir/tui/lists/sessions"
	"ccdir/tui/paint"
)

// drawList draws the column of sessions as it is while the keyboard is elsewhere; the
// list draws itself over it when it has the keyboard.
func (sc *scene) drawList(s *paint.Surface) {
	if !sc.layout.List.Empty() {
		sessions.Column(sc.Env).Draw(sc.Env, s)
	}
}
