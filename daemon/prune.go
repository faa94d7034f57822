package daemon

import (
	"context"
	"time"

	"ccdir/internal/gitstatus"
)

// pruneEvery is the interval of deletions of what is old.
const pruneEvery = 6 * time.Hour

// prune deletes events beyond the configured number, work trees whose time in the trash is
// over, snapshots of sessions that are forgotten, and what git's looks of killed processes left, until ctx ends.
func (d *daemon) prune(ctx context.Context) {
	tick := d.alarms.NewTicker(pruneEvery)
	defer tick.Stop()
	for {
		if err := d.store.Prune(ctx, d.config.Load().EventsKept); err != nil && ctx.Err() == nil {
			d.log.Error("cannot delete old events", "error", err)
		}
		if err := d.costs.Prune(); err != nil && ctx.Err() == nil {
			d.log.Error("cannot delete what was used long ago", "error", err)
		}
		d.repositories.EmptyTrash(ctx)
		d.reviews.Tidy(ctx)
		if n := gitstatus.Sweep(); n > 0 {
			d.log.Info("directories of killed processes were removed from the temporary files", "number", n)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}
