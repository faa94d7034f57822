package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"ccdir/mcpserver/gitview"
	"ccdir/mcpserver/project"
	"ccdir/mcpserver/runner"
)

// Bounds of watches.
const (
	// maxWatch is how long a watch lasts that nobody stops.
	maxWatch = 4 * time.Hour
	// lookEvery is the time between two looks at the files, and so how long they must be
	// unchanged. It is longer where a look takes more than 1/lookShare of it, up to maxPause.
	lookEvery = time.Second
	lookShare = 20
	maxPause  = 30 * time.Second
	// maxChain is how often in a row a change during a run causes another run.
	maxChain = 3
	// maxNamed bounds the names of changed files in a result.
	maxNamed = 20
)

type watchIn struct {
	commandIn
	Watch bool `json:"watch,omitempty" jsonschema:"run again whenever files change; run_output has the newest result"`
}

// watch is the part of a oneRun that runs a command of the project again whenever files have
// changed. Changes come from looks at the files, not from the system's notices: those miss
// some and need a descriptor for each folder.
//
// Who changed a file during a run can't be seen: what changes during the first run, for which
// the agent waits, is held to be written by the run itself (own). Any other change during a
// run causes one more, so that no edit is missed, but at most maxChain in a row: files that
// still change are its own, until they change while nothing runs.
type watch struct {
	look  func(context.Context) (map[string]gitview.Stamp, error)
	every time.Duration

	// Only of follow.
	own   map[string]bool
	chain int

	mu sync.Mutex
	// seen are the files that last is about.
	seen    map[string]gitview.Stamp
	last    *Result
	runs    int
	looks   int
	going   bool
	changed []string // what caused the newest run
	due     []string // what has changed since
	missed  []string // what changed during it and causes no other
	turned  chan struct{}
}

// check is action, and with watch leaves a run behind that repeats it.
func (r *request) check(ctx context.Context, action string, in watchIn, opts project.TestOptions) (*Result, error) {
	if !in.Watch {
		return r.action(ctx, action, in.commandIn, opts, false)
	}
	if err := r.mayStay("watch"); err != nil {
		return nil, err
	}
	p, _, err := r.project(in.ProjectPath)
	if err != nil {
		return nil, err
	}
	view, err := gitview.Open(ctx, p.Dir, nil)
	if err != nil {
		return nil, fmt.Errorf("watch: %w", err)
	}
	rs := r.server.runs
	w := &watch{look: view.Stamps, every: rs.lookEvery, own: map[string]bool{}, turned: make(chan struct{}), going: true}
	if w.seen, err = w.look(ctx); err != nil {
		return nil, fmt.Errorf("watch: %w", err)
	}
	runCtx, cancel := context.WithTimeout(rs.ctx, rs.maxWatch)
	run := &oneRun{owner: ownerOf(r.peer.caller), command: action, dir: p.Dir, background: true, began: time.Now(), cancel: cancel, ended: make(chan struct{}), watch: w}
	if err := rs.replace(ctx, run); err != nil {
		cancel()
		return nil, err
	}
	if err := r.mayStay("watch"); err != nil { // it ended before the watch was in its list
		rs.end(run.owner)
		return nil, err
	}
	first := make(chan error, 1)
	rs.wg.Go(func() {
		defer run.finishWatch(runCtx, first)
		callCtx, end := context.WithCancel(ctx)
		defer context.AfterFunc(runCtx, end)()
		err := w.once(callCtx, nil, func(ctx context.Context) (*Result, error) { return r.action(ctx, action, in.commandIn, opts, false) })
		end()
		first <- err
		if err != nil {
			return
		}
		later := &request{peer: r.peer, server: r.server, began: r.began} // the call is over
		w.follow(runCtx, func(ctx context.Context) (*Result, error) {
			return later.action(ctx, action, in.commandIn, opts, false)
		})
	})
	if err := <-first; err != nil { // not before: it uses r
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	res := *w.last
	res.Watch = run.id
	res.Summary += "; runs again when files change: see run_output " + run.id
	return &res, nil
}

// replace ends the watch of the same tool in the same directory, and registers the new one.
func (rs *runs) replace(ctx context.Context, run *oneRun) error {
	for _, o := range rs.list(run.owner) {
		if o.watch == nil || o.command != run.command || o.dir != run.dir {
			continue
		}
		o.cancel()
		select {
		case <-o.ended:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return rs.add(run)
}

// finishWatch is deferred by the goroutine of a watch: it records the end.
func (o *oneRun) finishWatch(ctx context.Context, first chan<- error) {
	res := &runner.Result{Status: runner.Cancelled, ExitCode: -1, Duration: time.Since(o.began)}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		res.Status = runner.Timeout
	}
	if p := recover(); p != nil {
		res.Status, res.Message = runner.Error, fmt.Sprintf("the watch failed inside ccdir: %v", p)
		select {
		case first <- errors.New(res.Message):
		default:
		}
	}
	o.watch.mu.Lock()
	o.watch.going, o.watch.due, o.watch.seen = false, nil, nil
	o.watch.mu.Unlock()
	o.mu.Lock()
	o.result = res
	o.mu.Unlock()
	close(o.ended)
	o.cancel()
}

// follow runs the action whenever files have changed, until ctx ends.
func (w *watch) follow(ctx context.Context, act func(context.Context) (*Result, error)) {
	for {
		why := w.next(ctx)
		if ctx.Err() != nil {
			return
		}
		_ = w.once(ctx, why, act) // said in the result
	}
}

// next waits until files differ from those of the last run, and have not changed between two
// looks.
func (w *watch) next(ctx context.Context) (changed []string) {
	var before map[string]gitview.Stamp
	pause := w.every
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
		began := time.Now()
		now, err := w.look(ctx)
		pause = w.pause(began)
		if err != nil {
			continue // git did not answer: the next look sees what changed
		}
		w.mu.Lock()
		w.due = differing(w.seen, now)
		w.looks++
		changed = w.due
		if len(changed) > 0 && before != nil && maps.Equal(before, now) {
			w.seen, w.going = now, true // at once: nobody may take the last result for one of these files
			w.mu.Unlock()
			return changed
		}
		w.mu.Unlock()
		before = now
	}
}

// pause is the time to the next look, after one that began at a time.
func (w *watch) pause(began time.Time) time.Duration {
	return max(w.every, min(lookShare*time.Since(began), maxPause))
}

// once runs the action once, because the files in why have changed. An error is one of the
// first run; later ones become a result, as the next change may mend them.
func (w *watch) once(ctx context.Context, why []string, act func(context.Context) (*Result, error)) error {
	w.mu.Lock()
	w.going, w.changed, w.due = true, why, nil
	first := w.runs == 0
	w.mu.Unlock()
	for _, name := range why {
		delete(w.own, name)
	}
	res, err := act(ctx)
	if ctx.Err() != nil {
		return ctx.Err() // the result of the run before stays
	}
	if err != nil && first {
		return err
	}
	if err != nil {
		res = &Result{Status: runner.Error, ExitCode: -1, Summary: err.Error()}
	}
	now, lookErr := w.look(ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.going, w.last = false, res
	w.runs++
	if lookErr == nil {
		w.accept(now, first)
	}
	close(w.turned)
	w.turned = make(chan struct{})
	return nil
}

// accept takes the files after a run as those that its result is about, except for those that
// someone else changed meanwhile: they cause the next run. w.mu is held.
func (w *watch) accept(now map[string]gitview.Stamp, first bool) {
	during := differing(w.seen, now)
	if first || w.chain == maxChain {
		for _, name := range during {
			w.own[name] = true
		}
	}
	var others []string
	w.missed = nil
	for _, name := range during {
		if w.own[name] {
			w.missed = append(w.missed, name)
		} else {
			others = append(others, name)
		}
	}
	w.chain++
	if len(others) == 0 {
		w.chain = 0
	}
	before := w.seen
	w.seen, w.due = now, others
	for _, name := range others {
		if was, ok := before[name]; ok {
			w.seen[name] = was
		} else {
			delete(w.seen, name)
		}
	}
}

// differing are the names of files that are not the same in both, sorted.
func differing(a, b map[string]gitview.Stamp) (names []string) {
	for name, stamp := range a {
		if other, ok := b[name]; !ok || other != stamp {
			names = append(names, name)
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// current waits, for some time or until over is closed, for a result of the files as they are
// now. At least it looks whether there is one.
func (w *watch) current(ctx context.Context, over <-chan struct{}, wait time.Duration) error {
	limit := time.NewTimer(wait)
	defer limit.Stop()
	for {
		began := time.Now()
		now, err := w.look(ctx)
		if err != nil {
			return err
		}
		w.mu.Lock()
		if !w.going && w.seen != nil {
			w.due = differing(w.seen, now)
		}
		busy, turned := w.going || len(w.due) > 0, w.turned
		w.mu.Unlock()
		if !busy || wait == 0 {
			return nil
		}
		select {
		case <-turned:
		case <-time.After(w.pause(began)):
		case <-over:
			return nil
		case <-limit.C:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// show adds the newest result to the view of the run.
func (w *watch) show(v *RunResult, ended *runner.Result) {
	w.mu.Lock()
	defer w.mu.Unlock()
	v.Runs, v.Result, v.Changed = w.runs, w.last, w.changed[:min(len(w.changed), maxNamed)]
	newest := "there is no result yet"
	if w.last != nil {
		v.Command, v.Log, v.LogURI = w.last.Command, w.last.Log, w.last.LogURI
		newest = fmt.Sprintf("run %d: %s", w.runs, w.last.Summary)
	}
	switch {
	case ended != nil && ended.Message != "":
		v.Summary = ended.Message
	case ended != nil && ended.Status == runner.Timeout:
		v.Summary = "the watch has ended by itself, call the tool again for another; " + newest
	case ended != nil:
		v.Summary = "the watch was stopped; " + newest
	case w.last == nil:
		v.Summary = "runs for the first time"
	case w.going:
		v.Summary = "runs" + after(w.changed) + "; before, " + newest
	case len(w.due) > 0:
		v.Summary = "runs again as soon as files rest: changed since are " + named(w.due) + "; before, " + newest
	default:
		v.Status, v.ExitCode, v.Summary = w.last.Status, w.last.ExitCode, newest+after(w.changed)
	}
	if len(w.missed) > 0 {
		v.Summary += "; held to be written by the run itself: " + named(w.missed)
	}
}

func after(changed []string) string {
	if len(changed) == 0 {
		return ""
	}
	return " after changes of " + named(changed)
}

// named are the first of many names.
func named(names []string) string {
	const most = 5
	text := strings.Join(names[:min(len(names), most)], ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
