package prompt

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
	"ccdir/tui/answer/request"
	"ccdir/tui/prompt/target"
	"ccdir/tui/ui"
)

// send gives the text to its target.
func (b *Bar) send(env ui.Env, at time.Time) {
	text := strings.TrimSpace(b.text.String())
	switch {
	case text == "":
		b.close()
		return
	case len(b.jobs) >= mostJobs:
		b.problem = "not sent: too many texts are on their way; " + env.Keys.Hint(keymap.CancelWork) + " cancels some of them"
		return
	}
	if reason := env.Keys.Of(keymap.Prompt).Disabled(env.Facts); reason != "" {
		b.problem = "not sent: " + reason
		return
	}
	r := b.replyTo(env)
	if b.surprised(env, r, at) {
		return
	}
	if r != nil {
		b.remember(env, text)
		b.sendReply(env, *r, text)
		return
	}
	to := b.to(env).Receivers()
	if b.leftOut(env, to) {
		return
	}
	switch k := b.target.Kind; {
	case k == target.Queue:
		b.remember(env, text)
		b.queueTask(env, text)
	case k == target.Later:
		b.remember(env, text)
		b.keep(env, text)
	case len(to) > 0:
		b.remember(env, text)
		b.sendTo(text, to, b.to(env).NotIdle())
	case k == target.Idle || k == target.Chosen:
		b.problem = "not sent: " + cmp.Or(b.to(env).NotIdle(), "no agent is idle")
		if k == target.Chosen {
			b.problem = "not sent: the chosen sessions have ended"
		}
	case b.to(env).Ended() != "":
		b.problem = "not sent: " + b.to(env).Ended() + " has ended; Enter starts a new session with it, " + env.Keys.Hint(keymap.PromptTarget) + " keeps it for later or chooses who else gets it"
		b.target = target.Target{Kind: target.New}
	default:
		b.remember(env, text)
		b.createFor(env, text)
	}
}

// sentOne ends the job after its last delivery.
func (b *Bar) sentOne(env ui.Env, job job) {
	if job.sent+len(job.failed) < job.total {
		return
	}
	omitted := ""
	if job.omitted != "" {
		omitted = "; " + job.omitted
	}
	switch n := len(job.failed); {
	case n > 0:
	case len(job.later) > 0:
		b.say("kept for later: " + strings.Join(job.later, ", ") + " gets it as soon as it can take it; in this bar " + env.Keys.Hint(keymap.PromptKept) + " lists it" + omitted)
	case job.total == 1 && len(job.busy) == 1:
		b.say(job.busy[0] + " is busy: it has the task in its own queue" + omitted)
	case job.total > 1 || omitted != "":
		b.say("sent to " + job.to + omitted)
	}
	switch n := len(job.failed); n {
	case 0:
		b.end(env, job.id, target.Target{}, "")
	case 1:
		t := target.ChosenOf(job.failed...)
		if job.total == 1 && job.from.Kind == target.Focused && job.failed[0] == env.Focus {
			t = job.from
		}
		b.end(env, job.id, t, "not sent to "+job.names[0]+": "+job.reason+omitted)
	default:
		b.end(env, job.id, target.ChosenOf(job.failed...),
			"not sent to "+strconv.Itoa(n)+" of "+strconv.Itoa(job.total)+" ("+target.FirstNames(job.names)+"): "+job.reason+omitted)
	}
}

// made is the result of starting a session for a text.
type made struct {
	job     uint64
	asked   api.NewSession
	session api.Session
	typed   int64
}

// createFor starts a session for a task, like the ended one in focus if there
// is one.
func (b *Bar) createFor(env ui.Env, text string) {
	n := api.NewSession{Prompt: text, CWD: env.Dir, Env: env.Environ}
	if v := env.Session(env.Focus); v != nil && (b.target.Kind != target.Focused || v.State.Ended()) {
		n.CWD, n.Agent = v.CWD, v.Agent
		if !slices.ContainsFunc(env.Agents, func(a api.AgentInfo) bool { return a.Name == v.Agent }) {
			n.Agent = "" // of a session that runs a command
		}
	}
	n.Cols, n.Rows = env.NextCols, env.NextRows
	n = b.unsure.NamedSession(n)
	b.unsure = ui.Making{}
	id, stop := b.begin(job{total: 1, to: "a new session", making: ui.Making{Session: &n}})
	b.say("starting a session for it…")
	out := made{job: id, asked: n, typed: env.Typed}
	b.work(stop, b.turns.Join("new session"), nil, out, func(ctx context.Context, c ui.Client) (any, error) {
		v, err := c.CreateSession(ctx, n)
		out := out
		out.session = v
		return out, err
	})
}

// takeMade gives the session the focus, unless something was typed since: the focus is not
// taken from under a person's hands.
func (b *Bar) takeMade(env ui.Env, d made, err error) {
	j := b.job(d.job)
	if j == nil {
		return
	}
	if err == nil {
		b.ask(ui.Learn{Session: d.session})
		b.end(env, d.job, target.Target{}, "")
		b.ask(ui.Started{Session: d.session, Typed: d.typed})
		return
	}
	hint := ""
	if api.CodeOf(err) == api.CodeNoAgent {
		hint = "; " + env.Keys.Hint(keymap.New) + " offers the demo agent"
	}
	if api.Unsure(err) {
		b.unsure = ui.Making{Session: &d.asked}
	}
	b.end(env, d.job, j.from, ui.NotMade("started", "starting a session failed: ", "the list", j.stopped, err)+hint)
}

// queued is the result of putting a text into the queue.
type queued struct {
	job   uint64
	asked api.NewTask
	tasks []api.Task
}

// queueTask puts a text into the queue.
func (b *Bar) queueTask(env ui.Env, text string) {
	if !env.CanQueue {
		b.problem = "not sent: this daemon has no queue"
		return
	}
	task := api.NewTask{Prompt: text, CWD: env.Dir, Env: env.Environ}
	if v := env.Session(env.Focus); v != nil {
		task.CWD = v.CWD
	}
	task = b.unsure.NamedTask(task)
	b.unsure = ui.Making{}
	id, stop := b.begin(job{total: 1, to: "the queue", making: ui.Making{Task: &task}})
	out := queued{job: id, asked: task}
	b.work(stop, b.turns.Join("the queue"), nil, out, func(ctx context.Context, c ui.Client) (any, error) {
		queue, err := ui.As[ui.TaskAdder](c)
		if err != nil {
			return out, err
		}
		added, err := queue.AddTasks(ctx, []api.NewTask{task})
		out := out
		out.tasks = added
		return out, err
	})
}

// takeQueued says under which number the task waits.
func (b *Bar) takeQueued(env ui.Env, d queued, err error) {
	j := b.job(d.job)
	if j == nil {
		return
	}
	if err == nil {
		b.end(env, d.job, target.Target{}, "")
		if len(d.tasks) == 1 {
			b.say("queued as " + textsafe.Line(d.tasks[0].ID) + b.startsWhen(env))
		}
		return
	}
	if api.Unsure(err) {
		b.unsure = ui.Making{Task: &d.asked}
	}
	b.end(env, d.job, j.from, ui.NotMade("queued", "not queued: ", "the queue", j.stopped, err))
}

// startsWhen says who starts what is queued, where that is a person.
func (b *Bar) startsWhen(env ui.Env) string {
	q := env.Work.Queue
	switch {
	case q == nil || q.Mode == api.QueueAuto:
		return ""
	case q.Mode == api.QueuePaused:
		return "; the queue is paused: " + env.Keys.Hint(keymap.Queue) + ", then " + env.Keys.Hint(keymap.QueuePause) + " goes on"
	}
	return "; " + env.Keys.Hint(keymap.Queue) + ", then " + env.Keys.Hint(keymap.QueueStart) + " starts it, " + env.Keys.Hint(keymap.QueueMode) + " all by themselves"
}

// replied is the result of an answer to a request.
type replied struct {
	job                 uint64
	name, session, tool string
	word                string // the answer's effect in words
}

// sendReply answers the focused session's request by what was written: a
// question by it, a permission request by a refusal that says it.
func (b *Bar) sendReply(env ui.Env, r api.Request, text string) {
	a, word := api.Answer{Behavior: api.AnswerDeny, Message: text}, "refused"
	if request.Answerable(r) {
		a, word = api.Answer{Behavior: api.AnswerAllow, Text: text}, "answered"
	}
	name := r.Session
	if v := env.Session(r.Session); v != nil {
		name = textsafe.Line(v.Name)
	}
	id, stop := b.begin(job{total: 1, to: name, answers: r.ID})
	out := replied{id, name, r.Session, textsafe.Line(r.Tool), word}
	// The next text is for what it does then, but the answer does not wait for those before.
	b.work(stop, b.turns.Join(r.Session).First(), nil, out, func(ctx context.Context, c ui.Client) (any, error) {
		_, err := c.Answer(ctx, r.ID, a)
		return out, err
	})
}

// takeReply says what the answer did.
func (b *Bar) takeReply(env ui.Env, d replied, err error) {
	j := b.job(d.job)
	if j == nil {
		return
	}
	if err == nil {
		b.end(env, d.job, target.Target{}, "")
		b.say(d.name + ": " + d.tool + " " + d.word + env.StillWait(d.session))
		return
	}
	why := ui.Problem(err)
	if c := api.CodeOf(err); c == api.CodeNotFound || c == api.CodeConflict {
		why = "it was answered elsewhere before"
	}
	b.end(env, d.job, j.from, "not answered: "+why)
}
