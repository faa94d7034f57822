package ui

import (
	"context"
	"errors"

	"ccdir/api"
)

// ErrUnknown is the error of calls that a client does not know: fakes of tests, or a
// daemon of another version.
var ErrUnknown = errors.New("this daemon does not know that: `ccdir daemon restart`")

// As is a client that can do more than every client can.
func As[T any](c Client) (T, error) {
	t, ok := c.(T)
	if !ok {
		return t, ErrUnknown
	}
	return t, nil
}

// PastEvents is the part of a client that finds events of one session or kind in the log.
type PastEvents interface {
	// PastEvents returns the newest events of a session and of a kind, oldest first; ""
	// is every one.
	PastEvents(ctx context.Context, session, kind string, limit int) ([]api.Event, error)
}

// Trees is the part of a client that knows of work trees' setup commands.
type Trees interface {
	// WorktreeSetup returns the setup command of the work tree that a new session would get.
	WorktreeSetup(ctx context.Context, n api.NewSession) (api.WorktreeSetup, error)
	// ConsentToSetup records that the person agrees to the exact text of a command.
	ConsentToSetup(ctx context.Context, command string) error
}

// EventReader is the part of a client that can read the event log.
type EventReader interface {
	Events(ctx context.Context, f api.EventFilter) ([]api.Event, error)
}
