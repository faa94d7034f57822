// Package reviews knows what sessions changed: it has snapshots made of their work trees as their turns
// begin and end, and compares them.
//
// Contract: a snapshot is made beside the agent, which never waits for it. Each session's are made one
// after the other, in their order; where they fall behind, a beginning is left out and the end of a turn
// is not. Two are made at a time, and one in a repository. A session keeps its snapshots as long as it
// is listed or its history is kept. Methods are safe for concurrent use.
package reviews

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"ccdir/api"
	"ccdir/daemon/journal"
	"ccdir/daemon/store"
	"ccdir/internal/contain"
	"ccdir/review"
)

const (
	// dear is the processor time of a snapshot from which its repository is looked at less often: the beginnings of
	// turns are left out there.
	dear = 100 * time.Millisecond
	// atOnce bounds the snapshots that are made at the same time.
	atOnce = 2
	// settle is how long an answer waits for the snapshot of a turn that has just ended.
	settle = 5 * time.Second
)

// Journal is the event log: journal.Log.
type Journal interface {
	Sessions() []api.Session
	Session(id string) (api.Session, bool)
	// Server has the number of the newest event.
	Server() api.Server
	Watch() *journal.Watcher
	Append(m api.WatchMessage, record []byte, key string) <-chan error
}

// Sessions are the sessions: sessions.Registry.
type Sessions interface {
	Get(ctx context.Context, ref string) (api.Session, error)
	SetLastTurn(ctx context.Context, id string, d *api.TurnDiff) error
	CreateOnce(ctx context.Context, n api.NewSession) (s api.Session, known bool, err error)
	// Requests are the open requests, oldest first.
	Requests() []api.Request
}

// Prompts deliver prompts that wait for their sessions: pending.Prompts.
type Prompts interface {
	// Made has a prompt delivered that is in the store.
	Made(p api.PendingPrompt)
}

// Store has what is kept of the past, and the comments: store.Store.
type Store interface {
	// ArchivedSessions are the sessions with a history, Directories those used lately.
	ArchivedSessions(ctx context.Context) ([]string, error)
	Directories(ctx context.Context, limit int) ([]string, error)

	AddComment(c api.ReviewComment, request string, most int) (api.ReviewComment, error)
	Comments(ctx context.Context, session string) ([]api.ReviewComment, error)
	CommentsFor(ctx context.Context, session string) ([]api.ReviewComment, error)
	ChangeComment(id string, change func(*api.ReviewComment) error) (api.ReviewComment, error)
	DropComment(id string, check func(api.ReviewComment) error) error
	SendComments(r store.Round, name, request string, most, kept int, write func(round int, drafts []api.ReviewComment) (string, []api.ReviewComment, error)) (store.Round, []api.ReviewComment, bool, error)
	RoundOf(ctx context.Context, session, request string) (store.Round, error)
	OpenRounds(ctx context.Context, to string) ([]store.Round, error)
	// Viewed are the files of a session's work that a person has seen, with their contents.
	Viewed(ctx context.Context, session string) (map[string]string, error)
	SetViewed(session string, v api.ReviewViewed, most int) error
	// Decisions are rows of the ledger.
	Decisions(ctx context.Context, f api.LedgerFilter) ([]api.LedgerRow, error)
	PruneComments(ctx context.Context, keep func(session string) bool) error
}

// Options join the reviews with the daemon. All are needed.
type Options struct {
	Journal  Journal
	Sessions Sessions
	Store    Store
	Prompts  Prompts
	// Past finds a session that was removed: its ID, Name and CWD. Of a task it is the last one.
	Past func(ctx context.Context, ref string) (api.Session, error)
	// HasRole reports whether the policy that holds for a session has rules for a role.
	HasRole func(ctx context.Context, session, role string) bool
	// Files are those that tools of sessions outside of git named.
	Files *Files
	// Note appends an event that is no session's.
	Note func(eventType, message string)
	Now  func() time.Time
	// Pause is called at the points of a round (PauseSend …), for tests.
	Pause  func(point string)
	Logger *slog.Logger
}

// Reviews are the reviews of sessions. Make one with New; Run has snapshots made.
type Reviews struct {
	o     Options
	slots chan struct{}

	mu sync.Mutex
	// lines are the sessions with snapshots to be made, by id.
	lines map[string]*line
	// repos are the locks of repositories, by their common directory.
	repos map[string]*repo
	// handled is the number of the last event of which is planned what follows from it; moved is closed when it
	// changes.
	handled int64
	moved   chan struct{}
}

// repo is what is known of a repository.
type repo struct {
	sync.Mutex
	// dear: a snapshot took long.
	dear bool
}

// line is what is to be noted of one session, in this order: its start, the end of a turn, the beginning
// of the next one. busy: somebody does.
type line struct {
	start, end, begin bool
	// missed: look whether a turn has ended that no daemon saw.
	missed bool
	// fates: look what became of comments that it was sent.
	fates bool
	// began is when the turn began whose beginning is to be noted.
	began time.Time
	busy  bool
	// idle is closed when nothing is to be done any more.
	idle chan struct{}
}

// New makes Reviews. Nothing is done before Run.
func New(o Options) *Reviews {
	return &Reviews{o: o, slots: make(chan struct{}, atOnce), lines: map[string]*line{}, repos: map[string]*repo{}, moved: make(chan struct{})}
}

// Run has snapshots made until ctx ends, and waits for those under way.
func (r *Reviews) Run(ctx context.Context) {
	running := contain.Group{Log: r.o.Logger}
	defer running.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	in := map[string]bool{} // sessions in a turn
	w := r.o.Journal.Watch()
	defer w.Close()
	for {
		messages, err := w.Next(ctx)
		if err != nil {
			return
		}
		for _, m := range messages {
			for id, what := range take(in, &m.WatchMessage, r.o.Journal.Session) {
				if r.todo(id, what) {
					running.Go(func() { r.work(ctx, id) })
				}
			}
			r.handle(&m.WatchMessage)
		}
	}
}

// handle notes that a message is handled.
func (r *Reviews) handle(m *api.WatchMessage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case m.Event != nil:
		r.handled = m.Event.Seq
	case m.Snapshot != nil:
		r.handled = m.Snapshot.Seq
	default:
		return
	}
	close(r.moved)
	r.moved = make(chan struct{})
}

// take is what a message of the log means for snapshots, by session. in are the sessions in a turn.
func take(in map[string]bool, m *api.WatchMessage, known func(string) (api.Session, bool)) map[string]line {
	todo := map[string]line{}
	if m.Snapshot != nil {
		for i := range m.Snapshot.Sessions {
			s := &m.Snapshot.Sessions[i]
			was := in[s.ID]
			in[s.ID] = s.State == api.StateWorking || s.State.NeedsPerson()
			if s.Plain == "" && !s.State.Ended() {
				todo[s.ID] = line{start: true, end: was && !in[s.ID], missed: !in[s.ID]}
			}
		}
	}
	if m.Removed != "" {
		delete(in, m.Removed)
	}
	e := m.Event
	if e == nil || e.Session == "" {
		return todo
	}
	if s, ok := known(e.Session); !ok || s.Plain != "" {
		return todo
	}
	l := line{start: e.Type == api.EventSessionCreated || e.Type == api.EventSessionStarted, fates: e.Type == api.EventPending && !in[e.Session]}
	switch {
	case !in[e.Session] && e.StateTo == api.StateWorking:
		in[e.Session], l.begin, l.began = true, true, e.At
	case in[e.Session] && e.StateTo != "" && e.StateTo != api.StateWorking && (!e.StateTo.NeedsPerson() || e.Kind.EndsTurn()):
		in[e.Session], l.end = false, true
	}
	if l != (line{}) {
		todo[e.Session] = l
	}
	return todo
}

// todo notes what is to be done for a session. start: somebody has to begin with it.
func (r *Reviews) todo(id string, what line) (start bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.lines[id]
	if l == nil {
		l = &line{idle: make(chan struct{})}
		r.lines[id] = l
	}
	l.start, l.missed, l.fates = l.start || what.start, l.missed || what.missed, l.fates || what.fates
	if what.end { // what had not begun to be looked at before its end cannot be seen any more
		l.begin, l.end = false, true
	}
	if what.begin {
		l.begin, l.began = true, what.began
	}
	start = !l.busy
	l.busy = true
	return start
}

// work does what is to be done for a session, until nothing is.
func (r *Reviews) work(ctx context.Context, id string) {
	for {
		r.mu.Lock()
		l := r.lines[id]
		what := *l
		if l.start, l.end, l.begin, l.missed, l.fates = false, false, false, false, false; ctx.Err() != nil || !what.start && !what.end && !what.begin && !what.missed && !what.fates {
			delete(r.lines, id)
			r.mu.Unlock()
			close(l.idle)
			return
		}
		r.mu.Unlock()
		select {
		case r.slots <- struct{}{}:
		case <-ctx.Done():
			continue
		}
		err := contain.Call(r.o.Logger, func() error {
			err := r.snap(ctx, id, what)
			if what.end || what.missed || what.fates {
				err = errors.Join(err, r.fates(ctx, id))
			}
			return err
		})
		<-r.slots
		if err != nil && ctx.Err() == nil && !errors.Is(err, review.ErrNoWorkTree) {
			r.o.Logger.Warn("no snapshot was made of a session's work tree", "session", id, "error", err)
		}
	}
}

// settled waits until the snapshots are made of what a session has done until now, for a while.
func (r *Reviews) settled(ctx context.Context, id string) {
	ctx, cancel := context.WithTimeout(ctx, settle)
	defer cancel()
	for now := r.o.Journal.Server().EventSeq; ctx.Err() == nil; {
		r.mu.Lock()
		wait := r.moved
		if r.handled >= now {
			l := r.lines[id]
			if l == nil {
				r.mu.Unlock()
				return
			}
			wait = l.idle
		}
		r.mu.Unlock()
		select {
		case <-wait:
		case <-ctx.Done():
		}
	}
}

// open opens the repository around a directory and locks it; done follows.
func (r *Reviews) open(ctx context.Context, dir string) (o *review.Repo, at *repo, done func(), err error) {
	if o, err = review.Open(ctx, dir); err != nil {
		return nil, nil, nil, err
	}
	at, done = r.lock(o)
	return o, at, done, nil
}

// openOf opens the repository around a session's directory, or what its tools named outside of one, and locks it; done follows.
func (r *Reviews) openOf(ctx context.Context, s api.Session) (o *review.Repo, at *repo, done func(), err error) {
	if o, at, done, err = r.open(ctx, s.CWD); !errors.Is(err, review.ErrNoWorkTree) {
		return o, at, done, err
	}
	if o, err = r.openNamed(ctx, s.ID); err != nil {
		return nil, nil, nil, err
	}
	at, done = r.lock(o)
	return o, at, done, nil
}

// lock locks an open repository, and closes it at the end.
func (r *Reviews) lock(o *review.Repo) (at *repo, done func()) {
	r.mu.Lock()
	at = r.repos[o.Common]
	if at == nil {
		at = &repo{}
		r.repos[o.Common] = at
	}
	r.mu.Unlock()
	at.Lock()
	return at, func() { at.Unlock(); o.Close() }
}

// snap makes the snapshot of a session's work tree and notes it at the points where the session is.
func (r *Reviews) snap(ctx context.Context, id string, what line) error {
	s, ok := r.o.Journal.Session(id)
	if !ok || s.CWD == "" {
		return nil
	}
	o, at, done, err := r.openOf(ctx, s)
	if err != nil {
		return err
	}
	defer done()
	if err := begun(ctx, o, s, what.end); err != nil {
		return err
	}
	log, err := o.Log(ctx, id)
	if err != nil {
		return err
	}
	points := due(log, what, at.dear)
	if len(points) == 0 {
		return nil
	}
	used := o.Used()
	var moment time.Time
	if points[len(points)-1].Begin {
		moment = what.began
	}
	commit, err := o.TakeOf(ctx, log.Newest(), points[0].Subject(), moment)
	if err != nil {
		return err
	}
	if used = o.Used() - used; used > dear && !at.dear {
		r.o.Note(api.EventWorktree, fmt.Sprintf("a snapshot of %s takes %d ms of a processor: turns there are compared with the end of the one before", o.Top, used.Milliseconds()))
	}
	at.dear = used > dear
	for _, p := range points {
		if err := o.Keep(ctx, id, p, commit); err != nil {
			return err
		}
		log = append(log, review.Shot{Point: p, Commit: commit})
		if p.Turn > 0 && !p.Begin {
			r.tell(ctx, o, id, log, p.Turn)
		}
	}
	return errors.Join(o.Trim(ctx, id, log), o.Compact(ctx))
}

// due are the points that a snapshot of now is for.
func due(log review.Log, what line, isDear bool) (points []review.Point) {
	if what.start && log.Start() == "" {
		points = append(points, review.Point{})
	}
	open := log.Next(false)
	began := log.Find(review.Point{Turn: open.Turn, Begin: true}) != ""
	if what.end || what.missed && began {
		points = append(points, open)
		log = append(log, review.Shot{Point: open, Commit: "now"})
	}
	if what.begin && (!isDear || len(points) > 0) {
		points = append(points, log.Next(true))
	}
	return points
}

// tell has a session show how much a turn changed.
func (r *Reviews) tell(ctx context.Context, o *review.Repo, id string, log review.Log, turn int) {
	base, head, _, ok := log.Turn(turn)
	if !ok {
		return
	}
	base, err := o.Complete(ctx, base, head)
	var files []api.ReviewFile
	if err == nil {
		files, _, err = o.Diff(ctx, base, head, review.Options{Stat: true})
	}
	if err != nil {
		r.o.Logger.Warn("what a turn changed cannot be counted", "session", id, "error", err)
		return
	}
	d := &api.TurnDiff{Turn: turn, Files: len(files), At: time.Now().UTC()}
	d.Added, d.Removed = count(files)
	if err := r.o.Sessions.SetLastTurn(ctx, id, d); err != nil && ctx.Err() == nil {
		r.o.Logger.Warn("cannot set what a turn changed", "session", id, "error", err)
	}
}

// count adds lines up.
func count(files []api.ReviewFile) (added, removed int) {
	for _, f := range files {
		if f.Added != nil {
			added, removed = added+*f.Added, removed+*f.Removed
		}
	}
	return added, removed
}
