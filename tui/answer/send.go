package answer

import (
	"bytes"
	"context"
	"strconv"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/answer/request"
	"ccdir/tui/ui"
)

// Values of the results of calls: of the answer to this request, by its word, and of
// answers to others like it.
type (
	answered struct{ word string }
	alsoLike struct{}
)

// wordOf says what an answer does.
func wordOf(a api.Answer) string {
	switch {
	case a.Behavior == api.AnswerDeny:
		return "refused"
	case a.Text != "":
		return "answered"
	case a.Always:
		return wordOfAlways(a)
	case len(a.Input) > 0:
		return "approved as edited"
	case a.Mode != "":
		return "approved, begun in " + textsafe.Line(a.Mode)
	}
	return "approved"
}

// send answers the request, and says so.
func (d bar) send(env ui.Env, a api.Answer) (ui.Component, []ui.Effect) {
	d.answered = []string{d.req.ID}
	return d.sendAnd(env, a, func(env ui.Env) []ui.Effect {
		return []ui.Effect{ui.Say{Text: d.shownName() + ": " + d.subject() + " " + wordOf(a) + d.stillWait(env)}}
	})
}

// sendAnd answers the request; told says so.
func (d bar) sendAnd(env ui.Env, a api.Answer, told func(ui.Env) []ui.Effect) (ui.Component, []ui.Effect) {
	if env.Request(d.req.ID) == nil && !d.opensAgain(env) { // it ended in this very moment
		return d.ended(env, nil)
	}
	d.sent, d.step, d.problem = d.step, stepSending, ""
	id, word := d.req.ID, wordOf(a)
	return d, []ui.Effect{ui.Call{
		What: "answering " + d.shownName(), Own: true, Done: told,
		Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
			_, err := c.Answer(ctx, id, a)
			return ui.Result{Value: answered{word}}, err
		},
	}}
}

// Receive takes the file that would be replaced, and what came of the answer.
func (d bar) Receive(env ui.Env, value any, err error) (ui.Component, []ui.Effect) {
	switch v := value.(type) {
	case alsoLike:
		return d, nil
	case request.Present:
		d.file = v
		return d, nil
	case answered:
		if err == nil {
			d.step, d.over, d.until = stepOver, v.word, env.Now.Add(answeredFor)
			return d, d.onward(env)
		}
	}
	switch {
	case err == nil:
		return d, nil
	case isOver(err):
		d.over, d.elsewhere = "it was answered elsewhere before", true
		d, kept := d.keepWritten(env)
		d.step, d.until = stepOver, env.Now.Add(elsewhereFor)
		return d, append(kept, ui.Arrived{})
	case d.step == stepSending:
		d.step, d.problem = d.sent, ui.Problem(err) // what was written is still there
	}
	return d, nil
}

// isOver reports whether an answer came too late.
func isOver(err error) bool {
	c := api.CodeOf(err)
	return c == api.CodeNotFound || c == api.CodeConflict
}

// alike are the open requests that ask for exactly the same, this one first.
func alike(all []api.Request, r api.Request) []api.Request {
	out := []api.Request{r}
	for _, o := range all {
		if o.ID != r.ID && o.Kind == r.Kind && o.Tool == r.Tool && o.CWD == r.CWD && len(r.Input) > 0 && bytes.Equal(o.Input, r.Input) {
			out = append(out, o)
		}
	}
	return out
}

// sendAll allows all requests that are like this one.
func (d bar) sendAll(env ui.Env) (ui.Component, []ui.Effect) {
	same := alike(env.Requests, d.req)
	if d.question() || len(same) < 2 {
		d.problem = "no other request is exactly like this one"
		return d, nil
	}
	given := 0 // Done runs on the program's goroutine
	told := func(ui.Env) []ui.Effect {
		given++
		return []ui.Effect{ui.Say{Text: strconv.Itoa(given) + " of " + strconv.Itoa(len(same)) + " requests approved: " + textsafe.Line(d.req.Tool)}}
	}
	d.answered = nil
	for _, r := range same {
		d.answered = append(d.answered, r.ID)
	}
	next, effects := d.sendAnd(env, api.Answer{Behavior: api.AnswerAllow}, told)
	for _, r := range same[1:] {
		effects = append(effects, ui.Call{
			Done: told,
			Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
				_, err := c.Answer(ctx, r.ID, api.Answer{Behavior: api.AnswerAllow})
				return ui.Result{Value: alsoLike{}}, err
			},
			Failed: func(_ ui.Env, err error) []ui.Effect {
				if isOver(err) {
					return nil
				}
				return []ui.Effect{ui.Warn{Text: "one of the requests was not approved: " + ui.Problem(err)}}
			},
		})
	}
	return next, effects
}

// beside is how many other requests there are, and how many other sessions wait without
// one.
func (d bar) beside(env ui.Env) int {
	n := 0
	for _, o := range env.Requests {
		if o.ID != d.req.ID {
			n++
		}
	}
	for _, v := range env.Sessions {
		if v.ID != d.req.Session && !v.External && v.State.NeedsPerson() && env.RequestOf(v.ID) == nil {
			n++
		}
	}
	return n
}

// snoozed reports whether the session's wait was put off.
func (d bar) snoozed(env ui.Env) bool {
	v := env.Session(d.req.Session)
	return v != nil && v.PutOff(env.Now)
}

// subject names what was answered: the tool, or that it was a question.
func (d bar) subject() string {
	switch {
	case d.question():
		return "question"
	case d.req.Kind == api.RequestPlan:
		return "plan"
	}
	return textsafe.Line(d.req.Tool)
}
