package daemon

import (
	"context"
	"time"
)

// pruneEvery is how often old events are deleted.
const pruneEvery = 6 * time.Hour

// prune keeps the event log at the configured length.
func (d *daemon) prune(ctx context.Context) {
	tick := d.alarms.NewTicker(pruneEvery)
	defer tick.Stop()
	for {
		if err := d.store.Prune(ctx, d.config.Load().EventsKept); err != nil && ctx.Err() == nil {
			d.log.Error("cannot delete old events", "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}
