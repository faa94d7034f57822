package tui

import (
	"cmp"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/answer/request"
	"ccdir/tui/terminal"
	"ccdir/tui/terminal/input"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
)

// answerBar grows out of the prompt bar, shows a permission request whole and
// takes the answer. Nothing is typed into the pane: the answer goes to the
// request that is held. Keys from before it was on the screen are ignored, and
// closing it answers nothing.
type answerBar struct {
	req    api.Request
	name   string // of the session
	popup  uint64
	step   answerStep
	text   edit.Buffer // the message of a refusal, the edited command, an answer
	sel    int         // the marked scope or choice
	picked []int       // of several choices
	top    int         // first line of the input in view
	// file is what a Write would replace, once it was read.
	file      request.Present
	fileAsked bool
	problem   string // why the last answer was not taken
	// over says how the request ended, and until when that is shown; elsewhere: not by
	// an answer given here.
	over      string
	until     time.Time
	elsewhere bool
	// wrote: the person was writing when it ended.
	wrote bool
	// told tells that the request was answered along with others; nil if it is one
	// by itself.
	told func(*model)
}

// answerStep is what the bar is at.
type answerStep int

const (
	answerChoose  answerStep = iota // a key decides
	answerMessage                   // the message of a refusal is written
	answerEdit                      // the command is edited
	answerText                      // the answer to a question is written
	answerScope                     // how far always reaches
	answerSending                   // the answer is on its way
	answerOver                      // the request has ended
)

// How long the bar stays after the request has ended: a moment after an answer
// given here, longer when it was given elsewhere and a key for it may be on its
// way.
const (
	answeredFor  = 600 * time.Millisecond
	elsewhereFor = 2 * time.Second
)

// question: its answer is a choice or a text; answerable: it can be given here.
func (d answerBar) question() bool { return d.req.Kind == api.RequestQuestion }

func (d answerBar) answerable() bool { return answerable(d.req) }

func answerable(r api.Request) bool {
	return r.Kind == api.RequestQuestion && (r.Origin == api.OriginMCP || len(r.Choices) > 0)
}

// inWords: the answer to the question may be a text of one's own.
func (d answerBar) inWords() bool {
	return d.question() && (d.req.Questions > 0 || d.req.Origin == api.OriginMCP && len(d.req.Choices) == 0)
}

// writes: the step takes text.
func (d answerBar) writes() bool {
	return d.step == answerMessage || d.step == answerEdit || d.step == answerText
}

// ended puts how the request ended into the bar; dec is nil if that is not
// known.
func (d answerBar) ended(m *model, dec *api.Decision) {
	if d.step == answerSending && (dec == nil || dec.Outcome == api.OutcomeAnswered) {
		return // the answer of the call says it
	}
	if d.step == answerOver {
		return
	}
	d.over = "no longer open"
	if dec != nil {
		d.over = endedText(*dec)
		v := m.session(d.req.Session)
		if dec.Outcome == api.OutcomeElsewhere && (v == nil || v.State == api.StateExiting || v.State.Ended()) {
			d.over = "the session ends" // which closes its dialog
		}
	}
	m.typeahead.ready = d.step == answerSending
	d.wrote = d.writes()
	d = d.keepWritten(m)
	d.step, d.until, d.elsewhere = answerOver, m.now().Add(elsewhereFor), true
	m.overlay = d
}

// keepWritten puts what was written for a request that was answered elsewhere into the
// history of the prompt bar.
func (d answerBar) keepWritten(m *model) answerBar {
	text := strings.TrimSpace(d.text.String())
	if command, _ := request.Command(d.req.Input); text == "" || text == strings.TrimSpace(command) || m.opts.ReadOnly {
		return d
	}
	m.later = append(m.later, m.remember(text))
	d.over += "; what you wrote is kept: " + m.keys.Hint(keymap.Prompt) + " Up"
	return d
}

// endedText is how a request ended, for people.
func endedText(d api.Decision) string {
	if d.Answer != nil {
		word := "approved"
		if d.Answer.Behavior == api.AnswerDeny {
			word = "refused"
		}
		switch d.By {
		case api.ByPerson:
			return word + " elsewhere"
		case "":
			return word
		}
		return word + " by " + textsafe.Line(d.By)
	}
	switch d.Outcome {
	case api.OutcomeElsewhere:
		return "answered in the pane"
	case api.OutcomeSession:
		return "the session has ended"
	case api.OutcomeDeadline:
		return "nobody answered in time: answer in the pane"
	}
	if d.Reason != "" {
		return textsafe.Line(d.Reason)
	}
	return "no longer open: answer in the pane"
}

func (d answerBar) key(m *model, k input.Key) cmd {
	switch d.step {
	case answerOver:
		return d.keyOver(m, k)
	case answerSending:
		return d.keySending(m, k)
	case answerMessage, answerEdit, answerText:
		return d.keyText(m, k)
	case answerScope:
		return d.keyScope(m, k)
	}
	leaves := k.Name == m.keys.Prefix() || k.Name == "C-c" || k.Name == "Escape"
	if !leaves && !m.seen(d.popup, k.At) {
		return nil // in flight when the question appeared
	}
	if c, taken := d.keyChoice(m, k); taken {
		return c
	}
	switch k.Name {
	case m.keys.Prefix():
		m.overlay, m.mode = nil, modePrefix
		return nil
	case "C-c", "Escape":
		m.overlay = nil
		return nil
	case "Up", "Down", "PPage", "NPage", "Home", "End":
		d.scroll(m, k.Name)
		return nil
	}
	b, ok := m.keys.LookupAnswer(k.Name)
	if !ok {
		return nil
	}
	if reason := b.Disabled(m.facts()); reason != "" {
		d.problem = reason
		m.overlay = d
		return nil
	}
	return d.do(m, b.Action)
}

// keySending handles a key while the answer is on its way, which may take until the
// daemon is back: the bar can be left, and what else is typed is for what comes after.
func (d answerBar) keySending(m *model, k input.Key) cmd {
	switch k.Name {
	case m.keys.Prefix():
		m.overlay, m.mode = nil, modePrefix
	case "C-c", "Escape":
		m.overlay = nil
	default:
		if _, again := m.keys.LookupAnswer(k.Name); !again || len(m.typeahead.typed) > 0 {
			m.hold(terminal.Typed{Key: &k, At: k.At})
		}
		return nil
	}
	m.dropTypeahead()
	return nil
}

// do carries out a choice.
func (d answerBar) do(m *model, a keymap.Action) cmd {
	switch a {
	case keymap.AnswerYes:
		switch {
		case d.answerable() && len(d.req.Choices) > 0:
			d.problem = "its answer is a choice: Enter gives the marked one"
			m.overlay = d
			return nil
		case d.inWords():
			return d.write(m, answerText, "")
		case d.question():
			d.problem = "it cannot be answered here: " + m.keys.Hint(keymap.AnswerPane) + " opens the pane"
			m.overlay = d
			return nil
		}
		return d.send(m, api.Answer{Behavior: api.AnswerAllow})
	case keymap.AnswerAlways:
		if d.req.AlwaysRule == "" {
			d.problem = "there is no narrow rule for this: answer it once"
			m.overlay = d
			return nil
		}
		if len(d.req.Scopes) > 1 {
			d.step, d.sel, d.problem = answerScope, 0, ""
			m.overlay = d
			return nil
		}
		return d.send(m, api.Answer{Behavior: api.AnswerAllow, Always: true})
	case keymap.AnswerNo:
		return d.write(m, answerMessage, "")
	case keymap.AnswerEdit:
		return d.edit(m)
	case keymap.AnswerAll:
		return d.sendAll(m)
	case keymap.AnswerSnooze:
		return m.openSnooze(d.req.Session)
	case keymap.AnswerPane:
		m.overlay = nil
		m.setFocus(d.req.Session)
		m.say("answer in the pane: " + paneKeys(api.StatePermission))
	case keymap.AnswerNext:
		m.nextRequest(d.req)
	case keymap.AnswerLater:
		m.overlay = nil
	}
	return nil
}

// keyOver closes the bar after the request has ended. Keys that may have been
// meant for it go nowhere; others go where they would have gone. Answers to what ended
// elsewhere leave the bar until they pause: a second one, or a key that is held down,
// could answer what the pane asks next. For one who was writing that is every key.
func (d answerBar) keyOver(m *model, k input.Key) cmd {
	m.overlay = nil
	leaves := k.Name == "Escape" || k.Name == "C-c"
	_, meant := m.keys.LookupAnswer(k.Name)
	meant = meant || k.Name == "Enter" || d.wrote && k.Name != m.keys.Prefix()
	switch {
	case meant && d.elsewhere && !leaves:
		d.until = m.now().Add(gracePause)
		m.overlay = d
		return nil
	case meant || leaves || !m.seen(d.popup, k.At):
		return nil
	}
	return m.key(k)
}

func (d answerBar) paste(m *model, text string) {
	switch {
	case d.step == answerSending:
		m.hold(terminal.Typed{Paste: []byte(text), At: m.now()})
	case d.writes():
		d.text = d.text.Paste(text)
		m.overlay = d
	}
}

// send answers the request.
func (d answerBar) send(m *model, a api.Answer) cmd {
	id := d.req.ID
	if m.request(id) == nil && !m.opensAgain(d.req) { // it ended in this very moment
		d.ended(m, nil)
		return nil
	}
	was := d.step
	d.step, d.problem = answerSending, ""
	m.overlay = d
	word := "approved"
	switch {
	case a.Behavior == api.AnswerDeny:
		word = "refused"
	case a.Text != "":
		word = "answered"
	case a.Always:
		word = "approved " + scopeWords[cmp.Or(a.Scope, api.ScopeSession)]
	case len(a.Input) > 0:
		word = "approved as edited"
	}
	return m.callOr("answering "+textsafe.Line(d.name), func(c calls) (func(*model), error) {
		_, err := c.Answer(c.ctx, id, a)
		return func(m *model) {
			if d.told != nil {
				d.told(m)
			} else {
				m.say(textsafe.Line(d.name) + ": " + textsafe.Line(d.req.Tool) + " " + word + m.left(d.req.Session))
			}
			m.answerEnded(id, word, answeredFor)
		}, err
	}, func(m *model, err error) {
		if api.CodeOf(err) == api.CodeNotFound || api.CodeOf(err) == api.CodeConflict {
			m.answerEnded(id, "it was answered elsewhere before", elsewhereFor)
			if d, ok := m.overlay.(answerBar); ok && d.req.ID == id {
				d.elsewhere = true
				m.overlay = d.keepWritten(m)
			}
			return
		}
		now, open := m.overlay.(answerBar)
		if !open || now.req.ID != id {
			m.failed("answering "+textsafe.Line(d.name), err)
			return
		}
		m.dropTypeahead()
		now.step, now.problem = was, ui.Problem(err) // what was written is still there
		m.overlay = now
	})
}

// answerEnded shows in the bar, if it is still that request's, how it ended.
func (m *model) answerEnded(id, how string, stay time.Duration) {
	if d, ok := m.overlay.(answerBar); ok && d.req.ID == id {
		d.step, d.over, d.until = answerOver, how, m.now().Add(stay)
		m.overlay = d
		m.typeahead.ready = true
	}
}

// scroll moves the input.
func (d answerBar) scroll(m *model, key string) {
	p := d.plan(m.nowScene())
	n, room := len(p.lines), len(p.shown)
	switch key {
	case "Up":
		d.top--
	case "Down":
		d.top++
	case "PPage":
		d.top -= room
	case "NPage":
		d.top += room
	case "Home":
		d.top = 0
	case "End":
		d.top = n
	}
	d.top = max(0, min(d.top, n-room))
	m.overlay = d
}
