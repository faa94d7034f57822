package orchestrator

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"ccdir/api"
	"ccdir/api/hint"
	"ccdir/internal/contain"
)

// Row is a task to save.
type Row struct {
	ID, State string
	Seq       int64
	Record    []byte
	// Text is the text of the search index; "": unchanged.
	Text string
}

// Store makes changes durable.
type Store interface {
	// CommitTasks saves tasks (a row without Record deletes one), settings (nil:
	// unchanged) and steps, which become events; all or nothing, durable when it returns.
	CommitTasks(rows []Row, settings []byte, steps []Transition) error
}

// Sessions carries out effects. Each call blocks until it is done or ctx ends, and is
// idempotent for the same Ref and Step: after a crash the last effects are repeated.
type Sessions interface {
	// Do carries out one effect. task is the task's value when the effect was made. The
	// outcome goes to report, then or later: Started or Failed for a start, and one
	// Exited for each started session, also after DoEnd. DoEnd without a session cancels
	// the start. report may be called from any goroutine, in the order of what happened,
	// and blocks while the queue is behind.
	Do(ctx context.Context, e Effect, task Record, report func(Event))
	// Adopt reports about a session that was found at the start.
	Adopt(ctx context.Context, f Found, report func(Event))
}

// Options are what a queue needs.
type Options struct {
	Store    Store
	Sessions Sessions
	// Published is called with each change after it was saved, in order. It may be nil,
	// and must not call the queue.
	Published func(Published)
	Now       func() time.Time
	Logger    *slog.Logger
}

// Published is the change of one save.
type Published struct {
	At time.Time
	// Tasks are new values, Gone the ids of forgotten tasks.
	Tasks []api.Task
	Gone  []string
	Queue api.Queue
	// Limits and Panes are those of the settings; they are not changed any more.
	Limits map[string]Limit
	Panes  map[string]Pane
	Steps  []Transition
}

// ErrClosed is returned by calls after the queue's end.
var ErrClosed = api.ErrStopping

const (
	// inbox bounds the messages that wait for the queue; senders block when it is full.
	inbox = 256
	// unsavedMax bounds the reports that could not be saved. Beyond it the inbox is not
	// read.
	unsavedMax = 4096
	// saveAgain is the back-off after a failed save.
	saveAgain = time.Second
	// logEvery is the least time between log lines about failed saves.
	logEvery = time.Minute
)

type message struct {
	event Event
	read  func(*Core)
	reply chan answer
}

type answer struct {
	ids []string
	err error
}

// Queue owns a core. Make one with NewQueue; Run it once.
type Queue struct {
	o     Options
	core  *Core
	in    chan message
	ended chan struct{}
	wg    contain.Group

	// waiting are reports that could not be saved yet. It belongs to Run.
	waiting []Event
	// unsaved: the last save failed. It belongs to Run.
	unsaved bool
	// logged is when the log last had a line about a failed save. It belongs to Run.
	logged time.Time
}

// NewQueue makes a queue of a restored core and takes ownership of it.
func NewQueue(core *Core, o Options) *Queue {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &Queue{o: o, core: core, wg: contain.Group{Log: o.Logger}, in: make(chan message, inbox), ended: make(chan struct{})}
}

// Run recovers with the sessions that were found and works until ctx ends, then waits for
// the effects that it started. Sessions keep running.
func (q *Queue) Run(ctx context.Context, found []Found) {
	ctx, cancel := context.WithCancel(ctx)
	defer q.wg.Wait()
	defer cancel()
	defer close(q.ended)
	q.recover(ctx, found)
	for _, f := range found {
		if r := q.core.tasks[f.Task]; !f.Ended && r != nil && r.HasSlot && r.Attempt == f.Attempt {
			q.wg.Go(func() { q.o.Sessions.Adopt(ctx, f, q.reporter(ctx)) })
		}
	}
	for ctx.Err() == nil {
		q.turn(ctx)
	}
}

// recover matches tasks with sessions and saves the changes. It retries until that works:
// no message is handled before.
func (q *Queue) recover(ctx context.Context, found []Found) {
	for ctx.Err() == nil {
		q.core.Recover(q.o.Now(), found)
		if q.save(ctx) == nil {
			return
		}
		select {
		case <-time.After(saveAgain):
		case <-ctx.Done():
		}
	}
}

// turn waits for messages or time, and handles all queued messages as one batch.
func (q *Queue) turn(ctx context.Context) {
	var wake <-chan time.Time
	if q.unsaved {
		wake = time.After(saveAgain)
	} else if at := q.core.NextWake(); !at.IsZero() {
		timer := time.NewTimer(max(0, at.Sub(q.o.Now())))
		defer timer.Stop()
		wake = timer.C
	}
	in := q.in
	if len(q.waiting) >= unsavedMax {
		in = nil // reports block until a save works
	}
	var batch []message
	select {
	case m := <-in:
		batch = append(batch, m)
	case <-wake:
		batch = append(batch, message{event: Tick{}})
	case <-ctx.Done():
		return
	}
	for len(batch) < inbox && in != nil {
		select {
		case m := <-in:
			batch = append(batch, m)
			continue
		default:
		}
		break
	}
	q.handle(ctx, batch)
}

// handle applies a batch and saves it before it answers. If it cannot be saved,
// everything is undone: commands fail, reports are kept for the next save.
func (q *Queue) handle(ctx context.Context, batch []message) {
	now := q.o.Now()
	for _, e := range q.waiting {
		_, _ = q.apply(now, e) // reports are never refused
	}
	answers := make([]answer, len(batch))
	for i, m := range batch {
		if m.event != nil {
			answers[i].ids, answers[i].err = q.apply(now, m.event)
		}
	}
	err := q.save(ctx)
	if q.unsaved = err != nil; !q.unsaved {
		q.waiting = nil
	}
	for i, m := range batch {
		if m.reply == nil {
			if _, tick := m.event.(Tick); err != nil && !tick {
				q.waiting = append(q.waiting, m.event)
			}
			continue
		}
		if m.read != nil {
			m.read(q.core)
		} else if err != nil && answers[i].err == nil {
			answers[i].err = api.Errorf(api.CodeOf(err), "the change could not be saved and was not made: %v%s", err, hint.Of(err))
		}
		m.reply <- answers[i]
	}
}

// apply is Core.Apply, in which a panic leaves the tasks as they were.
func (q *Queue) apply(now time.Time, e Event) (ids []string, err error) {
	c := q.core
	mark, effects, trail := c.Mark(), len(c.effects), len(c.trail)
	fault := contain.Call(q.o.Logger, func() error { ids, err = c.Apply(now, e); return nil })
	if fault != nil {
		c.Undo(mark)
		c.effects, c.trail = c.effects[:effects], c.trail[:trail]
		return nil, fault
	}
	return ids, err
}

// save makes the changes durable and then starts the effects.
func (q *Queue) save(ctx context.Context) error {
	ch := q.core.Take()
	rows, settings, err := encode(ch)
	if err == nil && (len(rows) > 0 || settings != nil) {
		err = q.o.Store.CommitTasks(rows, settings, ch.Trail)
	}
	if err != nil {
		if now := q.o.Now(); now.Sub(q.logged) >= logEvery {
			q.logged = now
			q.o.Logger.Error("cannot save the queue, will try again", "error", err)
		}
		q.core.Undo(Mark{})
		q.core.Settle()
		return err
	}
	if q.o.Published != nil && (len(rows) > 0 || settings != nil || ch.Held) {
		set := q.core.settings()
		p := Published{At: q.o.Now(), Gone: ch.Gone, Queue: q.core.Queue(), Limits: set.Limits, Panes: set.Panes, Steps: ch.Trail}
		for _, r := range ch.Tasks {
			p.Tasks = append(p.Tasks, r.Task)
		}
		q.o.Published(p)
		q.core.news = false
	}
	q.core.Settle()
	for _, e := range ch.Effects {
		var task Record
		if r := q.core.tasks[e.Task]; r != nil { // else it concerns a pane
			task = *r
		}
		q.wg.Go(func() { q.do(ctx, e, task) })
	}
	return nil
}

func (q *Queue) do(ctx context.Context, e Effect, task Record) {
	report := q.reporter(ctx)
	defer func() {
		if p := recover(); p != nil {
			q.o.Logger.Error("panic in an effect", "effect", string(e.Kind), "task", e.Task, "panic", p)
			if e.Kind == DoGoOn {
				report(GoneOn{Session: e.Session, Going: e.Going, Failed: fmt.Sprintf("an error in ccdir: %v", p)})
				return
			}
			report(Failed{Ref: e.Ref, Kind: FailTask, Reason: fmt.Sprintf("an error in ccdir: %v", p)})
		}
	}()
	q.o.Sessions.Do(ctx, e, task, report)
}

func encode(ch Changes) (rows []Row, settings []byte, err error) {
	for _, r := range ch.Tasks {
		data, err := json.Marshal(r)
		if err != nil {
			return nil, nil, err
		}
		row := Row{ID: r.ID, State: string(r.State), Seq: r.Seq, Record: data}
		if r.Attempt == 0 || r.State.Ended() {
			row.Text = r.Text()
		}
		rows = append(rows, row)
	}
	for _, id := range ch.Gone {
		rows = append(rows, Row{ID: id})
	}
	if ch.Settings != nil {
		settings, err = json.Marshal(ch.Settings)
	}
	return rows, settings, err
}

// reporter sends reports until ctx ends.
func (q *Queue) reporter(ctx context.Context) func(Event) {
	return func(e Event) {
		select {
		case q.in <- message{event: e}:
		case <-ctx.Done():
		}
	}
}

// Command makes a change. Without an error the change is durable. It returns the ids of
// the tasks concerned by commands that take several.
func (q *Queue) Command(ctx context.Context, e Event) ([]string, error) {
	switch e.(type) {
	case reported, Tick:
		return nil, fmt.Errorf("%T is no command", e)
	}
	return q.ask(ctx, message{event: e})
}

// Report hands over a report about a session that is not a task's (PaneLimited and the others), and
// blocks while the queue is behind. It is not lost once it returns true.
func (q *Queue) Report(ctx context.Context, e Event) bool {
	select {
	case q.in <- message{event: e}:
		return true
	case <-ctx.Done():
	case <-q.ended:
	}
	return false
}

// Save hands over reports, in that order, and returns when all are saved. After an error the caller
// still has them, and gives them again: a repeated report changes nothing.
func (q *Queue) Save(ctx context.Context, events ...Event) error {
	replies := make(chan answer, len(events))
	for _, e := range events {
		select {
		case q.in <- message{event: e, reply: replies}:
		case <-ctx.Done():
			return ctx.Err()
		case <-q.ended:
			return ErrClosed
		}
	}
	var failed error
	for range events {
		select {
		case a := <-replies:
			failed = cmp.Or(failed, a.err)
		case <-ctx.Done():
			return ctx.Err()
		case <-q.ended:
			return ErrClosed
		}
	}
	return failed
}

// Places lists the machines of a core with places.
func (q *Queue) Places(ctx context.Context) ([]api.FleetNode, error) {
	return read(ctx, q, (*Core).Places)
}

func (q *Queue) ask(ctx context.Context, m message) ([]string, error) {
	m.reply = make(chan answer, 1)
	select {
	case q.in <- m:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-q.ended:
		return nil, ErrClosed
	}
	select {
	case a := <-m.reply:
		return a.ids, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-q.ended:
		return nil, ErrClosed
	}
}

// read calls from on the queue's goroutine and returns its result. The caller may keep
// the records in it: the core replaces values and never changes them.
func read[T any](ctx context.Context, q *Queue, from func(*Core) T) (v T, err error) {
	var got T // not v: the queue may still write it when ask has given up
	if _, err = q.ask(ctx, message{read: func(c *Core) { got = from(c) }}); err == nil {
		v = got
	}
	return v, err
}

// Tasks lists all tasks in the order of the queue, as saved.
func (q *Queue) Tasks(ctx context.Context) ([]api.Task, error) {
	records, err := read(ctx, q, (*Core).List)
	return tasksOf(records), err
}

// Task returns one task by id or name.
func (q *Queue) Task(ctx context.Context, ref string) (api.Task, error) {
	type found struct {
		record *Record
		err    error
	}
	f, err := read(ctx, q, func(c *Core) (f found) {
		f.record, f.err = c.Find(ref)
		return f
	})
	if err = cmp.Or(err, f.err); err != nil {
		return api.Task{}, err
	}
	return f.record.Task, nil
}

// Queue describes the queue.
func (q *Queue) Queue(ctx context.Context) (api.Queue, error) { return read(ctx, q, (*Core).Queue) }

// Several returns the tasks with the ids, in that order, without unknown ones.
func (q *Queue) Several(ctx context.Context, ids []string) ([]api.Task, error) {
	records, err := read(ctx, q, func(c *Core) (found []*Record) {
		for _, id := range ids {
			if r := c.tasks[id]; r != nil {
				found = append(found, r)
			}
		}
		return found
	})
	return tasksOf(records), err
}

// Dealt are the keys of what came back to a task (Staged.Keys), nil for one that is not there.
func (q *Queue) Dealt(ctx context.Context, id string) ([]string, error) {
	return read(ctx, q, func(c *Core) []string {
		if r := c.tasks[id]; r != nil {
			return r.Dealt
		}
		return nil
	})
}

func tasksOf(records []*Record) (list []api.Task) {
	for _, r := range records {
		list = append(list, r.Task)
	}
	return list
}
