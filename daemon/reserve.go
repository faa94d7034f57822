package daemon

import (
	"context"
	"fmt"
	"time"

	"ccdir/api"
	"ccdir/api/hint"
	"ccdir/daemon/journal"
	"ccdir/daemon/journal/overflow"
	"ccdir/daemon/store"
)

// recentEvents is how many events a snapshot holds.
const recentEvents = 500

// openEvents opens the reserve on top of the store, and the event log on top of it.
func (d *daemon) openEvents(ctx context.Context) error {
	if err := d.openReserve(ctx); err != nil {
		return err
	}
	seq, err := d.reserve.LastSeq(ctx)
	if err != nil {
		return err
	}
	recent, err := d.reserve.Events(ctx, api.EventFilter{Limit: recentEvents})
	if err != nil {
		return err
	}
	d.events = journal.New(journal.Options{Sink: d.reserve, Seq: seq, Recent: recent, Grid: loadGrid(d.o.Paths.GridFile(), d.log), Server: d.server, Logger: d.log})
	d.tellReserve()
	return nil
}

// openReserve opens what the log saves by, and saves what the daemon before could
// not.
func (d *daemon) openReserve(ctx context.Context) (err error) {
	d.reserve, err = overflow.Open(ctx, overflow.Options{Path: d.o.Paths.Reserve(), Size: d.o.Reserve, Under: d.store, Logger: d.log,
		Changed: func(why error) {
			if log := d.saysHeld.Load(); log != nil {
				tellHeld(log, why)
			}
		}})
	return err
}

// tellReserve has changes of the reserve told by the log from now on, and what was
// held before.
func (d *daemon) tellReserve() {
	d.saysHeld.Store(d.events)
	if why := d.reserve.Held(); why != nil {
		tellHeld(d.events, why)
	}
}

// tellHeld tells that changes are kept in the reserve, or (nil) that none is.
func tellHeld(log *journal.Log, why error) {
	message := "the database takes changes again: what the reserve kept is saved"
	if why != nil {
		message = fmt.Sprintf("changes can't be saved and are kept in the reserve (%v)%s", why, hint.Of(why))
	}
	log.Append(api.WatchMessage{Event: &api.Event{At: time.Now().UTC(), Type: api.EventStoreHeld, Source: "daemon", Message: message}}, nil, "")
}

// sessionsPast is what sessions read of the past, with what is in the reserve.
type sessionsPast struct {
	*store.Store
	reserve *overflow.Store
}

// Keys implements sessions.Store.
func (p sessionsPast) Keys(ctx context.Context, session string) ([]string, error) {
	return p.reserve.Keys(ctx, session)
}

// KnownID implements sessions.Store.
func (p sessionsPast) KnownID(ctx context.Context, id string) (bool, error) {
	return p.reserve.KnownID(ctx, id)
}
