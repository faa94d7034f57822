package tui

import (
	"context"
	"crypto/rand"
	"strconv"
	"strings"

	"ccdir/internal/api"
	"ccdir/internal/keymap"
	"ccdir/internal/textsafe"
	"ccdir/tui/edit"

	tea "charm.land/bubbletea/v2"
)

// TaskAdder is a Client that has a queue of tasks; without it the prompt bar
// does not offer the queue.
type TaskAdder interface {
	// AddTasks puts tasks into the queue, all or none.
	AddTasks(ctx context.Context, tasks []api.NewTask) ([]api.Task, error)
}

func (m *model) canQueue() bool { _, ok := m.opts.Client.(TaskAdder); return ok }

// sendJob is a text on its way. The program owns it; scenes get copies.
type sendJob struct {
	draft edit.Buffer
	from  target
	total int
	sent  int
	busy  []string // names of those that took it into their own queue
	// failed are those that did not get it; reason is the first one's.
	failed  []string
	names   []string // of failed
	reason  string
	stop    context.CancelFunc
	stopped bool
}

// sendsAtOnce bounds how many deliveries run at the same time.
const sendsAtOnce = 4

// tries are the ids under which a text was tried, by session. A text that may
// have arrived is sent again under its id, which types nothing a second time.
type tries struct {
	text string
	ids  map[string]string
	// unsure counts the sessions that did not acknowledge it under this id.
	unsure map[string]int
}

// id is the id of a text for a session.
func (t *tries) id(text, session string) string {
	if t.text != text || t.ids == nil {
		*t = tries{text: text, ids: map[string]string{}, unsure: map[string]int{}}
	}
	if t.ids[session] == "" {
		t.ids[session] = "tui-" + rand.Text()
	}
	return t.ids[session]
}

// done forgets the id: the next text is another one, though it be the same.
func (t *tries) done(session string) { delete(t.ids, session); delete(t.unsure, session) }

// sendPrompt gives the text of the prompt bar to its target.
func (m *model) sendPrompt() cmd {
	p := &m.prompt
	text := strings.TrimSpace(p.text.String())
	switch {
	case text == "":
		m.closePrompt()
		return nil
	case p.job != nil:
		p.problem = "the one before is still on its way: " + m.keys.Hint(keymap.PromptClose) + " cancels it"
		return nil
	}
	if reason := m.keys.Of(keymap.Prompt).Disabled(m.facts()); reason != "" {
		p.problem = "not sent: " + reason
		return nil
	}
	if r := m.replyTo(); r != nil {
		return tea.Batch(m.remember(text), m.sendReply(*r, text))
	}
	to := m.receivers()
	switch k := p.target.kind; {
	case k == targetQueue:
		return tea.Batch(m.remember(text), m.queueTask(text))
	case len(to) > 0:
		return tea.Batch(m.remember(text), m.sendTo(text, to))
	case k == targetIdle || k == targetChosen:
		p.problem = "not sent: no session is idle"
		if k == targetChosen {
			p.problem = "not sent: the chosen sessions have ended"
		}
		return nil
	}
	return tea.Batch(m.remember(text), m.createFor(text))
}

// begin takes the text out of the bar and makes a job of it. The bar closes
// unless there is progress to be seen.
func (m *model) begin(total int) (*sendJob, context.Context) {
	ctx, cancel := context.WithCancel(m.ctx)
	job := &sendJob{draft: m.prompt.text, from: m.prompt.target, total: total}
	job.stop = func() { job.stopped = true; cancel() }
	m.prompt.job, m.prompt.text, m.prompt.problem, m.prompt.at = job, edit.Buffer{}, "", 0
	if total == 1 {
		m.closePrompt()
	}
	return job, ctx
}

// end puts what was not sent back into the bar. A text that was written
// meanwhile stays; the other one is in the history.
func (m *model) end(job *sendJob, failed target, problem string) {
	p := &m.prompt
	p.job = nil
	job.stop()
	if problem == "" {
		if job.total > 1 && m.mode == modePrompt && p.text.Empty() {
			m.closePrompt()
		}
		p.target = target{}
		return
	}
	if p.text.Empty() {
		p.text, p.target, p.problem = job.draft, failed, problem
	} else {
		problem += "; it is in the history (Up)"
	}
	if m.mode != modePrompt {
		m.warn(problem)
	}
}

// sendTo delivers a text to sessions, several at a time.
func (m *model) sendTo(text string, to []api.Session) cmd {
	job, ctx := m.begin(len(to))
	slots := make(chan struct{}, sendsAtOnce)
	var cmds []cmd
	for _, v := range to {
		id, name := v.ID, textsafe.Line(v.Name)
		prompt := api.SendPrompt{Text: text, ID: m.prompt.tries.id(text, id)}
		cmds = append(cmds, m.callIn(ctx, slots, func(c calls) (func(*model), error) {
			res, err := c.SendPrompt(c.ctx, id, prompt)
			return func(m *model) {
				m.prompt.tries.done(id)
				job.sent++
				if res.Status == "queued" {
					job.busy = append(job.busy, name)
				}
				m.sentOne(job)
			}, err
		}, func(m *model, err error) {
			why := problem(err)
			switch t := &m.prompt.tries; {
			case job.stopped:
				why = "cancelled"
			case api.CodeOf(err) == api.CodeTimeout && t.ids[id] == prompt.ID:
				if t.unsure[id]++; t.unsure[id] > 1 {
					t.done(id)
					why += "; look at its pane: sent once more it is typed again"
				}
			}
			job.failed, job.names = append(job.failed, id), append(job.names, name)
			if job.reason == "" {
				job.reason = why
			}
			m.sentOne(job)
		}))
	}
	return tea.Batch(cmds...)
}

// sentOne ends the job after its last delivery.
func (m *model) sentOne(job *sendJob) {
	if job.sent+len(job.failed) < job.total {
		return
	}
	switch n := len(job.failed); {
	case n == 0 && job.total == 1 && len(job.busy) == 1:
		m.say(job.busy[0] + " is busy: it has the task in its own queue")
	case n == 0 && job.total > 1:
		m.say("sent to " + strconv.Itoa(job.sent) + " sessions")
	}
	switch n := len(job.failed); n {
	case 0:
		m.end(job, target{}, "")
	case 1:
		t := target{kind: targetChosen, ids: job.failed}
		if job.total == 1 {
			t = job.from
		}
		m.end(job, t, "not sent to "+job.names[0]+": "+job.reason)
	default:
		m.end(job, target{kind: targetChosen, ids: job.failed},
			"not sent to "+strconv.Itoa(n)+" of "+strconv.Itoa(job.total)+" ("+strings.Join(job.names[:min(n, 3)], ", ")+more(n-3)+"): "+job.reason)
	}
}

func more(n int) string {
	if n <= 0 {
		return ""
	}
	return ", …"
}

// createFor starts a session for a task, like the ended one in focus if there
// is one.
func (m *model) createFor(text string) cmd {
	n := api.NewSession{Prompt: text, CWD: m.opts.Dir, Env: m.opts.Env}
	if v := m.focused(); v != nil && (m.prompt.target.kind != targetFocused || v.State.Ended()) {
		n.CWD, n.Agent = v.CWD, v.Agent
	}
	n.Cols, n.Rows = m.nextSize()
	job, ctx := m.begin(1)
	m.say("starting a session for it…")
	return m.callIn(ctx, nil, func(c calls) (func(*model), error) {
		v, err := c.CreateSession(c.ctx, n)
		return func(m *model) {
			m.upsert(v)
			m.setFocus(v.ID)
			m.end(job, target{}, "")
		}, err
	}, func(m *model, err error) {
		hint := ""
		switch api.CodeOf(err) {
		case api.CodeNoAgent:
			hint = "; " + m.keys.Hint(keymap.New) + " offers the demo agent"
		case api.CodeUnavailable, api.CodeTimeout:
			hint = "; see whether the session is there before you send it again"
		}
		m.end(job, job.from, "starting a session failed: "+problem(err)+hint)
	})
}

// queueTask puts a text into the queue.
func (m *model) queueTask(text string) cmd {
	adder, ok := m.opts.Client.(TaskAdder)
	if !ok {
		m.prompt.problem = "not sent: this daemon has no queue"
		return nil
	}
	task := api.NewTask{Prompt: text, CWD: m.opts.Dir, Env: m.opts.Env}
	if v := m.focused(); v != nil {
		task.CWD = v.CWD
	}
	job, ctx := m.begin(1)
	return m.callIn(ctx, nil, func(c calls) (func(*model), error) {
		added, err := adder.AddTasks(c.ctx, []api.NewTask{task})
		return func(m *model) {
			m.end(job, target{}, "")
			if len(added) == 1 {
				m.say("queued as " + textsafe.Line(added[0].ID) + m.startsWhen())
			}
		}, err
	}, func(m *model, err error) {
		m.end(job, job.from, "not queued: "+problem(err))
	})
}

// startsWhen says who starts what is queued, where that is a person.
func (m *model) startsWhen() string {
	q := m.work.queue
	switch {
	case q == nil || q.Mode == api.QueueAuto:
		return ""
	case q.Mode == api.QueuePaused:
		return "; the queue is paused: " + m.keys.Hint(keymap.Queue) + ", then " + m.keys.Hint(keymap.QueuePause) + " goes on"
	}
	return "; " + m.keys.Hint(keymap.Queue) + ", then " + m.keys.Hint(keymap.QueueStart) + " starts it, " + m.keys.Hint(keymap.QueueMode) + " all by themselves"
}

// sendReply answers the focused session's request by what was written: a
// question by it, a permission request by a refusal that says it.
func (m *model) sendReply(r api.Request, text string) cmd {
	a, word := api.Answer{Behavior: api.AnswerDeny, Message: text}, "refused"
	if answerable(r) {
		a, word = api.Answer{Behavior: api.AnswerAllow, Text: text}, "answered"
	}
	name := r.Session
	if v := m.session(r.Session); v != nil {
		name = textsafe.Line(v.Name)
	}
	job, ctx := m.begin(1)
	return m.callIn(ctx, nil, func(c calls) (func(*model), error) {
		_, err := c.Answer(c.ctx, r.ID, a)
		return func(m *model) {
			m.end(job, target{}, "")
			m.say(name + ": " + textsafe.Line(r.Tool) + " " + word + m.left(r.Session))
		}, err
	}, func(m *model, err error) {
		why := problem(err)
		if c := api.CodeOf(err); c == api.CodeNotFound || c == api.CodeConflict {
			why = "it was answered elsewhere before"
		}
		m.end(job, job.from, "not answered: "+why)
	})
}
