package tui

import (
	"slices"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/prompt/history"
	"ccdir/tui/terminal/input"
	"ccdir/tui/widget/edit"
)

// promptBar is what the prompt bar holds, open or closed. It is a value that
// scenes share; what it points to is replaced, never changed in place, but for
// tries and turns, which only the program looks at.
type promptBar struct {
	text   edit.Buffer
	target target
	// session is the one that the open bar is for, "" a new one; asked what of its
	// requests the text would answer.
	session string
	asked   promptAsk
	begun   string // the request that was in the bar when the text was begun, "" none
	// aside are drafts with another purpose than the text has, by the request that they
	// answer; "" is that of a task. Replaced, never changed in place.
	aside map[string]edit.Buffer
	list  promptList
	// history are the prompts of before, the newest last; at counts back from the
	// end while they are gone through, 0 is what was written, which is kept in
	// draft.
	history []string
	at      int
	draft   edit.Buffer
	// problem is why the last text was not sent, until it is edited or sent; also
	// that an Enter became a line break (heldEnter).
	problem string
	jobs    []*sendJob // texts on their way, the oldest first; replaced likewise
	tries   tries
	turns   turns
	unsure  making
	files   fileIndex
}

// targetKind is who gets the text.
type targetKind int

// The targets, in the order in which a key goes through them.
const (
	targetFocused targetKind = iota // the focused session; a new one if there is none
	targetNew                       // a new session
	targetQueue                     // the queue
	targetIdle                      // those of the agents with these ids that are idle
	targetChosen                    // the sessions with these ids, whatever runs in them
)

// target is who gets the text.
type target struct {
	kind targetKind
	ids  []string
}

// openPrompt gives the keyboard to the prompt bar.
func (m *model) openPrompt() cmd {
	m.mode = modePrompt
	m.prompt.list = promptList{}
	m.pinPrompt()
	m.prompt.swapDraft(m.askID())
	m.prompt.asked = promptAsk{}
	m.noteAsk(time.Time{})
	file := m.opts.History
	return m.call("", func(calls) (func(*model), error) {
		all, err := file.Load()
		return func(m *model) {
			for _, text := range m.prompt.history { // what could not be kept on disk
				if !slices.Contains(all, text) {
					all = append(all, text)
				}
			}
			if m.prompt.at == 0 {
				m.prompt.history = all
			}
			if l := &m.prompt.list; l.kind == listHistory {
				l.items = m.prompt.history
				m.filterList()
			}
		}, err
	})
}

// closePrompt gives the keyboard back to the pane. What was written stays; a prompt of the
// history that was not edited is no draft.
func (m *model) closePrompt() {
	if p := &m.prompt; p.at > 0 {
		p.text, p.at = p.draft, 0
	}
	m.mode = modePane
	m.prompt.list = promptList{}
	m.prompt.files.stop()
	m.prompt.files = fileIndex{}
}

// promptKey handles a key while the prompt bar has the keyboard.
func (m *model) promptKey(k input.Key) cmd {
	m.noteAsk(k.At)
	if m.pasting(k.At) {
		if n, c := m.pasteKeys([]input.Key{k}); n == 1 {
			m.heldEnter(k)
			return c
		}
	}
	if m.promptListKey(k) {
		return nil
	}
	if b, ok := m.keys.LookupIn(keymap.ModePrompt, k.Name); ok {
		return m.promptAction(b.Action, k)
	}
	next, ok := m.prompt.text.Key(k.Name, k.Text(), m.promptWidth())
	switch {
	case ok && next.Edits() == m.prompt.text.Edits():
		m.prompt.text = next
	case ok:
		m.edited(next)
	case k.Name == "Up":
		m.recall(1)
		return nil
	case k.Name == "Down":
		m.recall(-1)
		return nil
	}
	return m.complete()
}

// promptAction runs an action of the bar.
func (m *model) promptAction(a keymap.Action, k input.Key) cmd {
	p := &m.prompt
	switch a {
	case keymap.PromptSend:
		return m.sendPrompt(k.At)
	case keymap.PromptLine:
		m.edited(p.text.Insert("\n"))
	case keymap.PromptHistory:
		m.searchHistory()
	case keymap.PromptTarget:
		m.chooseTarget()
	case keymap.PromptNextTarget:
		if _, query, at := atWord(p.text); k.Name == "Tab" && at && query != "" && !p.files.dismissed {
			// Whoever completes a name does not mean the target.
			m.warn("no file here is like " + textsafe.Line(query) + "; " + m.keys.Hint(keymap.PromptTarget) + " chooses who gets the text")
			return nil
		}
		m.nextTarget()
	case keymap.PromptUnfold:
		if next, ok := p.text.Unfold(); ok {
			m.edited(next)
		} else {
			m.say("no folded paste stands at the cursor")
		}
	case keymap.PromptClose:
		if j := p.shownJob(); j != nil {
			j.stop()
			return nil
		}
		m.closePrompt()
	}
	return nil
}

// edited takes the text's new value.
func (m *model) edited(next edit.Buffer) {
	if m.prompt.text.Empty() {
		m.beginAnew()
	}
	m.prompt.text, m.prompt.at = next, 0
	m.prompt.problem = ""
}

// pastePrompt puts pasted text into the bar.
func (m *model) pastePrompt(text []byte) cmd {
	if m.prompt.list.kind == listHistory || m.prompt.list.kind == listTargets {
		l := &m.prompt.list
		l.query = l.query.Insert(strings.Join(strings.Fields(string(text[:min(len(text), 256)])), " "))
		m.filterList()
		return nil
	}
	return m.pasteInto(m.prompt.text.TryPaste, string(text))
}

// pasteInto puts text into the bar by put, if there is room.
func (m *model) pasteInto(put func(string) (edit.Buffer, bool), text string) cmd {
	next, ok := put(text)
	if !ok {
		m.warn("the paste was dropped: with it the text would be larger than 16 MiB")
		return nil
	}
	m.edited(next)
	return m.complete()
}

// recall goes through the history: by 1 to older prompts, by -1 to newer ones
// and at last to what was written.
func (m *model) recall(by int) {
	p := &m.prompt
	at := p.at + by
	if at < 0 || at > len(p.history) {
		return
	}
	if p.at == 0 {
		p.draft = p.text
	}
	m.beginAnew()
	if p.at = at; at == 0 {
		p.text = p.draft
		return
	}
	p.text = edit.New(p.history[len(p.history)-at])
}

// remember puts a text into the history, here and on disk.
func (m *model) remember(text string) cmd {
	p := &m.prompt
	if len(text) > history.MaxEntry {
		return nil
	}
	p.history = history.Keep(slices.Clone(p.history), text, func(s string) string { return s })
	p.at = 0
	file, at := m.opts.History, m.now()
	return m.callOr("", func(calls) (func(*model), error) {
		return nil, file.Add(text, at)
	}, func(m *model, err error) { m.failed("keeping the prompt in the history", err) })
}

// replyTo is the held request that the text answers: that of the session which the
// text is for; nil if there is none.
func (m *model) replyTo() *api.Request {
	if m.prompt.target.kind != targetFocused || !m.canAnswer() {
		return nil
	}
	r := requestOf(m.Requests, m.promptSession())
	if r == nil || m.prompt.answers(r.ID) {
		return nil
	}
	return r
}

// promptView is the prompt bar for a scene.
func (m *model) promptView() promptView {
	v := promptView{promptBar: m.prompt, label: m.targetLabel(), ask: m.replyTo()}
	for _, j := range m.prompt.jobs {
		v.sending = append(v.sending, *j)
	}
	if j := m.prompt.shownJob(); j != nil {
		job := *j
		v.shown = &job
	}
	return v
}

// promptWidth is how wide the text of the bar is, the cursor's column included.
func (m *model) promptWidth() int { return max(2, m.cols-promptBeside) }
