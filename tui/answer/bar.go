package answer

import (
	"strconv"
	"time"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/answer/request"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/theme"
)

// bar is the answer bar.
type bar struct {
	req    api.Request
	name   string // of the session
	step   step
	text   edit.Buffer // the message of a refusal, the edited command, an answer
	sel    int         // the marked rule or choice
	scope  int         // how far the rule reaches
	picked []int       // of several choices
	top    int         // first line of the input in view
	// file is what a Write would replace, once it was read.
	file      request.Present
	fileAsked bool
	problem   string // why the last answer was not taken
	sent      step   // the step from which the answer was sent; a failure goes back to it
	// over says how the request ended, and until when that is shown; elsewhere: not by
	// an answer given here.
	over      string
	until     time.Time
	elsewhere bool
	// prefixed: the prefix key came while something was being written; the next key is not text.
	prefixed bool
	// wrote: the person was writing when it ended.
	wrote bool
	// unread is until when keys are no answers, since it came by itself (After).
	unread time.Time
	// questions are those of several at once, pages what was chosen for each, page the one in
	// front, of which sel and picked are.
	questions []request.Page
	pages     []page
	page      int
	// answered are the requests that the answer is for.
	answered []string
}

// step is the bar's present step.
type step int

const (
	stepChoose  step = iota // a key decides
	stepMessage             // the message of a refusal is written
	stepEdit                // the command is edited
	stepText                // the answer to a question is written
	stepAlways              // the rule of always is chosen, and how far it reaches
	stepSending             // the answer is on its way
	stepOver                // the request has ended
)

// New is the bar for an open request.
func New(env ui.Env, r api.Request) ui.Component {
	name := r.Session
	if v := env.Session(r.Session); v != nil {
		name = v.Name
	}
	questions := request.Pages(r)
	return bar{req: r, name: name, questions: questions, pages: make([]page, len(questions))}
}

// question: its answer is a choice or a text; answerable: it can be given here.
func (d bar) question() bool { return d.req.Kind == api.RequestQuestion }

func (d bar) answerable() bool { return request.Answerable(d.req) }

// inWords: the answer to the question may be a text of one's own.
func (d bar) inWords() bool {
	return d.question() && (d.req.Questions > 0 || d.req.Origin == api.OriginMCP && len(d.req.Choices) == 0)
}

// writes: the step takes text.
func (d bar) writes() bool {
	return d.step == stepMessage || d.step == stepEdit || d.step == stepText
}

// Chip is the component's name in the status line.
func (d bar) Chip() string { return "ANSWER" }

// Tint is the colour of the chip: that of what needs a person.
func (d bar) Tint(t *theme.Theme) cells.Color { return t.Standing(api.StandingAsks) }

// YieldsPrefix: the prefix key leaves the bar unless something is being written.
func (d bar) YieldsPrefix() bool {
	return d.step == stepChoose || d.step == stepSending || d.step == stepOver
}

// Asks reports whether keys are answers.
func (d bar) Asks() bool { return d.step == stepChoose || d.step == stepAlways }

// Waits says that the answer is on its way.
func (d bar) Waits() string {
	if d.step == stepSending {
		return "your answer"
	}
	return ""
}

// Repeats: another y by a hand that shakes is for nobody.
func (d bar) Repeats(env ui.Env, k ui.Key) bool {
	_, again := env.Keys.LookupAnswer(k.Name)
	return again
}

// NextWake is when it closes by itself, or shows another age.
func (d bar) NextWake(env ui.Env) time.Time {
	if d.step == stepOver {
		return d.until
	}
	return env.Now.Add(format.AgeStep(env.Now, d.req.Since))
}

// Paste puts text into what is written.
func (d bar) Paste(_ ui.Env, text string) ui.Component {
	if d.writes() {
		d.text = d.text.Paste(text)
	}
	return d
}

var closing = []ui.Effect{ui.Close{}}

func (d bar) Key(env ui.Env, k ui.Key) (ui.Component, []ui.Effect) {
	leaves := k.Name == "C-c" || k.Name == "Escape"
	switch d.step {
	case stepOver:
		return d.keyOver(env, k)
	case stepSending:
		if leaves {
			return d, closing
		}
		return d, nil
	case stepMessage, stepEdit, stepText:
		return d.keyText(env, k)
	case stepAlways:
		return d.keyAlways(env, k)
	}
	switch {
	case leaves:
		return d, closing
	case env.Early:
		return d, nil // in flight when the question appeared
	}
	if next, held := d.heldBack(k); held {
		return next, nil
	}
	choice := d.keyChoice
	if d.paged() {
		choice = d.keyPages
	}
	if next, effects, taken := choice(env, k); taken {
		return next, effects
	}
	switch k.Name {
	case "Up", "Down", "PPage", "NPage", "Home", "End":
		return d.scrolled(env, k.Name), nil
	}
	if i, err := strconv.Atoi(k.Name); err == nil && i >= 1 && i <= len(d.req.Modes) {
		return d.send(env, api.Answer{Behavior: api.AnswerAllow, Mode: d.req.Modes[i-1]})
	}
	b, ok := env.Keys.LookupAnswer(k.Name)
	if !ok {
		d.problem = d.noAnswer(k.Name)
		return d, nil
	}
	if reason := b.Disabled(env.Facts); reason != "" {
		d.problem = reason
		return d, nil
	}
	return d.do(env, b.Action)
}

// do carries out a choice.
func (d bar) do(env ui.Env, a keymap.Action) (ui.Component, []ui.Effect) {
	switch a {
	case keymap.AnswerYes:
		switch {
		case d.answerable() && len(d.req.Choices) > 0, d.paged():
			d.problem = "its answer is a choice: Enter gives the marked one"
			return d, nil
		case d.inWords():
			return d.write(stepText, ""), nil
		case d.question():
			d.problem = d.notHere(env)
			return d, nil
		}
		return d.send(env, api.Answer{Behavior: api.AnswerAllow})
	case keymap.AnswerAlways:
		switch {
		case d.req.AlwaysRule == "":
			d.problem = "there is no narrow rule for this: answer it once"
			return d, nil
		}
		d.step, d.sel, d.scope, d.problem = stepAlways, 0, 0, ""
		return d, nil
	case keymap.AnswerNo:
		return d.write(stepMessage, ""), nil
	case keymap.AnswerEdit:
		return d.edit(env), nil
	case keymap.AnswerAll:
		return d.sendAll(env)
	case keymap.AnswerReview:
		if d.req.Kind != api.RequestPlan {
			d.problem = "only a plan is reviewed line by line"
			return d, nil
		}
		return d, []ui.Effect{ui.Do{Action: keymap.Review, Arg: d.req.ID}}
	case keymap.AnswerSnooze:
		return d, []ui.Effect{ui.Do{Action: keymap.Snooze, Arg: d.req.Session}}
	case keymap.AnswerPane:
		return d, []ui.Effect{ui.Focus{Session: d.req.Session}, ui.Say{Text: "answer in the pane: " + request.PaneKeys(api.StatePermission)}}
	case keymap.AnswerNext:
		return d, []ui.Effect{ui.Do{Action: keymap.AnswerNext, Arg: d.req.ID}}
	case keymap.AnswerLater:
		return d, closing
	}
	return d, nil
}

// noAnswer says that a key answers nothing here. Those that do stand below.
func (d bar) noAnswer(key string) string {
	_, err := strconv.Atoi(key)
	n := len(d.req.Choices)
	if d.paged() {
		n = d.other() + 1
	}
	switch {
	case err != nil:
		return textsafe.Line(key) + " answers nothing here"
	case !d.question():
		return key + " answers nothing here: it asks for permission, not for a choice"
	case n > 0:
		return key + " is none of its " + format.Plural(n, "choice", "choices")
	}
	return key + " answers nothing here: it asks for an answer in words"
}

// notHere says where a question is answered that takes no answer here.
func (d bar) notHere(env ui.Env) string {
	return "it cannot be answered here: " + env.Keys.Hint(keymap.AnswerPane) + " opens the pane"
}

// scrolled moves the input.
func (d bar) scrolled(env ui.Env, key string) bar {
	p := d.plan(env)
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
	return d
}

// shownName is the session's name as it is shown.
func (d bar) shownName() string { return textsafe.Line(d.name) }
