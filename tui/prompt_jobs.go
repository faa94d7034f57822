package tui

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/format"
)

// sendJob is a text on its way. The program owns it; scenes get copies.
type sendJob struct {
	draft edit.Buffer
	from  target
	to    string // who gets it, for people
	total int
	sent  int
	busy  []string // names of those that took it into their own queue
	// omitted says who was left out of the group that it was for, "" if nobody was.
	omitted string
	// failed are those that did not get it; reason is the first one's.
	failed []string
	names  []string // of failed
	reason string
	// answers is the request that it answers, "" if it is a task.
	answers string
	// making is what it makes, tries are the deliveries that are not acknowledged.
	making  making
	tries   []try
	stop    context.CancelFunc
	stopped bool
}

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

// turns are the deliveries under way, by session: a session gets its texts in the order
// in which they were sent, and so do the queue and new sessions, which have turns under
// these words; and so are sessions renamed. Their channels are closed when they are over.
type turns map[string][]chan struct{}

// join enters a delivery to a session: those before it, and its own end.
func (p *promptBar) join(session string) (before []chan struct{}, over chan struct{}) {
	if p.turns == nil {
		p.turns = turns{}
	}
	before = slices.DeleteFunc(slices.Clone(p.turns[session]), func(c chan struct{}) bool {
		select {
		case <-c:
			return true
		default:
			return false
		}
	})
	over = make(chan struct{})
	p.turns[session] = append(slices.Clip(before), over)
	return before, over
}

// ending closes over when the command has ended.
func ending(c cmd, over chan struct{}) cmd {
	return func() tea.Msg {
		defer close(over)
		return c()
	}
}

// await waits for the deliveries before.
func await(ctx context.Context, before []chan struct{}) error {
	for _, over := range before {
		select {
		case <-over:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// answers reports whether a text on its way answers a request.
func (p *promptBar) answers(request string) bool {
	return slices.ContainsFunc(p.jobs, func(j *sendJob) bool { return j.answers == request })
}

// shownJob is the job whose progress the open bar shows and Esc cancels: the last one
// to several sessions, for which it has stayed open, until the next text is written.
func (p *promptBar) shownJob() *sendJob {
	if !p.text.Empty() {
		return nil
	}
	for _, j := range slices.Backward(p.jobs) {
		if j.total > 1 && !j.stopped {
			return j
		}
	}
	return nil
}

// begin takes the text out of the bar and makes a job of it. The bar closes
// unless there is progress to be seen. The next text is for the focused session again.
func (m *model) begin(total int, to string) (*sendJob, context.Context) {
	p := &m.prompt
	ctx, cancel := context.WithCancel(m.ctx)
	job := &sendJob{draft: p.text, from: p.target, to: to, total: total}
	job.stop = func() { job.stopped = true; cancel() }
	p.jobs = append(slices.Clip(p.jobs), job)
	m.draft.sentDue = true
	p.text, p.target, p.problem, p.at = edit.Buffer{}, target{}, "", 0
	if total == 1 {
		m.closePrompt()
	}
	return job, ctx
}

// end puts what was not sent back into the bar. A text that was written
// meanwhile stays; the other one is in the history.
func (m *model) end(job *sendJob, failed target, problem string) {
	p := &m.prompt
	p.jobs = slices.DeleteFunc(slices.Clone(p.jobs), func(o *sendJob) bool { return o == job })
	job.stop()
	if m.draft.due.IsZero() {
		m.draft.due = m.now().Add(draftAfter) // of what is kept beside it
	}
	if problem == "" {
		if job.total > 1 && m.mode == modePrompt && p.text.Empty() {
			m.closePrompt()
		}
		return
	}
	if p.text.Empty() {
		p.text, p.target, p.problem, p.begun = job.draft, failed, problem, job.answers
	} else {
		problem += "; it is in the history (Up)"
	}
	if m.mode != modePrompt {
		m.warn(problem)
	}
}

// sendTo delivers a text to sessions, several at a time; omitted says who of their
// group is not among them.
func (m *model) sendTo(text string, to []api.Session, omitted string) cmd {
	label := format.Plural(len(to), "session", "sessions")
	if len(to) == 1 {
		label = textsafe.Line(to[0].Name)
	}
	job, ctx := m.begin(len(to), label)
	job.omitted = omitted
	slots := make(chan struct{}, sendsAtOnce)
	var cmds []cmd
	for _, v := range to {
		t := m.prompt.tries.take(text, v.ID)
		job.tries = append(job.tries, t)
		cmds = append(cmds, m.sendOne(ctx, slots, job, v, t))
	}
	return tea.Batch(cmds...)
}

// sendOne is a delivery of a job's text, after those to the same session before it.
func (m *model) sendOne(ctx context.Context, slots chan struct{}, job *sendJob, v api.Session, t try) cmd {
	name := textsafe.Line(v.Name)
	before, over := m.prompt.join(v.ID)
	return ending(m.workIn(ctx, slots, func(c calls) (func(*model), error) {
		if err := await(c.ctx, before); err != nil {
			return nil, err
		}
		res, err := c.SendPrompt(c.ctx, t.session, api.SendPrompt{Text: t.text, ID: t.id})
		return func(m *model) {
			job.sent++
			job.tries = slices.DeleteFunc(slices.Clone(job.tries), func(o try) bool { return o.id == t.id })
			if res.Status == "queued" {
				job.busy = append(job.busy, name)
			}
			m.sentOne(job)
		}, err
	}, func(m *model, err error) {
		why, again := notDelivered(&t, job.stopped, err)
		if again {
			m.prompt.tries.keep(t)
		}
		job.failed, job.names = append(job.failed, v.ID), append(job.names, name)
		if job.reason == "" {
			job.reason = why
		}
		m.sentOne(job)
	}), over)
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
		return "whether it was typed is not known (" + ui.Problem(unwrapped(err)) + "). Sent again as it is, it is not typed twice", true
	case api.CodeOf(err) == api.CodeTimeout:
		if t.unsure++; t.unsure > 1 {
			return ui.Problem(err) + "; look at its pane: sent once more it is typed again", false
		}
	}
	return ui.Problem(err), true
}

// sendingText says how far the texts on their way are, "" if there are none.
func sendingText(jobs []sendJob) string {
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
func (j *sendJob) progress() string {
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
