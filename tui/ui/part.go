package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
)

// Part is a thing that is always there, under the components that open and close: the
// grid of panes, the prompt bar, the sidebar, copy mode. It is changed in place, on the
// program's goroutine; pictures get copies of it.
//
// Each input is offered to the parts in one order, and the first that takes it has it. The
// effects are carried out in any case.
type Part interface {
	// Key and Paste take what is typed while the part has the keyboard (Env says who has).
	Key(env Env, k Key) (effects []Effect, taken bool)
	Paste(env Env, text []byte) (effects []Effect, taken bool)
	// Mouse takes clicks, motion and the wheel over the part.
	Mouse(env Env, msg tea.MouseMsg) (effects []Effect, taken bool)
	// Receive takes the answers to its calls, as a Receiver does, and what others Tell it.
	Receive(env Env, value any, err error) []Effect
	// Refresh follows what is known, after each message, and does what is due.
	Refresh(env Env) []Effect
	// NextWake is when Refresh has something to do, or the part is to be drawn anew; the
	// zero time is never.
	NextWake(env Env) time.Time
}

// Dragger is a Part that may hold a button of the mouse: what the mouse does is offered to
// it before all others, wherever the pointer is.
type Dragger interface {
	Drag(env Env, msg tea.MouseMsg) (effects []Effect, taken bool)
}

// ID says who on the screen is meant: a part, or an open component, whose number is behind
// those of the parts.
type ID uint64

// The parts, in the order in which input is offered to them.
const (
	Nobody ID = iota
	Prompt
	Grid
	Sidebar
	Copies // the panes in copy mode
	Daemon // what is said of the daemon itself
	last   // behind it are the components
)

// Opened is the number of the n-th component that was opened, from 1.
func Opened(n uint64) ID { return last + ID(n) }

// NoInput is for parts that take none.
type NoInput struct{}

func (NoInput) Key(Env, Key) ([]Effect, bool)            { return nil, false }
func (NoInput) Paste(Env, []byte) ([]Effect, bool)       { return nil, false }
func (NoInput) Mouse(Env, tea.MouseMsg) ([]Effect, bool) { return nil, false }

// What parts are told (Tell).
type (
	// Remember has the prompt bar keep a text in its history.
	Remember struct{ Text string }
	// Hide has the grid hide panes of sessions, or show them.
	Hide struct {
		Sessions []string
		Hidden   bool
	}
	// Scope has the grid show the sessions of a scope alone, zero for all.
	Scope struct{ api.GridScope }
	// Board has the grid keep whether the tasks are shown as a board.
	Board struct{ On bool }
	// Arranged tells the grid that what the daemon keeps of the arrangement has changed.
	// With Hold hosts learn of new sizes a little later: more changes may follow.
	Arranged struct{ Hold bool }
	// Border has the sidebar put the border at its right at column X, or that between its
	// halves at row Y; 0 leaves it.
	Border struct{ X, Y int }
)
