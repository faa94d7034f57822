// Package sidebar is the column at the left: the sessions above, below them the events.
// Either may be hidden.
//
// It owns which of the two are shown and their room, order and groups of the sessions,
// the projects of their directories, and what a person did with the events. The grid
// keeps the arrangement with the daemon (ui.Arranged). It asks for the focus, dialogs
// about one event, the list of sessions with the keyboard, and the log of events.
package sidebar

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/tui/lists/sessions"
	"ccdir/tui/paint"
	"ccdir/tui/sidebar/events"
	"ccdir/tui/ui"
	"ccdir/tui/widget/modal"
)

// Sidebar is a value; scenes share it.
type Sidebar struct {
	events events.List
	list   api.GridList
	kept   *api.GridSidebar // of the events; nil: as configured
	config Config
	dirs   map[string]string // projects of directories; replaced, never changed in place
}

// Config is how it is until a person changes it.
type Config struct {
	NoSessions, NoEvents bool // these are not shown
	Width                int  // of the events in columns; 0 is the default
}

// Of is the Sidebar that a component of this package has become.
func Of(c ui.Component) Sidebar {
	s, _ := c.(Sidebar)
	return s
}

// within is the Env for the events, which have the rest of their place.
func (s Sidebar) within(env ui.Env) ui.Env {
	n := outsideRows(env)
	env.EventsAt.Y += n
	env.EventsAt.H -= n
	return env
}

// Draw draws both parts as they are while the keyboard is not in the sessions; the list
// of sessions draws itself over its place when it is.
func (s Sidebar) Draw(env ui.Env, on *paint.Surface) paint.Cursor {
	if !env.Column.Empty() {
		sessions.Column(env).Draw(env, on)
	}
	if env.EventsAt.Empty() {
		return paint.Cursor{}
	}
	drawOutside(env, on)
	in := s.within(env)
	s.events.Draw(in, on)
	joinOutside(env, on)
	return s.Cursor(env)
}

// Cursor is the terminal's cursor while the events have the keyboard.
func (s Sidebar) Cursor(env ui.Env) paint.Cursor { return s.events.Cursor(s.within(env)) }

// Hints are the keys worth knowing while the events have the keyboard.
func (s Sidebar) Hints(env ui.Env) []string { return s.events.Hints(env) }

// Over lists the events over the panes.
func (s Sidebar) Over(env ui.Env) ui.Component { return s.events.Over(env) }

// Key is for the events.
func (s Sidebar) Key(env ui.Env, k ui.Key) (ui.Component, []ui.Effect) {
	if b, ok := env.Keys.LookupIn(keymap.ModeEvents, k.Name); ok && !s.events.Typing() && (b.Action == keymap.EventsWider || b.Action == keymap.EventsNarrower) {
		return s.Do(env, b.Action)
	}
	var effects []ui.Effect
	s.events, effects = s.events.Key(s.within(env), k)
	return s, effects
}

// Pasted is what it becomes when text is pasted while the events have the keyboard.
func (s Sidebar) Pasted(env ui.Env, text string) (ui.Component, []ui.Effect) {
	var effects []ui.Effect
	s.events, effects = s.events.Paste(env, text)
	return s, effects
}

// Mouse: a click goes to a session, the wheel scrolls.
func (s Sidebar) Mouse(env ui.Env, msg tea.MouseMsg) (ui.Component, []ui.Effect) {
	e := msg.Mouse()
	if env.EventsAt.Contains(e.X, e.Y) {
		var effects []ui.Effect
		s.events, effects = s.events.Mouse(s.within(env), msg)
		return s, effects
	}
	if !env.Column.Contains(e.X, e.Y) {
		return s, nil
	}
	switch msg.(type) {
	case tea.MouseWheelMsg:
		if by := modal.WheelSteps(e.Button); by != 0 {
			return s, []ui.Effect{ui.Close{}, ui.Open{Component: sessions.Taken(env, by)}}
		}
	case tea.MouseClickMsg:
		if id := sessions.At(env, e.X, e.Y); id != "" {
			return s, []ui.Effect{ui.Focus{Session: id}}
		}
	}
	return s, nil
}

// Fresh is the sidebar with the rows of now.
func (s Sidebar) Fresh(env ui.Env) Sidebar {
	s.events = s.events.Fresh(env)
	return s
}

// Refresh follows what is known.
func (s Sidebar) Refresh(env ui.Env) (ui.Component, []ui.Effect) {
	s, effects := s.findProjects(env)
	if env.EventsAt.Empty() { // the dialog asks the log for itself
		return s, effects
	}
	var more []ui.Effect
	s.events, more = s.events.Refresh(s.within(env))
	return s, append(effects, more...)
}

// Receive takes projects, an answer of the log, and what menus and dialogs have for the
// events.
func (s Sidebar) Receive(env ui.Env, value any, _ error) (ui.Component, []ui.Effect) {
	if p, ok := value.(projects); ok {
		return s.Know(p), nil
	}
	s.events = s.events.Receive(env, value)
	return s, nil
}

// NextWake is when the first age in view changes.
func (s Sidebar) NextWake(env ui.Env) (next time.Time) {
	sooner := func(at time.Time) {
		if !at.IsZero() && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	if !env.Column.Empty() {
		sooner(sessions.Column(env).NextWake(env))
	}
	if !env.EventsAt.Empty() {
		sooner(s.events.NextWake(s.within(env)))
	}
	return next
}
