package outbox

import (
	"context"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/answer/request"
	"ccdir/tui/prompt/target"
	"ccdir/tui/ui"
)

// made is the result of starting a session for a text.
type made struct {
	job     uint64
	asked   api.NewSession
	session api.Session
	typed   int64
}

// Create starts a session for a text: n, but for its Request. It gets the focus unless
// something is typed after typed (Env.Typed).
func (o *Outbox) Create(e Entry, n api.NewSession, typed int64) []ui.Effect {
	n = o.unsure.NamedSession(n)
	o.unsure = ui.Making{}
	id, stop := o.begin(e, Job{Total: 1, To: "a new session", making: ui.Making{Session: &n}})
	out := made{job: id, asked: n, typed: typed}
	return []ui.Effect{ui.Say{Text: "starting a session for it…"}, work(stop, o.turns.Join("new session"), nil, out, func(ctx context.Context, c ui.Client) (any, error) {
		v, err := c.CreateSession(ctx, n)
		out := out
		out.session = v
		return out, err
	})}
}

// takeMade gives the session the focus, unless something was typed since: the focus is not
// taken from under a person's hands.
func (o *Outbox) takeMade(env ui.Env, d made, err error) (*Ended, []ui.Effect) {
	j := o.job(d.job)
	if j == nil {
		return nil, nil
	}
	if err == nil {
		return o.end(env.Now, *j, target.Target{}, ""), []ui.Effect{ui.Learn{Session: d.session, Started: true, Typed: d.typed}}
	}
	hint := ""
	if api.CodeOf(err) == api.CodeNoAgent {
		hint = "; " + env.Keys.Hint(keymap.New) + " offers the demo agent"
	}
	if api.Unsure(err) {
		o.unsure = ui.Making{Session: &d.asked}
	}
	return o.end(env.Now, *j, j.entry.Target, ui.NotMade("started", "starting a session failed: ", "the list", j.stopped, err)+hint), nil
}

// queued is the result of putting a text into the queue.
type queued struct {
	job   uint64
	asked api.NewTask
	tasks []api.Task
}

// Queue puts a text into the queue: as task, but for its Request.
func (o *Outbox) Queue(e Entry, task api.NewTask) []ui.Effect {
	task = o.unsure.NamedTask(task)
	o.unsure = ui.Making{}
	id, stop := o.begin(e, Job{Total: 1, To: "the queue", making: ui.Making{Task: &task}})
	out := queued{job: id, asked: task}
	return []ui.Effect{work(stop, o.turns.Join("the queue"), nil, out, func(ctx context.Context, c ui.Client) (any, error) {
		queue, err := ui.As[ui.TaskAdder](c)
		if err != nil {
			return out, err
		}
		added, err := queue.AddTasks(ctx, []api.NewTask{task})
		out := out
		out.tasks = added
		return out, err
	})}
}

// takeQueued says under which number the task waits.
func (o *Outbox) takeQueued(env ui.Env, d queued, err error) (*Ended, []ui.Effect) {
	j := o.job(d.job)
	if j == nil {
		return nil, nil
	}
	if err == nil {
		var say []ui.Effect
		if len(d.tasks) == 1 {
			say = []ui.Effect{ui.Tell{To: ui.Grid, Value: ui.Queued{Task: d.tasks[0].ID}}, ui.Say{Text: "queued as " + textsafe.Line(d.tasks[0].ID) + startsWhen(env)}}
		}
		return o.end(env.Now, *j, target.Target{}, ""), say
	}
	if api.Unsure(err) {
		o.unsure = ui.Making{Task: &d.asked}
	}
	return o.end(env.Now, *j, j.entry.Target, ui.NotMade("queued", "not queued: ", "the queue", j.stopped, err)), nil
}

// startsWhen says who starts what is queued, where that is a person.
func startsWhen(env ui.Env) string {
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

// Answer answers a session's request by a text: a question by it, a permission request by a
// refusal that says it. name is the session's, for people.
func (o *Outbox) Answer(e Entry, r api.Request, name string) []ui.Effect {
	a, word := api.Answer{Behavior: api.AnswerDeny, Message: e.Text}, "refused"
	if request.Answerable(r) {
		a, word = api.Answer{Behavior: api.AnswerAllow, Text: e.Text}, "answered"
	}
	id, stop := o.begin(e, Job{Total: 1, To: name, answers: r.ID})
	out := replied{id, name, r.Session, textsafe.Line(r.Tool), word}
	// The next text is for what it does then, but the answer does not wait for those before.
	return []ui.Effect{work(stop, o.turns.Join(r.Session).First(), nil, out, func(ctx context.Context, c ui.Client) (any, error) {
		_, err := c.Answer(ctx, r.ID, a)
		return out, err
	})}
}

// takeReply says what the answer did.
func (o *Outbox) takeReply(env ui.Env, d replied, err error) (*Ended, []ui.Effect) {
	j := o.job(d.job)
	if j == nil {
		return nil, nil
	}
	if err == nil {
		return o.end(env.Now, *j, target.Target{}, ""), []ui.Effect{ui.Say{Text: d.name + ": " + d.tool + " " + d.word + env.StillWait(d.session)}}
	}
	why := ui.Problem(err)
	if c := api.CodeOf(err); c == api.CodeNotFound || c == api.CodeConflict {
		why = "it was answered elsewhere before"
	}
	return o.end(env.Now, *j, j.entry.Target, "not answered: "+why), nil
}
