package ui

import (
	"context"
	"time"

	"ccdir/api"
	"ccdir/tui/pane"
	"ccdir/wire"
)

// Client is the grid's view of the daemon. Implementations may be called
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
	// ParkSession ends the process of an idle agent, WakeSession starts it again.
	ParkSession(ctx context.Context, id string) (api.Session, error)
	WakeSession(ctx context.Context, id string) (api.Session, error)
	// Input writes keys or a paste; a parked session is woken, and they wait until it takes them.
	Input(ctx context.Context, id string, in api.RawInput) error
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
