package tui

import (
	"time"

	"ccdir/api"
	"ccdir/tui/grid/tiling"
	"ccdir/tui/paint"
	"ccdir/tui/pane"
	"ccdir/tui/terminal/input"
	"ccdir/tui/ui"
)

// scene is everything that the picture is made of beside the panes' rows. It
// is immutable once published; the views are pure functions of it.
type scene struct {
	ui.Env
	seq      uint64
	redraws  uint64 // a new number: the terminal's content is void
	layout   tiling.Screen
	tiles    []tileView
	progress *progress // of work of several steps, nil if there is none
	// sessions are those that the grid can show, in its order; total counts
	// the hidden ones too.
	panes  []api.Session
	total  int
	hidden int // by hand
	// waiting is how many sessions wait for a person, snoozed how many were put
	// off.
	waiting, snoozed int
	// outside are the sessions that run outside ccdir: they have no pane.
	outside []api.Session
	target  string      // session of the pane onto which another one is dragged, "" none
	listed  []api.Event // events in the sidebar, filtered
	held    int         // events that a pause holds back
	view    eventView
	mode    mode
	prompt  promptView
	banner  string
	notice  notice
	overlay overlay
	popup   uint64 // number of the popup in overlay, 0 none
	zoomed  bool
}

// tileView is one pane of the page.
type tileView struct {
	session api.Session
	pane    *pane.Pane // nil in tests of views
	state   pane.State
	rect    paint.Rect
	focused bool
	number  int       // 1…, the key that focuses it
	copy    *copyView // in copy mode; not changed any more
}

// inner is where the session's screen goes.
func (t tileView) inner() paint.Rect { return t.rect.Inset(1) }

// notice is a line for the person that goes away by itself.
type notice struct {
	text  string
	alert bool
	until time.Time
}

// mode is where keys go.
type mode int

const (
	modePane   mode = iota // to the focused pane
	modePrefix             // the next one is ccdir's
	modePrompt             // to the prompt bar
	modeEvents             // to the sidebar
)

// overlay is a dialog over the grid. Implementations are values: key and paste
// put the changed value, or nil, into the model.
type overlay interface {
	// draw shows the dialog; the cursor is invisible unless it takes text.
	draw(s *paint.Surface, sc *scene) paint.Cursor
	key(m *model, k input.Key) cmd
	paste(m *model, text string)
}

// drawChrome draws everything but the panes' rows and the overlay.
func (sc *scene) drawChrome(s *paint.Surface) {
	for _, t := range sc.tiles {
		sc.drawFrame(s, t)
	}
	if len(sc.tiles) == 0 {
		sc.drawEmpty(s)
	}
	sc.drawStrip(s)
	sc.drawList(s)
	sc.drawSidebar(s)
	sc.drawPrompt(s)
	sc.drawStatus(s)
}
