package idle

import (
	"context"
	"fmt"
	"slices"
	"time"

	"ccdir/api"
	"ccdir/config"
	"ccdir/internal/proc"
)

const (
	// parkEvery is the interval of looks for agents to park while a rule says so.
	parkEvery = 5 * time.Second
	// parkPressure is how long an agent must have been idle to be parked for want of memory.
	parkPressure = time.Minute
	// parkPause is the time between two that are parked for that reason: the memory of the first
	// must have come back before the next is chosen.
	parkPause = 10 * time.Second
)

// parkIdle parks agents by park_after, park_keep and park_memory, until ctx ends.
func (k *Keeper) parkIdle(ctx context.Context) {
	var pressed time.Time // when one was parked last for want of memory
	for {
		tick := make(chan struct{})
		alarm := k.o.Alarms.AfterFunc(parkEveryOf(k.o.Config()), func() { close(tick) })
		select {
		case <-tick:
		case <-ctx.Done():
			alarm.Stop()
			return
		}
		cfg, now := k.o.Config(), time.Now()
		for _, s := range parkByRule(k.o.Journal.Sessions(), cfg, now) {
			k.parkOne(ctx, s, "idle for "+cfg.ParkAfter.String()+" (park_after)")
		}
		if cfg.ParkMemory <= 0 || now.Sub(pressed) < parkPause {
			continue
		}
		free, err := proc.Available()
		if err != nil || free >= uint64(cfg.ParkMemory)<<20 {
			continue
		}
		for _, s := range idleLongest(k.o.Journal.Sessions(), now, parkPressure) {
			if k.parkOne(ctx, s, fmt.Sprintf("%d MiB of memory are available, less than %d (park_memory)", free>>20, cfg.ParkMemory)) {
				pressed = time.Now()
				break
			}
		}
	}
}

// parkEveryOf is the interval of looks with that configuration.
func parkEveryOf(cfg config.Config) time.Duration {
	if cfg.ParkAfter <= 0 && cfg.ParkMemory <= 0 {
		return staleLook // only to see whether that changes
	}
	return parkEvery
}

// idleLongest are the agents that have been idle for that long, those first that were idle for
// longest.
func idleLongest(all []api.Session, now time.Time, least time.Duration) (list []api.Session) {
	for _, s := range all {
		if s.State == api.StateIdle && s.Plain == "" && !s.External && now.Sub(s.Since) >= least {
			list = append(list, s)
		}
	}
	slices.SortStableFunc(list, func(a, b api.Session) int { return a.Since.Compare(b.Since) })
	return list
}

// parkByRule are the sessions that park_after parks.
func parkByRule(all []api.Session, cfg config.Config, now time.Time) []api.Session {
	if cfg.ParkAfter <= 0 {
		return nil
	}
	idle := idleLongest(all, now, 0)
	idle = idle[:max(len(idle)-cfg.ParkKeep, 0)]
	return slices.DeleteFunc(idle, func(s api.Session) bool { return now.Sub(s.Since) < cfg.ParkAfter })
}

// parkOne parks a session unless that would lose something, and reports whether it is parked.
func (k *Keeper) parkOne(ctx context.Context, s api.Session, why string) bool {
	v, err := k.o.Sessions.Park(ctx, s.ID, false)
	if err != nil || v.State != api.StateParked {
		k.o.Logger.Debug("a session is not parked", "session", s.ID, "error", err)
		return false
	}
	k.o.Logger.Info("a session is parked", "session", s.ID, "why", why)
	return true
}
