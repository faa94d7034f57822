package daemon

import (
	"context"
	"time"

	"ccdir/api"
	"ccdir/config"
	"ccdir/daemon/journal"
	"ccdir/daemon/store"
)

// openEvents opens the event log on top of the store.
func (d *daemon) openEvents(ctx context.Context) (err error) {
	d.events, err = journal.Open(ctx, journal.Options{
		Store: d.store, Overflow: d.o.Paths.Reserve(), OverflowSize: d.o.Reserve,
		Grid: loadLayout(d.o.Paths.GridFile(), d.log), Server: d.health, Logger: d.log,
	})
	return err
}

// sessionStore is the registry's store: the journal's view of keys and ids includes those
// that are not in the database yet.
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

// logView is the journal as the API needs it.
type logView struct{ *journal.Log }

// Watch subscribes.
func (l logView) Watch() (next func(context.Context) ([]*journal.Message, error), stop func()) {
	w := l.Log.Watch()
	return w.Next, w.Close
}

// note appends an event of the daemon itself.
func (d *daemon) note(eventType, message string) {
	<-d.events.Append(api.WatchMessage{Event: &api.Event{At: time.Now().UTC(), Type: eventType, Source: "daemon", Message: message}}, nil, "")
}

// maxProblems bounds the events about one load of the configuration.
const maxProblems = 10

func (d *daemon) noteProblems(loaded config.Loaded) {
	for _, p := range loaded.Problems[:min(len(loaded.Problems), maxProblems)] {
		d.log.Warn("configuration", "problem", p.String())
		d.note(api.EventConfigError, p.String())
	}
}
