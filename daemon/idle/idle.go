// Package idle ends or parks sessions that nobody uses: agents that rest (park_after, park_memory),
// sessions without output and clients (stale_timeout), and scratch shells whose session is gone.
//
// Contract: what is parked or ended is decided by the configuration in force at each look; the
// registry refuses to park what would lose something. Run's goroutines end with its context.
package idle

import (
	"context"
	"log/slog"

	"ccdir/api"
	"ccdir/config"
	"ccdir/daemon/journal"
	"ccdir/internal/contain"
	"ccdir/internal/tune/timer"
	"ccdir/sessions"
)

// Sessions is the registry as the keeper needs it. id is that of a session.
type Sessions interface {
	Park(ctx context.Context, id string, byHand bool) (api.Session, error)
	Life(ctx context.Context, id string) (sessions.Life, error)
	Kill(ctx context.Context, id string, k api.Kill) (api.Session, error)
}

// Options are what a keeper needs. All are needed.
type Options struct {
	Sessions Sessions
	Journal  *journal.Log
	// Processes tells what runs in a session.
	Processes func(ctx context.Context, id string) (api.ProcessUse, error)
	Config    func() config.Config
	Alarms    *timer.Clock
	Logger    *slog.Logger
}

// Keeper parks and ends sessions while it runs.
type Keeper struct{ o Options }

// New returns a keeper that does not run yet.
func New(o Options) *Keeper { return &Keeper{o} }

// Run follows the sessions until ctx ends.
func (k *Keeper) Run(ctx context.Context) {
	group := contain.Group{Log: k.o.Logger}
	group.Keep(ctx, k.endStale)
	group.Keep(ctx, k.parkIdle)
	group.Keep(ctx, k.endBeside)
	group.Wait()
}
