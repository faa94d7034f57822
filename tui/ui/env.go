package ui

import (
	"slices"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/lists/sessionlist"
	"ccdir/tui/paint"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// Env is what a component may know when it gets a key or is drawn. It is read-only.
type Env struct {
	Now        time.Time
	Cols, Rows int // of the screen
	Bottom     int // row of the status line; Rows if there is none
	Theme      *theme.Theme
	Keys       *keymap.Map
	Facts      keymap.Facts // decide which actions are possible
	Home       string       // the person's home directory, "" unknown
	Dir        string       // in which the grid was opened
	Environ    []string     // the person's environment
	Templates  []string     // of the configuration, sorted
	Walls      []string     // profiles of walls, those of the configuration first
	ConfigFile string       // where the settings are, "" not to be told
	Focus      string       // id of the session whose pane has the focus, "" none
	ReadOnly   bool         // attached to look only
	Clear      bool         // nothing lies over the panes, and one of them has the keyboard
	Unseen     bool         // the first picture is not on the screen yet: what can wait for it is not asked for
	Turned     bool         // signs of work are in the second half of their turn
	// Typed grows with each thing that a person types: the same number later means that
	// nothing was typed since.
	Typed int64
	// Tiles are the panes in view.
	Tiles []Tile
	// Float is where a floating tool lies.
	Float paint.Rect
	// Column is where the list of sessions stands beside the panes, EventsAt where the events
	// do; empty if they do not.
	Column, EventsAt paint.Rect
	InEvents         bool // the events have the keyboard
	Writing          bool // the prompt bar has it
	CanQueue         bool // the client takes tasks
	// NextCols, NextRows are the room that one more session gets.
	NextCols, NextRows int
	// Banner says why nothing works, and what waits for that; "" if the daemon answers.
	Banner string
	// List are the sessions as lists of them show them.
	List sessionlist.Source
	// Early: the key or click came before the component was on the screen. It was meant
	// for what was there before.
	Early bool
	*World
}

// World is the grid's copy of the daemon's state. Slices and maps are replaced, never changed
// in place: pictures share them.
type World struct {
	Loaded   bool          // the first snapshot came
	Offline  string        // why the daemon does not answer, "" if it does
	Server   api.Server    // as of the last snapshot
	Sessions []api.Session // all, in order of creation
	Events   []api.Event
	Requests []api.Request // open, oldest first
	// Ended are how requests ended lately, the latest last; bounded.
	Ended  []api.Decision
	Work   Work
	Limits *api.Limits     // nil: none is known
	Agents []api.AgentInfo // those that can be started
	Dirs   []api.Directory
	Names  map[string]string // of sessions by id, removed ones too
	Nodes  []Node            // other machines, by their names; replaced, never changed in place
}

// Session finds one by its id, nil if there is none; the pointer is for reading.
func (w *World) Session(id string) *api.Session {
	for i := range w.Sessions {
		if w.Sessions[i].ID == id {
			return &w.Sessions[i]
		}
	}
	return nil
}

// Floats reports whether a session lies over the grid, when its key is pressed, instead of
// having a pane of it: it is a tool beside another session.
func (w *World) Floats(v api.Session) bool {
	return v.Beside != nil && v.Beside.Floating && w.Session(v.Beside.Session) != nil
}

// Under is the session whose pane has the focus, or the one beside which the floating tool that
// has it was opened; "" if there is none.
func (e Env) Under() string {
	if v := e.Session(e.Focus); v != nil && e.Floats(*v) {
		return v.Beside.Session
	}
	return e.Focus
}

// SessionName is a session's name for a list; calls without a session come from guests.
func (w *World) SessionName(id string) string {
	if id == "" {
		return "(guest)"
	}
	if name := w.Names[id]; name != "" {
		return textsafe.Line(name)
	}
	return textsafe.Line(id)
}

// NameOf is a session's name for a line of text, its id if it is not there.
func (w *World) NameOf(id string) string {
	if v := w.Session(id); v != nil {
		return textsafe.Line(v.Name)
	}
	return id
}

// OfflineBanner says that there is no daemon, and why. A reason why none can be started,
// or that none will be by itself, comes first: somebody has to do something about it.
// Other reasons stand apart.
func (w *World) OfflineBanner() (banner, reason string) {
	if w.Offline == "" {
		return "", ""
	}
	if reason, ok := strings.CutPrefix(w.Offline, "the daemon did not start: "); ok {
		return "no daemon can be started: " + strings.TrimPrefix(reason, "ccdir: ") + " · the panes keep working; it is tried again", ""
	}
	if start, ok := strings.CutPrefix(w.Offline, "the ccdir daemon is not running: "); ok {
		return "no daemon is running: " + start + "; the panes keep working, and it is waited for", ""
	}
	return "the daemon does not answer; the panes keep working. Reconnecting…", w.Offline
}

// Screen describes the screen for lists and dialogs.
func (e Env) Screen() modal.Screen {
	return modal.Screen{Cols: e.Cols, Rows: e.Rows, Theme: e.Theme, Keys: e.Keys}
}

// Getenv is the person's environment's last value for key; "" if it has none.
func (e Env) Getenv(key string) string {
	for _, kv := range slices.Backward(e.Environ) {
		if v, ok := strings.CutPrefix(kv, key+"="); ok {
			return v
		}
	}
	return ""
}
