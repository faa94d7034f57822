package ui

import (
	"context"
	"os/exec"
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/wire"
)

// Effect is something that a component asks the grid to do.
type Effect interface{ effect() }

type (
	// Say shows a line for a while, Warn shows it longer and as a warning. An empty one
	// takes away what is shown.
	Say  struct{ Text string }
	Warn struct{ Text string }
	// SayFor shows a line for so long.
	SayFor struct {
		Text string
		For  time.Duration
	}
	// Open puts a component in front; it comes back when that one closes.
	Open struct{ Component Component }
	// Close closes the component, with All also those behind it. A part gives the keyboard
	// back to the focused pane.
	Close struct{ All bool }
	// Focus closes all and gives a session's pane the focus, and shows the newest place of
	// Text in it, if there is one, in copy mode; without a pane it says so and closes nothing.
	Focus struct{ Session, Text string }
	// Do runs an action of the table of keys if it is possible, else says why not. Arg
	// is what it is about: the key that was pressed, a session, or a query; "" is what
	// is in focus.
	Do struct {
		Action keymap.Action
		Arg    string
	}
	// Write opens the prompt bar for sessions, without any for the one in focus.
	Write struct{ To []string }
	// Tell gives a part a value, as an answer; to Nobody in particular: the component that
	// is in front by then.
	Tell struct {
		To    ID
		Value any
	}
	// Start starts a session in the environment and the room of the grid, and gives it the
	// focus; a component that waits for it (Busy) closes then, or receives NotStarted. More
	// than one are a batch. Before is what was asked for before and may have been started:
	// the same is not started twice.
	Start struct {
		Session api.NewSession
		Count   int // 0 is one
		Before  *api.NewSession
	}
	// Learn adds a session that a call answered with. One that has just started gets the
	// focus, unless something was typed since Typed: the focus is not taken from under a
	// person's hands.
	// Server is what the daemon has said of itself since the snapshot.
	Learn struct {
		Session api.Session
		Server  *api.Server
		Started bool
		Typed   int64
	}
	// Arrived says that what the component waited for has come: what was typed meanwhile
	// goes where keys go by then. Else it is dropped when the component waits no longer.
	Arrived struct{}
	// Anew says that the component asks something new: what is typed before that is on
	// the screen comes Early.
	Anew struct{}
	// Pass gives a key, or what the mouse did, to whatever has it by then, or input to the
	// focused session as if it was typed in its pane.
	Pass struct {
		Key   Key // without a name: none
		Mouse tea.MouseMsg
		Input *wire.Input
	}
	// Emit writes to the terminal beside the picture; the bytes must not move the cursor.
	Emit struct{ Bytes []byte }
	// Copy puts text into the clipboard, and says so. By is the session whose program copies
	// it; "": the person does.
	Copy struct{ Text, By string }
	// Suspend lends the terminal to programs: Run, away from the program, gives it to one
	// at a time and blocks until that ends. What names it if it fails.
	Suspend struct {
		What string
		Run  func(ctx context.Context, give func(*exec.Cmd) error) error
	}
)

// Call asks the daemon. One with a name is shown if it takes long and can be cancelled,
// and a failure of it is told unless Failed does.
type Call struct {
	What string // "" keeps quiet
	Turn string // calls with the same one are made in their order, "" at any time
	Run  func(ctx context.Context, c Client) (Result, error)
	// Done, if not nil, says what follows when it has worked, wherever the component is by
	// then. Own: the component tells an error itself as long as it is open.
	Done func(env Env) []Effect
	Own  bool
	// Patient: it may take until somebody has brought a daemon back, and a person can
	// cancel it.
	Patient bool
	// Failed, if not nil, says what to do about an error instead of telling it.
	Failed func(env Env, err error) []Effect
}

// Stream asks the daemon for values that come until Run returns or the component has
// closed; each is told to the component (Told). A component has one stream: another one
// ends the one before, of which nothing comes any more.
type Stream struct {
	// Run is away from the program. tell blocks while the grid is behind, and fails when the
	// component has closed.
	Run func(ctx context.Context, c Client, tell func(any) error) error
}

// Told is what a Receiver gets of its Stream: values in their order. Over: nothing follows;
// the error says why, nil if Run has returned none.
type Told struct {
	Values []any
	Over   bool
}

// NotStarted is what a component that asked for Start receives if that failed, with the error.
// Session is what was asked for, Unsure the same if nobody knows whether it was started, else nil.
type NotStarted struct {
	Problem string
	Session api.NewSession
	Unsure  *api.NewSession
}

// Result is the result of a call: Effects are for the grid if there was no error, Value is
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

func (Say) effect()     {}
func (SayFor) effect()  {}
func (Warn) effect()    {}
func (Open) effect()    {}
func (Close) effect()   {}
func (Focus) effect()   {}
func (Do) effect()      {}
func (Write) effect()   {}
func (Tell) effect()    {}
func (Start) effect()   {}
func (Learn) effect()   {}
func (Arrived) effect() {}
func (Anew) effect()    {}
func (Pass) effect()    {}
func (Emit) effect()    {}
func (Copy) effect()    {}
func (Suspend) effect() {}
func (Call) effect()    {}
func (Stream) effect()  {}
func (Batch) effect()   {}
