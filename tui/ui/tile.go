package ui

import (
	"slices"

	"ccdir/api"
	"ccdir/tui/paint"
	"ccdir/tui/pane"
)

// Tile is one pane of the page: a session's place in the grid, with its frame.
type Tile struct {
	Session *api.Session // nil: no tile; one of World.Sessions, which are never changed in place
	Pane    *pane.Pane   // nil in tests of views
	State   pane.State
	Rect    paint.Rect // with the frame
	Focused bool
	Number  int  // 1…, the key that focuses it
	Floats  bool // it lies over the others
	Still   bool // in copy mode: its lines stand still
}

// ID is the session's; "" if there is no tile (the zero value).
func (t Tile) ID() string {
	if t.Session == nil {
		return ""
	}
	return t.Session.ID
}

// Inner is where the session's screen goes.
func (t Tile) Inner() paint.Rect { return t.Rect.Inset(1) }

// Tile finds the tile of a session in view.
func (e Env) Tile(session string) (Tile, bool) {
	for _, t := range e.Tiles {
		if t.ID() == session {
			return t, true
		}
	}
	return Tile{}, false
}

// TileAt finds the tile below a cell of the screen.
func (e Env) TileAt(x, y int) (Tile, bool) {
	for _, t := range slices.Backward(e.Tiles) { // one that floats is the last
		if t.Rect.Contains(x, y) {
			return t, true
		}
	}
	return Tile{}, false
}
