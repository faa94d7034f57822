package daemon

import (
	"context"

	"ccdir/daemon/journal"
	"ccdir/daemon/store"
)

// openEvents opens the event log on top of the store.
func (d *daemon) openEvents(ctx context.Context) (err error) {
	d.events, err = journal.Open(ctx, journal.Options{
		Store: d.store, Overflow: d.o.Paths.Reserve(), OverflowSize: d.o.Reserve,
		Grid: loadLayout(d.o.Paths.GridFile(), d.log), Server: d.server, Logger: d.log,
	})
	return err
}

// sessionStore is the registry's view of the past: the store, and what the journal has
// not saved there yet.
type sessionStore struct {
	*store.Store
	events *journal.Log
}

// Keys implements sessions.Store.
func (s sessionStore) Keys(ctx context.Context, session string) ([]string, error) {
	return s.events.Keys(ctx, session)
}

// KnownID implements sessions.Store.
func (s sessionStore) KnownID(ctx context.Context, id string) (bool, error) {
	return s.events.KnownID(ctx, id)
}
