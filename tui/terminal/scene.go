package terminal

import (
	"time"

	"ccdir/tui/paint"
	"ccdir/tui/pane"
)

// Scene is a picture for the terminal. It is immutable; only the pictures of its panes
// change.
type Scene struct {
	// Cols and Rows are its size in cells.
	Cols, Rows int
	// Drawing draws everything but the panes' content.
	Drawing Drawing
	Panes   []Pane
	// Over: something lies over the panes (Drawing.Over), and has the cursor.
	Over bool
	// Cursor is the cursor; nil: the focused pane has it. Over takes precedence.
	Cursor *paint.Cursor
	// Redraws is another number than before if the terminal's content is void.
	Redraws uint64
	// Popup is the number of the newest popup, 0 if there was none (PopupShown).
	Popup uint64
	// Empty: nothing worth showing has come yet.
	Empty bool
	// Loaded: the daemon's first snapshot has come, so that the scene has its panes.
	Loaded bool
}

// Drawing draws the parts of a scene that do not change with the panes.
type Drawing interface {
	// Chrome draws everything around the panes' content, once a scene.
	Chrome(s *paint.Surface)
	// Over draws the dialog or bar over the panes, once a scene, and returns its cursor,
	// which is invisible unless it takes text.
	Over(s *paint.Surface) paint.Cursor
}

// Pane is a place for a pane's content.
type Pane struct {
	Pane *pane.Pane
	In   paint.Rect
	// Focused: keys go to it; one pane at most.
	Focused bool
	// Ended: the session has ended, so there is no cursor.
	Ended bool
	// Frame draws what is around it, if it lies over the panes before it; nil: it lies over none.
	Frame func(s *paint.Surface)
	// Content is shown instead of the pane's picture; nil: the picture is shown.
	Content Content
}

// Content is shown in a pane's place. It does not change.
type Content interface {
	// Draw draws it, rows of cells by layer.
	Draw(s *paint.Surface, layer *paint.Layer)
	// Cursor is the cursor if the pane is focused.
	Cursor() paint.Cursor
}

// openWithin is how long a picture may wait for its parts: the first snapshot of the
// daemon, and the first frames of the panes in view. They come within a few milliseconds
// of each other, and one picture made of all of them is on the screen sooner than one
// that is painted, paced and painted again.
const openWithin = 40 * time.Millisecond

// opening reports whether parts of the scene are expected for the first time.
func (sc *Scene) opening() bool {
	if sc.Empty || !sc.Loaded {
		return sc.Empty
	}
	for _, p := range sc.Panes {
		if p.Pane.Expected() {
			return true
		}
	}
	return false
}
