package ui

import (
	"context"

	"ccdir/api"
	"ccdir/internal/keymap"
)

// Effect is something that a component asks the grid to do.
type Effect interface{ effect() }

type (
	// Say shows a line for a while, Warn shows it longer and as a warning.
	Say  struct{ Text string }
	Warn struct{ Text string }
	// Open puts a component in front; it comes back when that one closes.
	Open struct{ Component Component }
	// Close closes the component, CloseAll also those behind it.
	Close    struct{}
	CloseAll struct{}
	// Focus closes all and gives a session's pane the focus; without a pane it says so
	// and closes nothing.
	Focus struct{ Session string }
	// Do runs an action of the table of keys if it is possible, else says why not. Arg
	// is what it is about: the key that was pressed, a session, or a query; "" is what
	// is in focus.
	Do struct {
		Action keymap.Action
		Arg    string
	}
	// Tell gives the component that is in front by then a value, as an answer.
	Tell struct{ Value any }
	// Quit leaves the grid when the hosts have what was typed; with Abandon at once.
	Quit struct{ Abandon bool }
	// Start starts a session in the environment and the room of the grid, and gives it the
	// focus; a component that waits for it (Busy) closes then, or receives NotStarted. More
	// than one are a batch. Before is what was asked for before and may have been started:
	// the same is not started twice.
	Start struct {
		Session api.NewSession
		Count   int // 0 is one
		Before  *api.NewSession
	}
	// Unstarted keeps a prompt for the next dialog that starts a session.
	Unstarted struct{ Prompt string }
	// Remember puts a text into the history of the prompt bar.
	Remember struct{ Text string }
	// Anew says that the component asks something new: what is typed before that is on
	// the screen comes Early.
	Anew struct{}
	// Write opens the prompt bar for sessions, without any for the one in focus.
	Write struct{ To []string }
	// Hide hides panes of sessions, or shows them.
	Hide struct {
		Sessions []string
		Hidden   bool
	}
	// Func does something of the grid's own: it is for menus that the grid makes.
	Func func()
	// Learn adds a session that a call answered with.
	Learn struct{ Session api.Session }
)

// Call asks the daemon. One with a name is shown if it takes long and can be cancelled,
// and a failure of it is told unless Failed does.
type Call struct {
	What string // "" keeps quiet
	Turn string // calls with the same one are made in their order, "" at any time
	Run  func(ctx context.Context, c Client) (Result, error)
	// Failed, if not nil, says what to do about an error instead of telling it.
	Failed func(env Env, err error) []Effect
}

// NotStarted is what a component that asked for Start receives if that failed. Unsure is
// what was asked for if nobody knows whether it was started, else nil.
type NotStarted struct {
	Problem string
	Unsure  *api.NewSession
}

// Result is what came of a call: Effects are for the grid if there was no error, Value is
// for the component in any case.
type Result struct {
	Value   any
	Effects []Effect
}

// Batch is work of several steps of which Abreast, at least one, are under way at once.
// The status line shows how far it is.
type Batch struct {
	What    string // "starting", "ending", …
	Noun    string // of one thing
	Steps   []Step
	Abreast int
}

// Step is one step of a Batch: a call away from the program.
type Step struct {
	Name string
	Run  func(ctx context.Context, c Client) (Result, error)
}

func (Say) effect()       {}
func (Warn) effect()      {}
func (Open) effect()      {}
func (Close) effect()     {}
func (CloseAll) effect()  {}
func (Focus) effect()     {}
func (Do) effect()        {}
func (Tell) effect()      {}
func (Func) effect()      {}
func (Start) effect()     {}
func (Remember) effect()  {}
func (Anew) effect()      {}
func (Unstarted) effect() {}
func (Write) effect()     {}
func (Hide) effect()      {}
func (Quit) effect()      {}
func (Learn) effect()     {}
func (Call) effect()      {}
func (Batch) effect()     {}
