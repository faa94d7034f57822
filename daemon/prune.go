package daemon

import (
	"context"
	"time"
)

// pruneEvery is the interval of deletions of old events.
const pruneEvery = 6 * time.Hour

// prune deletes events beyond the configured number, until ctx ends.
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
