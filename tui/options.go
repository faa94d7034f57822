package tui

import (
	"context"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/colorprofile"

	"ccdir/api"
	"ccdir/tui/pane"
	"ccdir/tui/prompt/history"
	"ccdir/wire"
)

// Client is what the grid needs of the daemon. Implementations may be called
// from several goroutines at once; every call ends when its context does.
type Client interface {
	// Watch follows everything that changes until ctx ends or the daemon can
	// no longer be talked to (another version, access denied); it reconnects by
	// itself. message gets each api.WatchMessage, a snapshot first and after
	// each new connection. link is told nil when the daemon is connected and
	// the reason when it is lost. Neither blocks, and both are called on
	// Watch's goroutine.
	Watch(ctx context.Context, message func(api.WatchMessage), link func(error)) error

	CreateSession(ctx context.Context, n api.NewSession) (api.Session, error)
	KillSession(ctx context.Context, id string, k api.Kill) (api.Session, error)
	RestartSession(ctx context.Context, id string) (api.Session, error)
	RenameSession(ctx context.Context, id, name string) (api.Session, error)
	// RemoveSession forgets a session that has ended.
	RemoveSession(ctx context.Context, id string) error
	SendPrompt(ctx context.Context, id string, p api.SendPrompt) (api.SendResult, error)
	// Answer answers an open permission request.
	Answer(ctx context.Context, request string, a api.Answer) (api.Decision, error)
	// Explain tells which evidence gave a session its state.
	Explain(ctx context.Context, id string) (api.Explanation, error)
	// Snooze puts off that the session waits for a person; 0 takes it back.
	Snooze(ctx context.Context, ref string, d time.Duration) (api.Session, error)
	// Seen clears the session's unread mark.
	Seen(ctx context.Context, id string) error
	// SetGrid keeps how the person has arranged the grid: the latest wins.
	SetGrid(ctx context.Context, g api.Grid) error
	Agents(ctx context.Context) ([]api.AgentInfo, error)
	Directories(ctx context.Context) ([]api.Directory, error)
	// Saved returns history and screen of a session that has ended, as they were
	// saved (format=cells, see wire.DecodeSaved).
	Saved(ctx context.Context, id string) ([]byte, error)
	// Buffer returns the screen as lines of text with SGR sequences
	// (format=ansi); it works for sessions that have ended.
	Buffer(ctx context.Context, id string) (wire.OutputResult, error)

	pane.Dialer
}

// Options are everything that Run depends on.
type Options struct {
	Client Client
	// In and Out are the terminal. Pipes work too (for tests): no raw mode,
	// and Cols and Rows must be set.
	In, Out *os.File
	// Env is the environment of the person (TERM, COLORTERM, NO_COLOR, …) and
	// of the sessions that are started from the grid.
	Env []string
	// Dir is the caller's directory: the first proposal for new sessions.
	Dir string

	// History keeps the prompts that were sent; the zero value keeps them as
	// long as the grid is open.
	History history.History

	// Draft keeps what was written in the prompt bar and not sent; the zero value
	// keeps it as long as the grid is open.
	Draft history.Draft

	// ReadOnly shows and follows, but sends no input and claims no size.
	ReadOnly bool
	// Zoom is the id, prefix or name of a session to show alone at first.
	Zoom string

	// Settings are what the configuration says at first. Changes, if not nil, hands over
	// what it says later, until ctx ends or that is not possible; changed does not block.
	Settings
	Changes func(ctx context.Context, changed func(Settings)) error

	// Cols and Rows override the terminal's size; 0 asks the terminal.
	Cols, Rows int
	// Profile overrides the detected colours; Unknown detects.
	Profile colorprofile.Profile
	// Demo names the agent offered when no real one is installed; "" is
	// "demo".
	Demo string
}

// getenv is what the environment says last for key, "" if nothing.
func (o *Options) getenv(key string) string {
	for _, kv := range slices.Backward(o.Env) {
		if v, ok := strings.CutPrefix(kv, key+"="); ok {
			return v
		}
	}
	return ""
}
