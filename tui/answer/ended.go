package answer

import (
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/answer/request"
	"ccdir/tui/ui"
)

// How long the bar stays after the request has ended: a moment after an answer
// given here, longer when it was given elsewhere and a key for it may be on its
// way; pause is the pause in typing that ends that.
const (
	answeredFor  = 600 * time.Millisecond
	elsewhereFor = 2 * time.Second
	pause        = 500 * time.Millisecond
)

// Refresh ends the bar if its request has ended, and reads the file that it would replace.
func (d bar) Refresh(env ui.Env) (ui.Component, []ui.Effect) {
	if d.step == stepOver {
		if !env.Now.Before(d.until) {
			return d, closing
		}
		return d, nil
	}
	ended := env.EndedRequest(d.req.ID)
	if env.Request(d.req.ID) == nil && (ended != nil || !d.opensAgain(env)) {
		return d.ended(env, ended)
	}
	if d.problem == keymap.NoDaemon && env.Offline == "" {
		d.problem = ""
	}
	return d.readFile()
}

// opensAgain reports whether the request may be open though the daemon does not tell of
// it: it was asked of the daemon before this one, its session still waits, and its hook
// asks again in a moment. An answer to it is kept by the daemon until then.
func (d bar) opensAgain(env ui.Env) bool {
	v := env.Session(d.req.Session)
	return d.req.Since.Before(env.Server.Started) && v != nil && v.State.NeedsPerson() && env.RequestOf(d.req.Session) == nil
}

// ended puts how the request ended into the bar; dec is nil if that is not
// known.
func (d bar) ended(env ui.Env, dec *api.Decision) (bar, []ui.Effect) {
	if d.step == stepSending && (dec == nil || dec.Outcome == api.OutcomeAnswered) {
		return d, nil // the answer of the call says it
	}
	d.over = "no longer open"
	if dec != nil {
		d.over = endedText(*dec)
		v := env.Session(d.req.Session)
		if dec.Outcome == api.OutcomeElsewhere && (v == nil || v.State == api.StateExiting || v.State.Ended()) {
			d.over = "the session ends" // which closes its dialog
		}
	}
	var effects []ui.Effect
	if d.step == stepSending {
		effects = append(effects, ui.Arrived{})
	}
	d.wrote = d.writes()
	d, kept := d.keepWritten(env)
	d.step, d.until, d.elsewhere = stepOver, env.Now.Add(elsewhereFor), true
	return d, append(effects, kept...)
}

// keepWritten puts what was written for a request that was answered elsewhere into the
// history of the prompt bar.
func (d bar) keepWritten(env ui.Env) (bar, []ui.Effect) {
	text := strings.TrimSpace(d.text.String())
	if command, _ := request.Command(d.req.Input); text == "" || text == strings.TrimSpace(command) || env.ReadOnly {
		return d, nil
	}
	d.over += "; what you wrote is kept: " + env.Keys.Hint(keymap.Prompt) + " Up"
	return d, []ui.Effect{ui.Tell{To: ui.Prompt, Value: ui.Remember{Text: text}}}
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

// keyOver closes the bar after the request has ended. Keys that may have been
// meant for it go nowhere; others go where they would have gone. Answers to what ended
// elsewhere leave the bar until they pause: a second one, or a key that is held down,
// could answer what the pane asks next. For one who was writing that is every key.
func (d bar) keyOver(env ui.Env, k ui.Key) (ui.Component, []ui.Effect) {
	leaves := k.Name == "Escape" || k.Name == "C-c"
	_, meant := env.Keys.LookupAnswer(k.Name)
	meant = meant || k.Name == "Enter" || d.wrote
	switch {
	case meant && d.elsewhere && !leaves:
		d.until = env.Now.Add(pause)
		return d, nil
	case meant || leaves || env.Early:
		return d, closing
	}
	return d, []ui.Effect{ui.Close{}, ui.Pass{Key: k}}
}
