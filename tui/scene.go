package tui

import (
	"time"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/tui/grid/tiling"
	"ccdir/tui/lists/sessionlist"
	"ccdir/tui/paint"
	"ccdir/tui/pane"
	"ccdir/tui/terminal/input"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// scene is everything that the picture is made of beside the panes' rows. It
// is immutable once published; the views are pure functions of it.
type scene struct {
	seq        uint64
	redraws    uint64 // a new number: the terminal's content is void
	cols, rows int
	theme      *theme.Theme
	keys       *keymap.Map
	now        time.Time
	layout     tiling.Screen
	tiles      []tileView
	list       sessionlist.Source
	home       string
	progress   *progress // of work of several steps, nil if there is none
	// sessions are those that the grid can show, in its order; total counts
	// the hidden ones too.
	sessions []api.Session
	total    int
	hidden   int // by hand
	// waiting is how many sessions wait for a person, snoozed how many were put
	// off.
	waiting, snoozed int
	// outside are the sessions that run outside ccdir: they have no pane.
	outside  []api.Session
	requests []api.Request // open permission requests, oldest first
	work     queueState
	// everyone is all sessions, hidden ones and those outside too.
	everyone   []api.Session
	server     api.Server // as of the last snapshot
	focus      string
	target     string // session of the pane onto which another one is dragged, "" none
	events     []api.Event
	listed     []api.Event // events in the sidebar, filtered
	held       int         // events that a pause holds back
	view       eventView
	names      map[string]string // session id → name, for events
	mode       mode
	prompt     promptView
	banner     string
	offlineWhy string // why the daemon is away, where the banner need not have it
	notice     notice
	overlay    overlay
	popup      uint64 // number of the popup in overlay, 0 none
	readOnly   bool
	zoomed     bool
	dim        bool // the darker half of a pulse
	loaded     bool // the first snapshot is there
	agents     []api.AgentInfo
}

// screen is what lists know of it.
func (sc *scene) screen() modal.Screen {
	return modal.Screen{Cols: sc.cols, Rows: sc.rows, Theme: sc.theme, Keys: sc.keys}
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
