package tui

import (
	"context"
	"os"
	"slices"
	"strings"

	"github.com/charmbracelet/colorprofile"

	"ccdir/tui/prompt/history"
	"ccdir/tui/ui"
)

// Options are everything that Run depends on.
type Options struct {
	Client ui.Client
	// Nodes, if not nil, hands over the other machines that Client leads to, whenever something
	// about them changes, until ctx ends; changed does not block.
	Nodes func(ctx context.Context, changed func([]ui.Node))
	// In and Out are the terminal. Pipes work too (for tests): no raw mode,
	// and Cols and Rows must be set.
	In, Out *os.File
	// Env is the environment of the person (TERM, COLORTERM, NO_COLOR, …) and
	// of the sessions that are started from the grid.
	Env []string
	// Dir is the caller's directory: the first proposal for new sessions.
	Dir string
	// Exe is the running program, for what it runs of itself; "" if it is not known. ConfigFile is
	// where the settings are, "" if that is not to be told.
	Exe, ConfigFile string

	// History keeps the prompts that were sent; the zero value keeps them as
	// long as the grid is open.
	History history.History

	// Draft keeps what was written in the prompt bar and not sent; the zero value
	// keeps it as long as the grid is open.
	Draft history.Draft

	// Replaced, if not nil, tells the version of the ccdir that was installed in place of
	// this one since the start; "" if none was. It may block.
	Replaced func(ctx context.Context) string

	// ReadOnly shows and follows, but sends no input and claims no size.
	ReadOnly bool
	// Zoom is the id, prefix or name of a session to show alone at first.
	Zoom string

	// Settings are what the configuration says at first. Changes, if not nil, hands over
	// what it says later, until ctx ends or that is not possible; changed does not block.
	Settings
	Changes func(ctx context.Context, changed func(Settings)) error
	// Keep, if not nil, writes a setting into the configuration. It may block.
	Keep func(key, value string) error

	// Cols and Rows override the terminal's size; 0 asks the terminal.
	Cols, Rows int
	// Profile overrides the detected colours; Unknown detects.
	Profile colorprofile.Profile
	// Demo names the agent offered when no real one is installed; "" is
	// "demo".
	Demo string
}

// getenv is the environment's last value for key; "" if it has none.
func (o *Options) getenv(key string) string {
	for _, kv := range slices.Backward(o.Env) {
		if v, ok := strings.CutPrefix(kv, key+"="); ok {
			return v
		}
	}
	return ""
}
