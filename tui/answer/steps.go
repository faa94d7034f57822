package answer

import (
	"slices"
	"strconv"
	"strings"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/answer/request"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
)

// write opens the editor of a step.
func (d bar) write(s step, text string) bar {
	if d.step == stepChoose || d.step != s {
		d.text = edit.New(text)
	}
	d.step, d.problem = s, ""
	return d
}

// edit opens the command for editing, or the answer to a question.
func (d bar) edit(env ui.Env) bar {
	switch {
	case d.paged():
		return d.write(stepText, d.pages[d.page].own)
	case d.inWords():
		return d.write(stepText, "")
	case d.answerable():
		d.problem = "its answer is one of the choices: Enter gives the marked one"
	case d.question():
		d.problem = d.notHere(env)
	case !d.req.Editable:
		d.problem = "only commands can be edited: answer no, and say what to do instead"
	default:
		command, ok := request.Command(d.req.Input)
		if ok {
			return d.write(stepEdit, command)
		}
		d.problem = "the command is too large to be edited here"
	}
	return d
}

// keyText edits what is written.
func (d bar) keyText(env ui.Env, k ui.Key) (ui.Component, []ui.Effect) {
	if prefix := env.Keys.Prefix(); d.prefixed || k.Name == prefix {
		d.prefixed = !d.prefixed
		d.problem = "ccdir's keys wait until this is sent or left: " + prefix + " and the key after it write nothing"
		return d, nil
	}
	switch k.Name {
	case "Escape", "C-c":
		d.step, d.problem = stepChoose, ""
	case "Enter":
		return d.written(env)
	case "M-Enter", "C-j", "S-Enter":
		d.text = d.text.Insert("\n")
	case "PPage", "NPage":
		return d.scrolled(env, k.Name), nil
	default:
		d.text, _ = d.text.Key(k.Name, k.Text(), textWidth(env.Cols))
	}
	return d, nil
}

// written sends what was written.
func (d bar) written(env ui.Env) (ui.Component, []ui.Effect) {
	text := d.text.String()
	switch d.step {
	case stepMessage:
		return d.send(env, api.Answer{Behavior: api.AnswerDeny, Message: strings.TrimSpace(text)})
	case stepText:
		if d.paged() {
			return d.ownWords(env, text)
		}
		if text = strings.TrimSpace(text); text == "" {
			d.problem = "the answer is empty"
			return d, nil
		}
		return d.send(env, api.Answer{Behavior: api.AnswerAllow, Text: text})
	}
	if strings.TrimSpace(text) == "" {
		d.problem = "the command is empty: Esc, then no, refuses it"
		return d, nil
	}
	a := api.Answer{Behavior: api.AnswerAllow}
	if old, _ := request.Command(d.req.Input); old != text {
		input, err := request.WithCommand(d.req.Input, text)
		if err != nil {
			d.problem = textsafe.Line(err.Error())
			return d, nil
		}
		a.Input = input
	}
	return d.send(env, a)
}

// keyChoice answers a question by its choices; taken is false for keys that
// have nothing to do with them.
func (d bar) keyChoice(env ui.Env, k ui.Key) (_ ui.Component, effects []ui.Effect, taken bool) {
	n := len(d.req.Choices)
	if !d.answerable() || n == 0 {
		return d, nil, false
	}
	switch k.Name {
	case "Up", "k":
		d.sel = (d.sel + n - 1) % n
	case "Down", "j":
		d.sel = (d.sel + 1) % n
	case "Space":
		if d.req.Multiple {
			d = d.pick(d.sel)
		}
	case "Enter":
		next, effects := d.choose(env)
		return next, effects, true
	default:
		i, err := strconv.Atoi(k.Name)
		if err != nil || i < 1 || i > n {
			return d, nil, false
		}
		d.sel = i - 1
		if !d.req.Multiple { // as in the agent's own dialog
			next, effects := d.choose(env)
			return next, effects, true
		}
		d = d.pick(d.sel)
	}
	d.problem = ""
	return d, nil, true
}

// pick takes a choice among several, or gives it back.
func (d bar) pick(i int) bar {
	if at := slices.Index(d.picked, i); at >= 0 {
		d.picked = slices.Delete(slices.Clone(d.picked), at, at+1)
	} else {
		d.picked = append(slices.Clone(d.picked), i)
	}
	return d
}

// choose sends the choice, or the choices, in their order.
func (d bar) choose(env ui.Env) (ui.Component, []ui.Effect) {
	picked := []int{d.sel}
	if d.req.Multiple {
		picked = slices.Sorted(slices.Values(d.picked))
		if len(picked) == 0 {
			d.problem = "nothing is marked: Space marks"
			return d, nil
		}
	}
	var lines []string
	for _, i := range picked {
		lines = append(lines, d.req.Choices[i])
	}
	return d.send(env, api.Answer{Behavior: api.AnswerAllow, Text: strings.Join(lines, "\n")})
}
