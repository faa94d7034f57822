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

// Sidebar is a part (ui.Part); pictures have copies, and nothing that it points to is changed
// in place.
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
	return s.Cursor(env)
}

// Cursor is the terminal's cursor while the events have the keyboard.
func (s Sidebar) Cursor(env ui.Env) paint.Cursor { return s.events.Cursor(s.within(env)) }

// Hints are the keys worth knowing while the events have the keyboard.
func (s Sidebar) Hints(env ui.Env) []string { return s.events.Hints(env) }

// Over lists the events over the panes.
func (s Sidebar) Over(env ui.Env) ui.Component { return s.events.Over(env) }

// Key is for the events.
func (s *Sidebar) Key(env ui.Env, k ui.Key) (effects []ui.Effect, taken bool) {
	if !env.InEvents {
		return nil, false
	}
	if b, ok := env.Keys.LookupIn(keymap.ModeEvents, k.Name); ok && !s.events.Typing() && (b.Action == keymap.EventsWider || b.Action == keymap.EventsNarrower) {
		return s.Do(env, b.Action), true
	}
	s.events, effects = s.events.Key(s.within(env), k)
	return effects, true
}

// Paste is for the events.
func (s *Sidebar) Paste(env ui.Env, text []byte) (effects []ui.Effect, taken bool) {
	if !env.InEvents {
		return nil, false
	}
	s.events, effects = s.events.Paste(env, string(text))
	return effects, true
}

// Mouse: a click goes to a session, the wheel scrolls.
func (s *Sidebar) Mouse(env ui.Env, msg tea.MouseMsg) (effects []ui.Effect, taken bool) {
	e := msg.Mouse()
	if env.EventsAt.Contains(e.X, e.Y) {
		s.events, effects = s.events.Mouse(s.within(env), msg)
		return effects, true
	}
	if !env.Column.Contains(e.X, e.Y) {
		return nil, false
	}
	switch msg.(type) {
	case tea.MouseWheelMsg:
		if by := modal.WheelSteps(e.Button); by != 0 {
			return []ui.Effect{ui.Close{}, ui.Open{Component: sessions.Taken(env, by)}}, true
		}
	case tea.MouseClickMsg:
		if id := sessions.At(env, e.X, e.Y); id != "" {
			return sessions.Visit(env, id), true
		}
	}
	return nil, true
}

// Refresh follows what is known. What it asks for can wait for the first picture.
func (s *Sidebar) Refresh(env ui.Env) []ui.Effect {
	if env.Unseen {
		s.events = s.events.Fresh(env)
		return nil
	}
	effects := s.findProjects(env)
	if env.EventsAt.Empty() { // the dialog asks the log for itself
		return effects
	}
	var more []ui.Effect
	s.events, more = s.events.Refresh(s.within(env))
	return append(effects, more...)
}

// Receive takes projects, where a border is put, an answer of the log, and what menus and
// dialogs have for the events.
func (s *Sidebar) Receive(env ui.Env, value any, _ error) []ui.Effect {
	switch v := value.(type) {
	case projects:
		*s = s.Know(v)
	case ui.Border:
		return s.border(env, v)
	default:
		s.events = s.events.Receive(env, value)
	}
	return nil
}

// NextWake is when the first age in view changes.
func (s *Sidebar) NextWake(env ui.Env) (next time.Time) {
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
