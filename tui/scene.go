package tui

import (
	"fmt"
	"time"

	"ccdir/internal/api"
	"ccdir/internal/keymap"
	"ccdir/tui/paint"
)

// scene is everything that the picture is made of beside the panes' rows. It
// is immutable once published; the views are pure functions of it.
type scene struct {
	seq        uint64
	redraws    uint64 // a new number: the terminal's content is void
	cols, rows int
	theme      *theme
	keys       *keymap.Map
	now        time.Time
	layout     layout
	tiles      []tileView
	// sessions are those that the grid can show, in its order; total counts
	// the hidden ones too.
	sessions []api.Session
	total    int
	// outside are the sessions that run outside ccdir: they have no pane.
	outside  []api.Session
	requests []api.Request // open permission requests, oldest first
	focus    string
	events   []api.Event
	names    map[string]string // session id → name, for events
	mode     mode
	prompt   editor
	busy     bool // the prompt is on its way
	target   string
	banner   string
	notice   notice
	overlay  overlay
	popup    uint64 // number of the popup in overlay, 0 none
	readOnly bool
	zoomed   bool
	dim      bool // the darker half of a pulse
	loaded   bool // the first snapshot is there
	agents   []api.AgentInfo
}

// tileView is one pane of the page.
type tileView struct {
	session api.Session
	pane    *pane // nil in tests of views
	state   paneState
	rect    paint.Rect
	focused bool
	number  int // 1…, the key that focuses it
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
)

// overlay is a dialog over the grid. Implementations are values: key and paste
// put the changed value, or nil, into the model.
type overlay interface {
	// draw shows the dialog; the cursor is invisible unless it takes text.
	draw(s *paint.Surface, sc *scene) paint.Cursor
	key(m *model, k keyMsg) cmd
	paste(m *model, text string)
}

// drawChrome draws everything but the panes' rows and the overlay.
func (sc *scene) drawChrome(s *paint.Surface) (cur paint.Cursor) {
	for _, t := range sc.tiles {
		sc.drawFrame(s, t)
	}
	if len(sc.tiles) == 0 {
		sc.drawEmpty(s)
	}
	sc.drawStrip(s)
	sc.drawSidebar(s)
	cur = sc.drawPrompt(s)
	sc.drawStatus(s)
	return cur
}

// ageGrain is the step of ages in their first minute. Both times are taken as
// multiples of it, so that all ages on the screen step at the same moments and
// wake the program six times a minute, not once a second.
const ageGrain = 10

// age is how long ago t was, in steps of ten seconds, and of a minute after the
// first.
func age(now, t time.Time) string {
	d := since(now, t)
	switch {
	case t.IsZero():
		return ""
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}

func since(now, t time.Time) time.Duration {
	whole := now.Unix()/ageGrain - t.Unix()/ageGrain
	return max(0, time.Duration(whole)*ageGrain*time.Second)
}

// ageStep is how long until age shows something else.
func ageStep(now, t time.Time) time.Duration {
	passed := time.Duration(now.Unix()%ageGrain)*time.Second + time.Duration(now.Nanosecond())
	if d := since(now, t); d >= time.Minute {
		return time.Minute - d%time.Minute - passed
	}
	return ageGrain*time.Second - passed
}
