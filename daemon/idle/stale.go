package idle

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
func (k *Keeper) endStale(ctx context.Context) {
	type quiet struct {
		written uint64
		since   time.Time
	}
	seen := map[string]quiet{}
	for {
		tick := make(chan struct{})
		alarm := k.o.Alarms.AfterFunc(staleEvery(k.o.Config().StaleTimeout), func() { close(tick) })
		select {
		case <-tick:
		case <-ctx.Done():
			alarm.Stop()
			return
		}
		limit := k.o.Config().StaleTimeout
		next := map[string]quiet{}
		for _, s := range k.o.Journal.Sessions() {
			if limit <= 0 || s.State.Ended() || s.External || s.Task != "" {
				continue
			}
			life, err := k.o.Sessions.Life(ctx, s.ID)
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
				k.endOneStale(ctx, s, limit)
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

func (k *Keeper) endOneStale(ctx context.Context, s api.Session, limit time.Duration) {
	k.o.Logger.Info("a stale session is ended", "session", s.ID, "after", limit)
	e := api.Event{At: time.Now().UTC(), Session: s.ID, Type: api.EventSessionStale, Source: "daemon", StateFrom: s.State, StateTo: s.State,
		Message: "no output and nobody attached for " + limit.String() + " (stale_timeout): it is ended; `ccdir restart " + s.Name + "` goes on"}
	k.o.Journal.Append(api.WatchMessage{Event: &e}, nil, "")
	if _, err := k.o.Sessions.Kill(ctx, s.ID, api.Kill{}); err != nil && !errors.Is(err, context.Canceled) {
		k.o.Logger.Warn("a stale session does not end", "session", s.ID, "error", err)
	}
}
