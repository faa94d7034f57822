package tui

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/ui"

	tea "charm.land/bubbletea/v2"
)

// TaskAdder is a Client that has a queue of tasks; without it the prompt bar
// does not offer the queue.
type TaskAdder interface {
	// AddTasks puts tasks into the queue, all or none.
	AddTasks(ctx context.Context, tasks []api.NewTask) ([]api.Task, error)
}

func (m *model) canQueue() bool { _, ok := m.opts.Client.(TaskAdder); return ok }

// sendPrompt gives the text of the prompt bar to its target.
func (m *model) sendPrompt(at time.Time) cmd {
	p := &m.prompt
	text := strings.TrimSpace(p.text.String())
	switch {
	case text == "":
		m.closePrompt()
		return nil
	case len(p.jobs) >= mostJobs:
		p.problem = "not sent: too many texts are on their way; " + m.keys.Hint(keymap.CancelWork) + " cancels some of them"
		return nil
	}
	if reason := m.keys.Of(keymap.Prompt).Disabled(m.facts()); reason != "" {
		p.problem = "not sent: " + reason
		return nil
	}
	r := m.replyTo()
	if m.surprised(r, at) {
		return nil
	}
	if r != nil {
		return tea.Batch(m.remember(text), m.sendReply(*r, text))
	}
	to := m.receivers()
	if m.leftOut(to) {
		return nil
	}
	switch k := p.target.kind; {
	case k == targetQueue:
		return tea.Batch(m.remember(text), m.queueTask(text))
	case len(to) > 0:
		return tea.Batch(m.remember(text), m.sendTo(text, to, m.notIdle()))
	case k == targetIdle || k == targetChosen:
		p.problem = "not sent: " + cmp.Or(m.notIdle(), "no agent is idle")
		if k == targetChosen {
			p.problem = "not sent: the chosen sessions have ended"
		}
		return nil
	case m.promptEnded() != "":
		p.problem = "not sent: " + m.promptEnded() + " has ended; Enter starts a new session with it, " + m.keys.Hint(keymap.PromptTarget) + " chooses who else gets it"
		p.target = target{kind: targetNew}
		return nil
	}
	return tea.Batch(m.remember(text), m.createFor(text))
}

// sentOne ends the job after its last delivery.
func (m *model) sentOne(job *sendJob) {
	if job.sent+len(job.failed) < job.total {
		return
	}
	omitted := ""
	if job.omitted != "" {
		omitted = "; " + job.omitted
	}
	switch n := len(job.failed); {
	case n > 0:
	case job.total == 1 && len(job.busy) == 1:
		m.say(job.busy[0] + " is busy: it has the task in its own queue" + omitted)
	case job.total > 1 || omitted != "":
		m.say("sent to " + job.to + omitted)
	}
	switch n := len(job.failed); n {
	case 0:
		m.end(job, target{}, "")
	case 1:
		t := target{kind: targetChosen, ids: job.failed}
		if job.total == 1 && job.from.kind == targetFocused && job.failed[0] == m.focus {
			t = job.from
		}
		m.end(job, t, "not sent to "+job.names[0]+": "+job.reason+omitted)
	default:
		m.end(job, target{kind: targetChosen, ids: job.failed},
			"not sent to "+strconv.Itoa(n)+" of "+strconv.Itoa(job.total)+" ("+strings.Join(job.names[:min(n, 3)], ", ")+more(n-3)+"): "+job.reason+omitted)
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
		if !slices.ContainsFunc(m.Agents, func(a api.AgentInfo) bool { return a.Name == v.Agent }) {
			n.Agent = "" // of a session that runs a command
		}
	}
	n.Cols, n.Rows = m.nextSize()
	n = m.prompt.unsure.namedSession(n)
	m.prompt.unsure = making{}
	job, ctx := m.begin(1, "a new session")
	job.making = making{session: &n}
	m.say("starting a session for it…")
	typed := m.router.LastInput()
	before, over := m.prompt.join("new session")
	return ending(m.workIn(ctx, nil, func(c calls) (func(*model), error) {
		if err := await(c.ctx, before); err != nil {
			return nil, err
		}
		v, err := c.CreateSession(c.ctx, n)
		return func(m *model) {
			m.answered(v)
			m.end(job, target{}, "")
			m.focusStarted(v, typed)
		}, err
	}, func(m *model, err error) {
		hint := ""
		if api.CodeOf(err) == api.CodeNoAgent {
			hint = "; " + m.keys.Hint(keymap.New) + " offers the demo agent"
		}
		if api.Unsure(err) {
			m.prompt.unsure = making{session: &n}
		}
		m.end(job, job.from, notMade("started", "starting a session failed: ", "the list", job.stopped, err)+hint)
	}), over)
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
	task = m.prompt.unsure.namedTask(task)
	m.prompt.unsure = making{}
	job, ctx := m.begin(1, "the queue")
	job.making = making{task: &task}
	before, over := m.prompt.join("the queue")
	return ending(m.workIn(ctx, nil, func(c calls) (func(*model), error) {
		if err := await(c.ctx, before); err != nil {
			return nil, err
		}
		added, err := adder.AddTasks(c.ctx, []api.NewTask{task})
		return func(m *model) {
			m.end(job, target{}, "")
			if len(added) == 1 {
				m.say("queued as " + textsafe.Line(added[0].ID) + m.startsWhen())
			}
		}, err
	}, func(m *model, err error) {
		if api.Unsure(err) {
			m.prompt.unsure = making{task: &task}
		}
		m.end(job, job.from, notMade("queued", "not queued: ", "the queue", job.stopped, err))
	}), over)
}

// startsWhen says who starts what is queued, where that is a person.
func (m *model) startsWhen() string {
	q := m.Work.Queue
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
	job, ctx := m.begin(1, name)
	job.answers = r.ID
	_, over := m.prompt.join(r.Session) // the next text is for what it does then
	return ending(m.workIn(ctx, nil, func(c calls) (func(*model), error) {
		_, err := c.Answer(c.ctx, r.ID, a)
		return func(m *model) {
			m.end(job, target{}, "")
			m.say(name + ": " + textsafe.Line(r.Tool) + " " + word + m.left(r.Session))
		}, err
	}, func(m *model, err error) {
		why := ui.Problem(err)
		if c := api.CodeOf(err); c == api.CodeNotFound || c == api.CodeConflict {
			why = "it was answered elsewhere before"
		}
		m.end(job, job.from, "not answered: "+why)
	}), over)
}
