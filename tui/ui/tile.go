package ui

import (
	"slices"
	"strconv"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/pane"
)

// TitleIn is how many columns of a tile's first row are before its title.
const TitleIn = 1

// Tile is one pane of the page: a session's place in the grid, with the row of its title.
type Tile struct {
	Session *api.Session // nil: no tile; one of World.Sessions, which are never changed in place
	Pane    *pane.Pane   // nil in tests of views
	State   pane.State
	Rect    paint.Rect // with the title above
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

// Inner is where the session's screen goes. What floats has a frame around it.
func (t Tile) Inner() paint.Rect {
	r := t.Rect
	if t.Floats {
		return r.Inset(1)
	}
	return paint.Rect{X: r.X, Y: r.Y + 1, W: r.W, H: max(0, r.H-1)}
}

// Label is the session's number, as far as a key has it, and its name.
func (t Tile) Label() string {
	if t.Session == nil {
		return ""
	}
	name := textsafe.Line(t.Session.Name)
	if t.Number > 0 {
		return strconv.Itoa(t.Number) + " " + name
	}
	return name
}

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
