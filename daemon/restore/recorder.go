package restore

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"time"

	"ccdir/api"
	"ccdir/daemon/restore/generations"
)

const (
	// settle is the delay of a write after a change: changes come in bursts.
	settle = time.Second
	// grace is how long a session that ended by itself still counts as running. When a
	// machine shuts down, agents and daemon get their signals at about the same time,
	// and nobody wanted those agents to end.
	grace = 30 * time.Second
	// retryAfter is the delay after a failed write.
	retryAfter = 30 * time.Second
)

// Run writes generations until ctx ends, and then the last one.
func (r *Restorer) Run(ctx context.Context) {
	w := r.o.Journal.Watch()
	defer w.Close()
	f := recorder{r: r, sessions: map[string]api.Session{}, ended: map[string]time.Time{}}
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

// recorder is the state of Run.
type recorder struct {
	r        *Restorer
	sessions map[string]api.Session // by id
	// ended is when each session that ended by itself did so, by id.
	ended map[string]time.Time
	grid  api.Grid
	due   time.Time               // of the next write, zero: none
	saved *generations.Generation // the last one written, nil: none
	// lost: sessions were lost since the last write, and nobody was told yet what to do.
	lost bool
}

func (f *recorder) take(m *api.WatchMessage, now time.Time) {
	if m.Snapshot != nil {
		clear(f.sessions)
		for _, v := range m.Snapshot.Sessions {
			f.session(v, now)
		}
		if m.Snapshot.Grid != nil {
			f.grid = *m.Snapshot.Grid
		}
		f.soon(now.Add(settle))
	}
	if m.Session != nil {
		f.session(*m.Session, now)
		f.soon(now.Add(settle))
	}
	if m.Removed != "" {
		delete(f.sessions, m.Removed)
		delete(f.ended, m.Removed)
		f.r.forget(m.Removed)
		f.soon(now.Add(settle))
	}
	if m.Grid != nil {
		f.grid = *m.Grid
		f.soon(now.Add(settle))
	}
}

// session notes a session's new value.
func (f *recorder) session(v api.Session, now time.Time) {
	if !recorded(v) {
		return
	}
	before, known := f.sessions[v.ID]
	f.sessions[v.ID] = v
	switch {
	case !v.State.Ended():
		delete(f.ended, v.ID)
		f.r.forget(v.ID)
	case known && !before.State.Ended() && before.State != api.StateExiting:
		f.ended[v.ID] = now
		f.lost = f.lost || v.State == api.StateLost
	}
}

// tell appends one event for the sessions that were lost since the last write, if they
// are still offered.
func (f *recorder) tell() {
	if !f.lost {
		return
	}
	f.lost = false
	f.r.mu.Lock()
	defer f.r.mu.Unlock()
	if list, _ := f.r.lost(); len(list) > 0 {
		f.r.announce()
	}
}

// soon schedules a write, at that time or earlier.
func (f *recorder) soon(at time.Time) {
	if f.due.IsZero() || at.Before(f.due) {
		f.due = at
	}
}

// save writes a generation if something has changed.
func (f *recorder) save(now time.Time) {
	f.due = time.Time{}
	f.tell()
	next := generations.Generation{At: now.UTC(), Boot: f.r.o.Boot, Grid: f.grid, Sessions: []api.PastSession{}}
	for id, v := range f.sessions {
		at, ended := f.ended[id]
		switch {
		case !v.State.Ended():
		case !ended:
			continue
		case now.Sub(at) >= grace:
			delete(f.ended, id)
			continue
		default:
			f.soon(at.Add(grace))
		}
		next.Sessions = append(next.Sessions, pastOf(v))
	}
	slices.SortFunc(next.Sessions, byAge)
	if f.saved != nil {
		same := *f.saved
		if same.At = next.At; reflect.DeepEqual(same, next) {
			return
		}
	}
	f.r.mu.Lock()
	_, err := f.r.generations.Save(next)
	f.r.mu.Unlock()
	if err != nil {
		f.r.o.Logger.Warn("what runs cannot be kept for after a reboot; it is tried again", "error", err)
		f.soon(now.Add(retryAfter))
		return
	}
	f.saved = &next
}
