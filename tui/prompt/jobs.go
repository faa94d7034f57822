package prompt

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strconv"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/prompt/target"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/format"
)

// job is a text on its way. Jobs are values: they are replaced, never changed in place.
type job struct {
	id    uint64
	draft edit.Buffer
	from  target.Target
	to    string // the receiver, in words
	total int
	sent  int
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

// job is the one with that number as it is now, nil if it has ended; the pointer is for
// reading.
func (b *Bar) job(id uint64) *job {
	for i := range b.jobs {
		if b.jobs[i].id == id {
			return &b.jobs[i]
		}
	}
	return nil
}

// change changes a job.
func (b *Bar) change(id uint64, f func(*job)) {
	b.jobs = slices.Clone(b.jobs)
	if j := b.job(id); j != nil {
		f(j)
	}
}

// Job is a text on its way, for people.
type Job struct {
	ID          uint64
	To          string
	Sent, Total int
}

// Jobs are the texts on their way, the oldest first.
func (b *Bar) Jobs() (out []Job) {
	for _, j := range b.jobs {
		out = append(out, Job{j.id, j.to, j.sent, j.total})
	}
	return out
}

// Stop cancels one of them: what was not delivered comes back into the bar.
func (b *Bar) Stop(id uint64) {
	b.change(id, func(j *job) { j.stopped = true; j.stop() })
}

// Shows reports whether the open bar shows how far a text is, which Esc cancels.
func (b *Bar) Shows() bool { return b.shownJob() != nil }

const (
	// sendsAtOnce bounds how many deliveries of a text run at the same time.
	sendsAtOnce = 4
	// mostJobs bounds how many texts are on their way at the same time.
	mostJobs = 16
	// mostTries bounds how many texts that may have arrived are remembered.
	mostTries = 64
)

// tries are those whose text may have arrived, the oldest first. Such a text is sent
// again under its id, which types nothing a second time. The ids of texts on their way
// are not among them: who sends the same text again meanwhile means it twice.
type tries struct{ left []try }

// try is a text for a session under an id.
type try struct {
	text, session, id string
	unsure            int // how often the session did not acknowledge it
}

// take is the try of a text for a session: the one before if it may have arrived.
func (t *tries) take(text, session string) try {
	at := slices.IndexFunc(t.left, func(o try) bool { return o.text == text && o.session == session })
	if at < 0 {
		return try{text: text, session: session, id: "tui-" + rand.Text()}
	}
	old := t.left[at]
	t.left = slices.Delete(t.left, at, at+1)
	return old
}

// keep remembers a try that may have arrived.
func (t *tries) keep(o try) {
	t.left = append(t.left, o)
	t.left = slices.Delete(t.left, 0, max(0, len(t.left)-mostTries))
}

// answers reports whether a text on its way answers a request.
func (b *Bar) answers(request string) bool {
	return slices.ContainsFunc(b.jobs, func(j job) bool { return j.answers == request })
}

// shownJob is the job whose progress the open bar shows and Esc cancels: the last one
// to several sessions, for which it has stayed open, until the next text is written.
func (b *Bar) shownJob() *job {
	if !b.text.Empty() {
		return nil
	}
	for i := range slices.Backward(b.jobs) {
		if b.jobs[i].total > 1 && !b.jobs[i].stopped {
			return &b.jobs[i]
		}
	}
	return nil
}

// begin takes the text out of the bar and makes a job of it, which ends with the context.
// The bar closes unless there is progress to be seen. The next text is for the focused
// session again.
func (b *Bar) begin(j job) (id uint64, stop context.Context) {
	stop, cancel := context.WithCancel(context.Background())
	b.lastJob++
	j.id, j.draft, j.from, j.stop = b.lastJob, b.text, b.target, cancel
	b.jobs = append(slices.Clip(b.jobs), j)
	b.keeping.sentDue = true
	b.text, b.target, b.problem, b.at = edit.Buffer{}, target.Target{}, "", 0
	if j.total == 1 {
		b.close()
	}
	return j.id, stop
}

// end puts what was not sent back into the bar. A text that was written
// meanwhile stays; the other one is in the history.
func (b *Bar) end(env ui.Env, id uint64, failed target.Target, problem string) {
	found := b.job(id)
	if found == nil {
		return
	}
	j := *found
	b.jobs = slices.DeleteFunc(slices.Clone(b.jobs), func(o job) bool { return o.id == id })
	j.stop()
	if b.keeping.due.IsZero() {
		b.keeping.due = env.Now.Add(draftAfter) // of what is kept beside it
	}
	if problem == "" {
		if j.total > 1 && env.Writing && b.text.Empty() {
			b.close()
		}
		return
	}
	if b.text.Empty() {
		b.text, b.target, b.problem, b.begun = j.draft, failed, problem, j.answers
	} else {
		problem += "; it is in the history (Up)"
	}
	if !env.Writing {
		b.warn(problem)
	}
}

// work is a call of a job: it ends with the job, takes its turn, waits for a place in slots
// unless that is nil, and may wait until a daemon is back.
func (b *Bar) work(stop context.Context, turn ui.Turn, slots chan struct{}, value any, run func(ctx context.Context, c ui.Client) (any, error)) {
	b.ask(ui.Call{Patient: true, Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
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
	}})
}

// delivered is the result of a delivery of a job: a text to a session.
type delivered struct {
	job    uint64
	name   string // of the session
	try    try
	queued bool // the agent has it in its own queue
	later  bool // the daemon keeps it until the session can take it
}

// keepLater keeps a text for a session that shows a dialog, and reports whether it did.
func keepLater(ctx context.Context, c ui.Client, t try, err error) bool {
	k, can := c.(Keeper)
	if !can || api.CodeOf(err) != api.CodeDialogOpen {
		return false
	}
	_, err = k.SendLater(ctx, t.session, t.text, "later-"+t.id) // once, whatever happens in between
	return err == nil
}

// sendTo delivers a text to sessions, several at a time; omitted says who of their
// group is not among them.
func (b *Bar) sendTo(text string, to []api.Session, omitted string) {
	label := format.Plural(len(to), "session", "sessions")
	if len(to) == 1 {
		label = textsafe.Line(to[0].Name)
	}
	var tries []try
	for _, v := range to {
		tries = append(tries, b.tries.take(text, v.ID))
	}
	id, stop := b.begin(job{total: len(to), to: label, omitted: omitted, tries: tries})
	slots := make(chan struct{}, sendsAtOnce)
	for i, v := range to {
		out := delivered{job: id, name: textsafe.Line(v.Name), try: tries[i]}
		b.work(stop, b.turns.Join(v.ID), slots, out, func(ctx context.Context, c ui.Client) (any, error) {
			res, err := c.SendPrompt(ctx, out.try.session, api.SendPrompt{Text: out.try.text, ID: out.try.id})
			out := out
			out.queued = res.Status == "queued"
			if err != nil && keepLater(ctx, c, out.try, err) {
				out.later, err = true, nil
			}
			return out, err
		})
	}
}

// takeDelivery takes the result of one.
func (b *Bar) takeDelivery(env ui.Env, d delivered, err error) {
	j := b.job(d.job)
	if j == nil {
		return
	}
	if err == nil {
		b.change(d.job, func(j *job) {
			j.sent++
			j.tries = slices.DeleteFunc(slices.Clone(j.tries), func(o try) bool { return o.id == d.try.id })
			if d.later {
				j.later = append(slices.Clip(j.later), d.name)
			}
			if d.queued {
				j.busy = append(slices.Clip(j.busy), d.name)
			}
		})
	} else {
		t := d.try
		why, again := notDelivered(&t, j.stopped, err)
		if again {
			b.tries.keep(t)
		}
		b.change(d.job, func(j *job) {
			j.failed, j.names = append(slices.Clip(j.failed), t.session), append(slices.Clip(j.names), d.name)
			j.reason = cmp.Or(j.reason, why)
		})
	}
	b.sentOne(env, *b.job(d.job))
}

// notDelivered says why a text was not delivered, and whether it keeps its id: whether
// sent again it is not typed twice.
func notDelivered(t *try, stopped bool, err error) (why string, again bool) {
	switch {
	case stopped && api.Unsure(err):
		return "cancelled, and whether it was typed is not known: look at its pane. Sent again as it is, it is not typed twice", true
	case stopped:
		return "cancelled", true
	case api.Unsure(err):
		return "whether it was typed is not known (" + ui.Problem(ui.Unwrapped(err)) + "). Sent again as it is, it is not typed twice", true
	case api.CodeOf(err) == api.CodeTimeout:
		if t.unsure++; t.unsure > 1 {
			return ui.Problem(err) + "; look at its pane: sent once more it is typed again", false
		}
	}
	return ui.Problem(err), true
}

// sendingText says how far the texts on their way are, "" if there are none.
func sendingText(jobs []job) string {
	switch len(jobs) {
	case 0:
		return ""
	case 1:
		return jobs[0].progress()
	}
	sent, total := 0, 0
	for _, j := range jobs {
		sent, total = sent+j.sent, total+j.total
	}
	return fmt.Sprintf("sending %d texts: %d of %d sent…", len(jobs), sent, total)
}

// progress says how far a job is.
func (j *job) progress() string {
	out := "sending to " + j.to
	if j.total > 1 {
		out += ": " + strconv.Itoa(j.sent) + " sent"
		if n := len(j.failed); n > 0 {
			out += fmt.Sprintf(", %d failed", n)
		}
	}
	if j.stopped {
		out += ", cancelling"
	}
	return out + "…"
}
