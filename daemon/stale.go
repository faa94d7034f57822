package daemon

import (
	"context"
	"errors"
	"time"

	"ccdir/api"
)

const (
	// staleLook is the longest interval of looks for stale sessions, staleLookMin the shortest.
	staleLook    = time.Minute
	staleLookMin = time.Second
	// staleClients is the number of connections of a host without an attached grid: the
	// daemon's.
	staleClients = 1
)

// endStale ends sessions that had neither output nor a client for stale_timeout, until ctx
// ends. Sessions of tasks have their own limits.
func (d *daemon) endStale(ctx context.Context) {
	type quiet struct {
		written uint64
		since   time.Time
	}
	seen := map[string]quiet{}
	for {
		tick := make(chan struct{})
		alarm := d.alarms.AfterFunc(staleEvery(d.config.Load().StaleTimeout), func() { close(tick) })
		select {
		case <-tick:
		case <-ctx.Done():
			alarm.Stop()
			return
		}
		limit := d.config.Load().StaleTimeout
		next := map[string]quiet{}
		for _, s := range d.events.Sessions() {
			if limit <= 0 || s.State.Ended() || s.External || s.Task != "" {
				continue
			}
			life, err := d.registry.Life(ctx, s.ID)
			if err != nil {
				continue
			}
			now := time.Now()
			q, known := seen[s.ID]
			if !known || q.written != life.Written || life.Clients > staleClients {
				q = quiet{life.Written, now}
			}
			next[s.ID] = q
			if now.Sub(q.since) >= limit {
				d.endOneStale(ctx, s, limit)
			}
		}
		seen = next
	}
}

// staleEvery is the interval of looks with that stale_timeout. A session is ended at most one
// interval late.
func staleEvery(limit time.Duration) time.Duration {
	const looks = 8 // in one limit
	if limit <= 0 {
		return staleLook
	}
	return min(max(limit/looks, staleLookMin), staleLook)
}

func (d *daemon) endOneStale(ctx context.Context, s api.Session, limit time.Duration) {
	d.log.Info("a stale session is ended", "session", s.ID, "after", limit)
	e := api.Event{At: time.Now().UTC(), Session: s.ID, Type: api.EventSessionStale, Source: "daemon", StateFrom: s.State, StateTo: s.State,
		Message: "no output and nobody attached for " + limit.String() + " (stale_timeout): it is ended; `ccdir restart " + s.Name + "` goes on"}
	d.events.Append(api.WatchMessage{Event: &e}, nil, "")
	if _, err := d.registry.Kill(ctx, s.ID, api.Kill{}); err != nil && !errors.Is(err, context.Canceled) {
		d.log.Warn("a stale session does not end", "session", s.ID, "error", err)
	}
}
