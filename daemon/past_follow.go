package daemon

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/daemon/generations"
)

// run writes snapshots until ctx ends, and then the last one.
func (p *past) run(ctx context.Context) {
	w := p.events.Watch()
	defer w.Close()
	f := pastFollower{p: p, sessions: map[string]api.Session{}, ended: map[string]time.Time{}}
	for {
		waiting, cancel := ctx, context.CancelFunc(func() {})
		if !f.due.IsZero() {
			waiting, cancel = context.WithDeadline(ctx, f.due)
		}
		messages, err := w.Next(waiting)
		cancel()
		for i := range messages {
			f.take(&messages[i].WatchMessage, time.Now())
		}
		switch {
		case err == nil:
		case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
			f.save(time.Now())
		default:
			f.save(time.Now())
			return
		}
	}
}

// pastFollower is what run knows.
type pastFollower struct {
	p        *past
	sessions map[string]api.Session
	// ended are sessions that ended by themselves, and when.
	ended map[string]time.Time
	grid  api.Grid
	due   time.Time // when something is to be written, zero: never
	saved generations.Snapshot
	wrote bool
}

func (f *pastFollower) take(m *api.WatchMessage, now time.Time) {
	if m.Snapshot != nil {
		clear(f.sessions)
		for _, v := range m.Snapshot.Sessions {
			f.session(v, now)
		}
		if m.Snapshot.Grid != nil {
			f.grid = *m.Snapshot.Grid
		}
		f.soon(now.Add(pastSettle))
	}
	if m.Session != nil {
		f.session(*m.Session, now)
		f.soon(now.Add(pastSettle))
	}
	if m.Removed != "" {
		delete(f.sessions, m.Removed)
		delete(f.ended, m.Removed)
		f.p.forget(m.Removed)
		f.soon(now.Add(pastSettle))
	}
	if m.Grid != nil {
		f.grid = *m.Grid
		f.soon(now.Add(pastSettle))
	}
}

// session takes a session's new value.
func (f *pastFollower) session(v api.Session, now time.Time) {
	if !keptOf(v) {
		return
	}
	before, known := f.sessions[v.ID]
	f.sessions[v.ID] = v
	switch {
	case !v.State.Ended():
		delete(f.ended, v.ID)
		f.p.forget(v.ID)
	case known && !before.State.Ended() && before.State != api.StateExiting:
		f.ended[v.ID] = now
	}
}

// soon makes something be written at that time or earlier.
func (f *pastFollower) soon(at time.Time) {
	if f.due.IsZero() || at.Before(f.due) {
		f.due = at
	}
}

// save writes what runs, if that has changed.
func (f *pastFollower) save(now time.Time) {
	f.due = time.Time{}
	next := generations.Snapshot{At: now.UTC(), Boot: f.p.boot, Grid: f.grid, Sessions: []api.PastSession{}}
	for id, v := range f.sessions {
		at, ended := f.ended[id]
		switch {
		case !v.State.Ended():
		case !ended:
			continue
		case now.Sub(at) >= pastGrace:
			delete(f.ended, id)
			continue
		default:
			f.soon(at.Add(pastGrace))
		}
		next.Sessions = append(next.Sessions, pastOf(v))
	}
	slices.SortFunc(next.Sessions, func(a, b api.PastSession) int {
		return cmp.Or(a.Created.Compare(b.Created), strings.Compare(a.ID, b.ID))
	})
	same := f.saved
	same.At = next.At
	if f.wrote && reflect.DeepEqual(same, next) {
		return
	}
	f.p.mu.Lock()
	_, err := f.p.keeper.Save(next)
	f.p.mu.Unlock()
	if err != nil {
		f.p.log.Warn("what runs cannot be kept for after a reboot; it is tried again", "error", err)
		f.soon(now.Add(pastRetry))
		return
	}
	f.saved, f.wrote = next, true
}
