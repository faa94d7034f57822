package callers

import (
	"context"
	"time"

	"ccdir/internal/proc"
	"ccdir/internal/tune/timer"
)

// reapLook is the interval of looks for orphans that have ended, reapGrace how long they are left
// to somebody who might wait for them.
const (
	reapLook  = 20 * time.Second
	reapGrace = time.Minute
)

// Reap reaps the processes that the daemon adopted (proc.AdoptOrphans), until ctx ends.
func Reap(ctx context.Context, alarms *timer.Clock) {
	orphans := proc.Orphans{Grace: reapGrace}
	tick := alarms.NewTicker(reapLook)
	defer tick.Stop()
	for {
		select {
		case now := <-tick.C:
			orphans.Reap(ctx, now)
		case <-ctx.Done():
			return
		}
	}
}
