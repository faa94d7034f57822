package prompt

import (
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/prompt/history"
	"ccdir/tui/prompt/outbox"
	"ccdir/tui/prompt/target"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
)

// Bar is the prompt bar's content, open or closed. It is a value that
// scenes share; what it points to is replaced, never changed in place, but for
// what of the outbox only the program looks at.
type Bar struct {
	text   edit.Buffer
	target target.Target
	// session is the one that the open bar is for, "" a new one; owner is the one in focus
	// then, ended or not, whose draft it holds; asked what of its requests the text would
	// answer.
	session string
	owner   string
	asked   promptAsk
	list    promptList
	past    past
	// problem is why the last text was not sent, until it is edited or sent; also
	// that an Enter became a line break (heldEnter).
	problem string
	outbox  outbox.Outbox
	// restored: the text is from an earlier grid and was for nobody in particular. It stays in view, for
	// whoever the bar is for next.
	restored bool
	files    fileIndex
	pasted   time.Time // when a paste that comes as keys was taken last
	todo
}

// New is an empty bar.
func New(d Disk) Bar { return Bar{past: past{file: d.History}, outbox: outbox.New(d.Draft)} }

// Disk are the files of the bar; zero values keep nothing.
type Disk struct {
	History history.History
	Draft   history.Draft
}

// Open takes the keyboard. With anew the text is for the sessions to, or for the one in
// focus if there are none; else for whom it was. env.Writing is true.
func (b *Bar) Open(env ui.Env, anew bool, to []string) []ui.Effect {
	if anew {
		if b.target = (target.Target{}); len(to) > 0 {
			b.target = target.ChosenOf(to...)
		}
	}
	b.list = promptList{}
	b.pinPrompt(env)
	b.swapDraft(env, b.purpose(env))
	b.asked = promptAsk{}
	b.asked.note(b.askID(env), time.Time{})
	b.ask(b.past.load())
	return b.effects()
}

// close gives the keyboard back to the pane. What was written stays, as the draft of its session
// if it is for one; a prompt of the history that was not edited is no draft.
func (b *Bar) close() {
	b.text = b.past.written(b.text)
	if _, one := b.target.One(); one {
		b.target = target.Target{}
	}
	b.ask(ui.Close{})
	b.list = promptList{}
	b.files.stop()
	b.files = fileIndex{}
}

// Key handles a key while the bar has the keyboard.
func (b *Bar) Key(env ui.Env, k ui.Key) (effects []ui.Effect, taken bool) {
	if !env.Writing {
		return nil, false
	}
	b.key(env, k)
	return b.effects(), true
}

func (b *Bar) key(env ui.Env, k ui.Key) {
	b.asked.note(b.askID(env), k.At)
	if b.Pasting(k.At) && b.pasteKeys(env, []ui.Key{k}) == 1 {
		b.heldEnter(env, k)
		return
	}
	if b.listKey(env, k) {
		return
	}
	if bound, ok := env.Keys.LookupIn(keymap.ModePrompt, k.Name); ok {
		b.act(env, bound.Action, k)
		return
	}
	next, ok := b.text.Key(k.Name, k.Text(), textWidth(env))
	switch {
	case ok && next.Edits() == b.text.Edits():
		b.text = next
	case ok:
		b.edited(env, next)
	case k.Name == "Up":
		b.recall(env, 1)
		return
	case k.Name == "Down":
		b.recall(env, -1)
		return
	}
	b.complete(env)
}

// act runs an action of the bar.
func (b *Bar) act(env ui.Env, a keymap.Action, k ui.Key) {
	switch a {
	case keymap.PromptSend:
		b.send(env, k.At)
	case keymap.PromptLine:
		b.edited(env, b.text.Insert("\n"))
	case keymap.PromptHistory:
		b.list = promptList{kind: listHistory, items: b.past.texts}
		b.list.filter()
	case keymap.PromptTarget:
		b.chooseTarget(env)
	case keymap.PromptNextTarget:
		if _, query, at := atWord(b.text); k.Name == "Tab" && at && query != "" && !b.files.dismissed {
			// Whoever completes a name does not mean the target.
			b.warn("no file here is like " + textsafe.Line(query) + "; " + env.Keys.Hint(keymap.PromptTarget) + " chooses who gets the text")
			return
		}
		b.nextTarget(env)
	case keymap.PromptKept:
		b.ask(outbox.ListKept())
	case keymap.PromptUnfold:
		if next, ok := b.text.Unfold(); ok {
			b.edited(env, next)
		} else {
			b.say("no folded paste stands at the cursor")
		}
	case keymap.PromptClose:
		if j := b.shownJob(); j != nil {
			b.Stop(j.ID)
			return
		}
		b.close()
	}
}

// edited takes the text's new value.
func (b *Bar) edited(env ui.Env, next edit.Buffer) {
	if b.text.Empty() {
		b.beginAnew(env)
	}
	b.text, b.past.at = next, 0
	b.problem = ""
}

// Paste puts pasted text into the bar, or into the query of its list.
func (b *Bar) Paste(env ui.Env, text []byte) (effects []ui.Effect, taken bool) {
	if !env.Writing {
		return nil, false
	}
	if l := &b.list; l.kind == listHistory || l.kind == listTargets {
		l.query = l.query.Insert(strings.Join(strings.Fields(string(text[:min(len(text), 256)])), " "))
		b.list.filter()
	} else {
		b.pasteInto(env, b.text.TryPaste, string(text))
	}
	return b.effects(), true
}

// pasteInto puts text into the bar by put, if there is room.
func (b *Bar) pasteInto(env ui.Env, put func(string) (edit.Buffer, bool), text string) {
	next, ok := put(text)
	if !ok {
		b.warn("the paste was dropped: with it the text would be larger than 16 MiB")
		return
	}
	b.edited(env, next)
	b.complete(env)
}

// recall goes through the history: by 1 to older prompts, by -1 to newer ones
// and at last to what was written.
func (b *Bar) recall(env ui.Env, by int) {
	if text, ok := b.past.step(by, b.text); ok {
		b.text = text
		b.beginAnew(env)
	}
}

// remember puts a text into the history, here and on disk.
func (b *Bar) remember(env ui.Env, text string) { b.ask(b.past.add(text, env.Now)...) }

// replyTo is the held request that the text answers: that of the session which the
// text is for; nil if there is none.
func (b *Bar) replyTo(env ui.Env) *api.Request {
	if b.target.Kind != target.Focused || !canAnswer(env) {
		return nil
	}
	r := env.RequestOf(b.to(env).Session)
	if r == nil || b.outbox.Answers(r.ID) {
		return nil
	}
	return r
}

// canAnswer reports whether answers can be given from this grid.
func canAnswer(env ui.Env) bool { return !env.ReadOnly && env.Offline == "" }

// to is who gets the text, among the sessions of now: in the open bar Focused is the session
// that it was opened for, else the one in focus.
func (b *Bar) to(env ui.Env) target.Seen {
	session := env.Focus
	if env.Writing {
		session = b.session
	}
	return b.target.In(env, session)
}

// Text is the written text, Problem why the last text was not sent.
func (b *Bar) Text() string    { return b.text.String() }
func (b *Bar) Problem() string { return b.problem }

// Receive takes the result of a call, and texts for the history.
func (b *Bar) Receive(env ui.Env, value any, err error) []ui.Effect {
	switch v := value.(type) {
	case ui.Remember:
		b.remember(env, v.Text)
	case loadedHistory:
		if err == nil {
			b.past.take(v)
			if b.list.kind == listHistory {
				b.list.items = b.past.texts
				b.list.filter()
			}
		}
	case outbox.Loaded:
		if err == nil {
			b.takeDraft(env, v)
		}
	case scanned:
		if b.files.take(v, err) && env.Writing && b.list.kind == listFiles {
			b.complete(env) // the scan is fresh: nothing is begun
		}
	case outbox.KeptPrompts:
		b.takeKept(env, v, err)
	case outbox.TakenBack:
		b.takeBack(env, v, err)
	default:
		ended, effects := b.outbox.Receive(env, v, err)
		b.ask(effects...)
		if ended != nil {
			b.takeEnded(env, *ended)
		}
	}
	return b.effects()
}
