package ui

import (
	"context"
	"os/exec"

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
	// Open puts a component in front; it comes back when that one closes.
	Open struct{ Component Component }
	// Close closes the component, CloseAll also those behind it.
	Close    struct{}
	CloseAll struct{}
	// Focus closes all and gives a session's pane the focus; without a pane it says so
	// and closes nothing.
	Focus struct{ Session string }
	// Find is Focus, and shows the newest place of a text in that pane, in copy mode.
	Find struct{ Session, Text string }
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
	// Started gives a session that has started the focus, unless something was typed since
	// Typed: the focus is not taken from under a person's hands.
	Started struct {
		Session api.Session
		Typed   int64
	}
	// Unstarted keeps a prompt for the next dialog that starts a session.
	Unstarted struct{ Prompt string }
	// Arrived says that what the component waited for has come: what was typed meanwhile
	// goes where keys go by then. Else it is dropped when the component waits no longer.
	Arrived struct{}
	// Pass gives a key to whatever has the keyboard by then.
	Pass struct{ Key Key }
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
	// CancelWork cancels something that is under way, by the id that the grid's menu has.
	CancelWork struct{ ID string }
	// Emit writes to the terminal beside the picture; the bytes must not move the cursor.
	Emit struct{ Bytes []byte }
	// Sidebar gives the sidebar a value, as an answer.
	Sidebar struct{ Value any }
	// Arranged says that what the daemon keeps of the arrangement has changed. With Hold
	// hosts are told of new sizes a little later: more changes may follow.
	Arranged struct{ Hold bool }
	// Input gives input to the focused session as if it was typed in its pane.
	Input struct{ Input *wire.Input }
	// Copy puts text into the clipboard, and says so. By is the session whose program copies
	// it; "": the person does.
	Copy struct{ Text, By string }
	// Suspend lends the terminal to programs: Run, away from the program, gives it to one
	// at a time and blocks until that ends. What names it if it fails.
	Suspend struct {
		What string
		Run  func(ctx context.Context, give func(*exec.Cmd) error) error
	}
	// Border puts the border at the right of the sidebar at column X, or that between its
	// parts at row Y; 0 leaves it.
	Border struct{ X, Y int }
	// PassMouse gives what the mouse did to what is behind.
	PassMouse struct{ Msg tea.MouseMsg }
	// Learn adds a session that a call answered with.
	Learn struct{ Session api.Session }
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

func (Say) effect()        {}
func (Warn) effect()       {}
func (Open) effect()       {}
func (Close) effect()      {}
func (CloseAll) effect()   {}
func (Focus) effect()      {}
func (Find) effect()       {}
func (Do) effect()         {}
func (Tell) effect()       {}
func (CancelWork) effect() {}
func (Start) effect()      {}
func (Started) effect()    {}
func (Arrived) effect()    {}
func (Pass) effect()       {}
func (Remember) effect()   {}
func (Anew) effect()       {}
func (Unstarted) effect()  {}
func (Write) effect()      {}
func (Hide) effect()       {}
func (Quit) effect()       {}
func (Emit) effect()       {}
func (Sidebar) effect()    {}
func (Arranged) effect()   {}
func (Input) effect()      {}
func (Copy) effect()       {}
func (Suspend) effect()    {}
func (Border) effect()     {}
func (PassMouse) effect()  {}
func (Learn) effect()      {}
func (Call) effect()       {}
func (Stream) effect()     {}
func (Batch) effect()      {}
