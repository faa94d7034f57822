package outbox

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"ccdir/tui/prompt/history"
	"ccdir/tui/prompt/target"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
)

const (
	// sendsAtOnce bounds how many deliveries of a text run at the same time.
	sendsAtOnce = 4
	// mostJobs bounds how many texts are on their way at the same time.
	mostJobs = 16
)

// Outbox is what is not acknowledged; the zero value has nothing and keeps nothing on disk.
type Outbox struct {
	Drafts Drafts
	file   history.Draft
	jobs   []Job // the oldest first; replaced, never changed in place
	last   uint64
	tries  tries
	turns  ui.Turns
	unsure ui.Making // what may have been made, and is not on its way
	saving saving
}

// New is an empty outbox whose drafts are kept in that file.
func New(file history.Draft) Outbox { return Outbox{file: file} }

// Entry is a text that is handed over.
type Entry struct {
	Draft  edit.Buffer   // as it stands in the bar, and comes back
	Text   string        // what is sent of it
	Target target.Target // who it is for
	For    Purpose       // what it was written for
}

// Job is a text on its way. Jobs are values: they are replaced, never changed in place.
type Job struct {
	ID          uint64
	To          string // the receiver, in words
	Sent, Total int    // deliveries

	entry Entry
	busy  []string // names of those that took it into their own queue
	later []string // names of sessions for which the daemon keeps it
	// omitted says who was left out of the group that it was for, "" if nobody was.
	omitted string
	// failed are those that did not get it; reason is the first one's.
	failed []string
	names  []string // of failed
	reason string
	// answers is the request that it answers, "" if it is a task.
	answers string
	// making is what it makes, tries are the deliveries that are not acknowledged.
	making  ui.Making
	tries   []try
	stop    context.CancelFunc
	stopped bool
}

// Ended is a text that is not on its way any more.
type Ended struct {
	// Several: it was for more than one session.
	Several bool
	// Problem is why it was not delivered, "" if it was. Then Draft comes back, for Target; For is
	// what it was written for.
	Problem string
	Draft   edit.Buffer
	Target  target.Target
	For     Purpose
}

// Jobs are the texts on their way, the oldest first; for reading.
func (o *Outbox) Jobs() []Job { return o.jobs }

// Full reports whether no text can be handed over now.
func (o *Outbox) Full() bool { return len(o.jobs) >= mostJobs }

// Answers reports whether a text on its way answers a request.
func (o *Outbox) Answers(request string) bool {
	return slices.ContainsFunc(o.jobs, func(j Job) bool { return j.answers == request })
}

// Group is the last text to several sessions that was not stopped, nil if there is none;
// the pointer is for reading.
func (o *Outbox) Group() *Job {
	for i := range slices.Backward(o.jobs) {
		if o.jobs[i].Total > 1 && !o.jobs[i].stopped {
			return &o.jobs[i]
		}
	}
	return nil
}

// Stop cancels a job: what was not delivered comes back.
func (o *Outbox) Stop(id uint64) {
	o.change(id, func(j *Job) { j.stopped = true; j.stop() })
}

// Receive takes the result of one of its calls: ended is not nil if the text's last delivery
// is over. Other values are not its own and do nothing.
func (o *Outbox) Receive(env ui.Env, value any, err error) (ended *Ended, _ []ui.Effect) {
	switch v := value.(type) {
	case saved:
		o.saving.takeSaved(v, err)
	case delivered:
		return o.takeDelivery(env, v, err)
	case made:
		return o.takeMade(env, v, err)
	case queued:
		return o.takeQueued(env, v, err)
	case replied:
		return o.takeReply(env, v, err)
	}
	return nil, nil
}

// job is the one with that number as it is now, nil if it has ended; the pointer is for
// reading.
func (o *Outbox) job(id uint64) *Job {
	for i := range o.jobs {
		if o.jobs[i].ID == id {
			return &o.jobs[i]
		}
	}
	return nil
}

// change changes a job.
func (o *Outbox) change(id uint64, f func(*Job)) {
	o.jobs = slices.Clone(o.jobs)
	if j := o.job(id); j != nil {
		f(j)
	}
}

// begin makes a job of a text, which ends with the context.
func (o *Outbox) begin(e Entry, j Job) (id uint64, stop context.Context) {
	stop, cancel := context.WithCancel(context.Background())
	o.last++
	j.ID, j.entry, j.stop = o.last, e, cancel
	o.jobs = append(slices.Clip(o.jobs), j)
	o.saving.sentDue = true
	return j.ID, stop
}

// end ends a job: with a problem its text comes back, for to.
func (o *Outbox) end(now time.Time, j Job, to target.Target, problem string) *Ended {
	o.jobs = slices.DeleteFunc(slices.Clone(o.jobs), func(other Job) bool { return other.ID == j.ID })
	j.stop()
	o.saving.jobEnded(now)
	return &Ended{Several: j.Total > 1, Problem: problem, Draft: j.entry.Draft, Target: to, For: j.entry.For}
}

// work is a call of a job: it ends with the job, takes its turn, waits for a place in slots
// unless that is nil, and may wait until a daemon is back.
func work(stop context.Context, turn ui.Turn, slots chan struct{}, value any, run func(ctx context.Context, c ui.Client) (any, error)) ui.Effect {
	return ui.Call{Patient: true, Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		defer turn.Over()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(stop, cancel)()
		if err := turn.Wait(ctx); err != nil {
			return ui.Result{Value: value}, err
		}
		if slots != nil {
			select {
			case slots <- struct{}{}:
				defer func() { <-slots }()
			case <-ctx.Done():
				return ui.Result{Value: value}, ctx.Err()
			}
		}
		if err := ctx.Err(); err != nil {
			return ui.Result{Value: value}, err
		}
		v, err := run(ctx, c)
		return ui.Result{Value: v}, err
	}}
}

// Progress says how far the texts on their way are, "" if there are none.
func (o *Outbox) Progress() string {
	switch len(o.jobs) {
	case 0:
		return ""
	case 1:
		return o.jobs[0].Progress()
	}
	sent, total := 0, 0
	for _, j := range o.jobs {
		sent, total = sent+j.Sent, total+j.Total
	}
	return fmt.Sprintf("sending %d texts: %d of %d sent…", len(o.jobs), sent, total)
}

// Progress says how far a job is.
func (j *Job) Progress() string {
	out := "sending to " + j.To
	if j.Total > 1 {
		out += ": " + strconv.Itoa(j.Sent) + " sent"
		if n := len(j.failed); n > 0 {
			out += fmt.Sprintf(", %d failed", n)
		}
	}
	if j.stopped {
		out += ", cancelling"
	}
	return out + "…"
}
