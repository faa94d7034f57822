package prompt

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/prompt/outbox"
	"ccdir/tui/prompt/target"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
)

// send gives the text to its target.
func (b *Bar) send(env ui.Env, at time.Time) {
	e := outbox.Entry{Draft: b.text, Text: strings.TrimSpace(b.text.String()), Target: b.target, For: b.purpose(env)}
	switch {
	case e.Text == "":
		b.close()
		return
	case b.outbox.Full():
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
		name := r.Session
		if v := env.Session(r.Session); v != nil {
			name = textsafe.Line(v.Name)
		}
		b.remember(env, e.Text)
		b.handOver(1, b.outbox.Answer(e, *r, name))
		return
	}
	to := b.to(env)
	if b.leftOut(env, to.Receivers()) {
		return
	}
	b.sendTo(env, e, to)
}

// sendTo gives a text to who is left of its target.
func (b *Bar) sendTo(env ui.Env, e outbox.Entry, to target.Seen) {
	all, ended := to.Receivers(), to.Ended()
	switch {
	case to.Kind == target.Queue:
		b.remember(env, e.Text)
		if !env.CanQueue {
			b.problem = "not sent: this daemon has no queue"
			return
		}
		b.handOver(1, b.outbox.Queue(e, taskOf(env, e.Text)))
	case to.Kind == target.Later:
		b.remember(env, e.Text)
		b.handOver(1, b.outbox.SendLater(e, to.IDs[0], textsafe.Line(env.SessionName(to.IDs[0]))))
	case len(all) > 0:
		b.remember(env, e.Text)
		b.handOver(len(all), b.outbox.Send(e, all, to.NotIdle()))
	case to.Kind == target.Chosen:
		b.problem = "not sent: the chosen sessions have ended"
	case to.Kind == target.Idle:
		b.problem = "not sent: " + cmp.Or(to.NotIdle(), "no agent is idle")
	case ended != "":
		b.problem = "not sent: " + ended + " has ended; Enter starts a new session with it, " + env.Keys.Hint(keymap.PromptTarget) + " keeps it for later or chooses who else gets it"
		b.target = target.Target{Kind: target.New}
	default:
		b.remember(env, e.Text)
		b.handOver(1, b.outbox.Create(e, newSession(env, e), env.Typed))
	}
}

// taskOf is the task of a text, in the directory of the session in focus.
func taskOf(env ui.Env, text string) api.NewTask {
	task := api.NewTask{Prompt: text, CWD: env.Dir, Env: env.Environ}
	if v := env.Session(env.Focus); v != nil {
		task.CWD = v.CWD
	}
	return task
}

// newSession is the session that is started for a text, like the ended one in focus if there
// is one.
func newSession(env ui.Env, e outbox.Entry) api.NewSession {
	n := api.NewSession{Prompt: e.Text, CWD: env.Dir, Env: env.Environ, Cols: env.NextCols, Rows: env.NextRows}
	if v := env.Session(env.Focus); v != nil && (e.Target.Kind != target.Focused || v.State.Ended()) {
		n.CWD, n.Agent = v.CWD, v.Agent
		if !slices.ContainsFunc(env.Agents, func(a api.AgentInfo) bool { return a.Name == v.Agent }) {
			n.Agent = "" // of a session that runs a command
		}
	}
	return n
}

// handOver empties the bar, whose text the outbox has, and does what sends it to so many
// receivers. The bar closes unless there is progress to be seen. The next text is for the
// focused session again.
func (b *Bar) handOver(receivers int, effects []ui.Effect) {
	b.text, b.target, b.problem, b.past.at = edit.Buffer{}, target.Target{}, "", 0
	if receivers == 1 {
		b.close()
	}
	b.ask(effects...)
}

// takeEnded puts what was not delivered back into the bar, or aside while the open bar is for
// another session. A text that was written meanwhile stays; the other one is in the history, also
// one that is too large for the disk.
func (b *Bar) takeEnded(env ui.Env, e outbox.Ended) {
	if e.Problem == "" {
		if e.Several && env.Writing && b.text.Empty() {
			b.close()
		}
		return
	}
	drafts := &b.outbox.Drafts
	if e.For.Session != "" && drafts.Purpose != e.For && (env.Writing || !b.text.Empty()) && drafts.Put(e.For, e.Draft) {
		b.warn(e.Problem + "; it is in the prompt bar of " + env.NameOf(e.For.Session))
		return
	}
	if !b.text.Empty() {
		b.past.keep(strings.TrimSpace(e.Draft.String()))
		b.warn(e.Problem + "; it is in the history (Up)")
		return
	}
	b.intoHistory(env, drafts.Become(e.For))
	b.text, b.target, b.problem = e.Draft, e.Target, e.Problem
	if !env.Writing {
		b.warn(e.Problem)
	}
}
