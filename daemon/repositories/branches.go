package repositories

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"ccdir/api"
	"ccdir/daemon/journal"
	"ccdir/daemon/repositories/agenda"
	"ccdir/internal/gitstatus"
)

// When git is asked.
const (
	branchSettle = 2 * time.Second // after the last event
	branchAtMost = 5 * time.Second // after the first event
	branchRest   = 20              // times what the last question took is waited until the next
)

// branchOptions are what a follower of branches needs.
type branchOptions struct {
	Logger *slog.Logger
	// Watch opens a watch of the event log.
	Watch func() *journal.Watcher
	// Top returns the top of the work tree around a directory, "" if there is none.
	Top func(dir string) string
	// Read asks git.
	Read func(ctx context.Context, dir string) (gitstatus.Status, error)
	// Set sets a session's values; an unknown session is no error.
	Set func(ctx context.Context, session string, v api.TreeState) error
	// Asked is called after git was asked about a directory, with the time of the last event there;
	// nil for nothing. It must not block.
	Asked func(dir string, at time.Time)
	// Used is the processor time that the daemon's children have taken; nil: what git takes is
	// what passes until it answers.
	Used func() time.Duration
}

// branches keeps what sessions show of the git work trees around their directories: branch,
// commits ahead and behind, changed files and lines. Two seconds after the last event of a session, and at
// the latest five seconds after the first, it asks git about the session's directory, once for
// all sessions there, and sets what has changed. A slow git is asked less often: it may take a
// twentieth of the time. Values are latest-wins; one that cannot be read leaves the value as it
// was. Ended sessions keep theirs. The goroutine of run is the only one that asks git here, so one
// repository that hangs delays the others, by at most the limit of gitstatus.Read.
type branches struct {
	o branchOptions
	// agenda has the directories that git is asked about.
	agenda *agenda.Agenda
	// dirs are the directories of sessions that run, and those that git is slow in.
	dirs map[string]*branchDir
	// in is the directory of each session that runs.
	in map[string]string
}

// branchDir is a directory with sessions in it.
type branchDir struct {
	// sessions has the sessions there, true for those that have its value.
	sessions map[string]bool
	// value is git's last answer; nil before the first one.
	value *api.TreeState
	// happened is when the last event was.
	happened time.Time
}

// newBranches makes a follower that is not running.
func newBranches(o branchOptions) *branches {
	return &branches{o: o, agenda: agenda.New(agenda.Options{Settle: branchSettle, AtMost: branchAtMost}), dirs: map[string]*branchDir{}, in: map[string]string{}}
}

// run follows the event log until ctx ends.
func (f *branches) run(ctx context.Context) {
	w := f.o.Watch()
	defer w.Close()
	for {
		waiting, cancel := ctx, context.CancelFunc(func() {})
		if due := f.agenda.Next(); !due.IsZero() {
			waiting, cancel = context.WithDeadline(ctx, due)
		}
		messages, err := w.Next(waiting)
		cancel()
		for i := range messages {
			f.take(&messages[i].WatchMessage, time.Now())
		}
		if err != nil && (!errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil) {
			return
		}
		f.ask(ctx)
	}
}

// take notes which directories have to be asked about.
func (f *branches) take(m *api.WatchMessage, now time.Time) {
	defer f.forgetEmpty()
	if m.Snapshot != nil {
		clear(f.in)
		for _, d := range f.dirs {
			clear(d.sessions)
		}
		for i := range m.Snapshot.Sessions {
			f.session(&m.Snapshot.Sessions[i], now)
		}
	}
	if m.Session != nil {
		f.session(m.Session, now)
	}
	if m.Removed != "" {
		f.leave(m.Removed)
	}
	if m.Event != nil {
		if at, runs := f.in[m.Event.Session]; runs {
			f.agenda.Settle(at)
			f.dirs[at].happened = m.Event.At
		}
	}
}

// session takes a session's value; one that is new in a directory has it asked about.
func (f *branches) session(v *api.Session, now time.Time) {
	if v.State.Ended() || v.CWD == "" {
		f.leave(v.ID)
		return
	}
	if f.in[v.ID] == v.CWD {
		return
	}
	f.leave(v.ID)
	d := f.dirs[v.CWD]
	if d == nil {
		d = &branchDir{sessions: map[string]bool{}}
		f.dirs[v.CWD] = d
	}
	d.sessions[v.ID] = false
	f.in[v.ID] = v.CWD
	f.agenda.Plan(v.CWD, now) // it shows nothing yet, or what may be old
	d.happened = now
}

func (f *branches) leave(id string) {
	if d := f.dirs[f.in[id]]; d != nil {
		delete(d.sessions, id)
	}
	delete(f.in, id)
}

// forgetEmpty forgets directories without sessions. One that git is slow in is kept until
// it may be asked again.
func (f *branches) forgetEmpty() {
	for at, d := range f.dirs {
		if len(d.sessions) > 0 {
			continue
		}
		f.agenda.Cancel(at)
		if !f.agenda.Resting(at) {
			delete(f.dirs, at)
		}
	}
}

// ask asks git about each directory that is due, and sets what it says.
func (f *branches) ask(ctx context.Context) {
	for _, d := range f.dirs {
		f.tell(ctx, d) // sessions that are new there
	}
	for ctx.Err() == nil {
		at, due := f.agenda.Take()
		if !due {
			return
		}
		if d := f.dirs[at]; d != nil {
			f.askAt(ctx, at, d)
		}
	}
}

// askAt asks git about a directory.
func (f *branches) askAt(ctx context.Context, at string, d *branchDir) {
	began, used := time.Now(), f.used()
	v, err := f.read(ctx, at)
	took := time.Since(began)
	if f.o.Used != nil { // on a busy machine it waits more than it works
		took = min(took, f.used()-used)
	}
	f.agenda.Rest(at, began.Add(branchRest*took))
	if f.o.Asked != nil {
		f.o.Asked(at, d.happened)
	}
	if err != nil {
		f.o.Logger.Debug("git says nothing of a session's directory", "directory", at, "error", err)
		return
	}
	d.value = &v
	for id := range d.sessions {
		d.sessions[id] = false
	}
	f.tell(ctx, d)
}

// tell sets the value of a directory for its sessions that do not have it.
func (f *branches) tell(ctx context.Context, d *branchDir) {
	if d.value == nil {
		return
	}
	for id, has := range d.sessions {
		if has {
			continue
		}
		if err := f.o.Set(ctx, id, *d.value); err != nil {
			if ctx.Err() == nil {
				f.o.Logger.Warn("cannot set a session's branch", "session", id, "error", err)
			}
			continue
		}
		d.sessions[id] = true
	}
}

func (f *branches) used() time.Duration {
	if f.o.Used == nil {
		return 0
	}
	return f.o.Used()
}

func (f *branches) read(ctx context.Context, at string) (v api.TreeState, err error) {
	if f.o.Top(at) == "" {
		return v, nil
	}
	s, err := f.o.Read(ctx, at)
	if err != nil {
		return v, err
	}
	v = api.TreeState{Branch: s.Branch, Ahead: s.Ahead, Behind: s.Behind, Changed: s.Changed + s.Untracked + s.Conflicts, Added: s.Added, Removed: s.Removed}
	if v.Branch == "(detached)" {
		v.Branch = shortCommit(s.Commit)
	}
	return v, nil
}

// shortCommit is the beginning of a commit's name, as git log --oneline has it.
func shortCommit(commit string) string { return commit[:min(len(commit), 7)] }
