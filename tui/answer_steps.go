package tui

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/answer/request"
	"ccdir/tui/terminal/input"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
)

// scopeWords say how long an approval holds.
var scopeWords = map[string]string{
	api.ScopeSession: "until the session ends", api.ScopeProject: "always in this project", api.ScopeUser: "always, everywhere",
}

// write opens the editor of a step.
func (d answerBar) write(m *model, step answerStep, text string) cmd {
	if d.step == answerChoose || d.step != step {
		d.text = edit.New(text)
	}
	d.step, d.problem = step, ""
	m.overlay = d
	return nil
}

// edit opens the command for editing, or the answer to a question.
func (d answerBar) edit(m *model) cmd {
	switch {
	case d.inWords():
		return d.write(m, answerText, "")
	case d.answerable():
		d.problem = "its answer is one of the choices: Enter gives the marked one"
	case d.question():
		d.problem = "it cannot be answered here: " + m.keys.Hint(keymap.AnswerPane) + " opens the pane"
	case !d.req.Editable:
		d.problem = "only commands can be edited: answer no, and say what to do instead"
	default:
		command, ok := request.Command(d.req.Input)
		if ok {
			return d.write(m, answerEdit, command)
		}
		d.problem = "the command is too large to be edited here"
	}
	m.overlay = d
	return nil
}

// keyText edits what is written.
func (d answerBar) keyText(m *model, k input.Key) cmd {
	switch k.Name {
	case "Escape", "C-c":
		d.step, d.problem = answerChoose, ""
	case "Enter":
		return d.written(m)
	case "M-Enter", "C-j", "S-Enter":
		d.text = d.text.Insert("\n")
	case "PPage", "NPage":
		d.scroll(m, k.Name)
		return nil
	default:
		d.text, _ = d.text.Key(k.Name, k.Text(), d.textWidth(m.cols))
	}
	m.overlay = d
	return nil
}

// written sends what was written.
func (d answerBar) written(m *model) cmd {
	text := d.text.String()
	switch d.step {
	case answerMessage:
		return d.send(m, api.Answer{Behavior: api.AnswerDeny, Message: strings.TrimSpace(text)})
	case answerText:
		if text = strings.TrimSpace(text); text == "" {
			d.problem = "the answer is empty"
			break
		}
		return d.send(m, api.Answer{Behavior: api.AnswerAllow, Text: text})
	case answerEdit:
		if strings.TrimSpace(text) == "" {
			d.problem = "the command is empty: Esc, then no, refuses it"
			break
		}
		a := api.Answer{Behavior: api.AnswerAllow}
		if old, _ := request.Command(d.req.Input); old != text {
			input, err := request.WithCommand(d.req.Input, text)
			if err != nil {
				d.problem = textsafe.Line(err.Error())
				break
			}
			a.Input = input
		}
		return d.send(m, a)
	}
	m.overlay = d
	return nil
}

// keyScope chooses how far an approval reaches.
func (d answerBar) keyScope(m *model, k input.Key) cmd {
	n := len(d.req.Scopes)
	switch k.Name {
	case "Escape", "C-c":
		d.step, d.problem = answerChoose, ""
	case "Up", "k", "BTab":
		d.sel = (d.sel + n - 1) % n
	case "Down", "j", "Tab":
		d.sel = (d.sel + 1) % n
	case "PPage", "NPage":
		d.scroll(m, k.Name)
		return nil
	case "Enter":
		return d.send(m, api.Answer{Behavior: api.AnswerAllow, Always: true, Scope: d.req.Scopes[d.sel].Scope})
	default:
		if i, err := strconv.Atoi(k.Name); err == nil && i >= 1 && i <= n {
			d.sel = i - 1 // Enter decides: a rule is not written by one key
		}
	}
	m.overlay = d
	return nil
}

// keyChoice answers a question by its choices; taken is false for keys that
// have nothing to do with them.
func (d answerBar) keyChoice(m *model, k input.Key) (_ cmd, taken bool) {
	n := len(d.req.Choices)
	if !d.answerable() || n == 0 {
		return nil, false
	}
	switch k.Name {
	case "Up", "k":
		d.sel = (d.sel + n - 1) % n
	case "Down", "j":
		d.sel = (d.sel + 1) % n
	case "Space":
		if !d.req.Multiple {
			return nil, true
		}
		d = d.pick(d.sel)
	case "Enter":
		return d.choose(m), true
	default:
		i, err := strconv.Atoi(k.Name)
		if err != nil || i < 1 || i > n {
			return nil, false
		}
		if d.sel = i - 1; d.req.Multiple {
			d = d.pick(d.sel)
		}
	}
	d.problem = ""
	m.overlay = d
	return nil, true
}

// pick takes a choice among several, or gives it back.
func (d answerBar) pick(i int) answerBar {
	if at := slices.Index(d.picked, i); at >= 0 {
		d.picked = slices.Delete(slices.Clone(d.picked), at, at+1)
	} else {
		d.picked = append(slices.Clone(d.picked), i)
	}
	return d
}

// choose sends the choice, or the choices, in their order.
func (d answerBar) choose(m *model) cmd {
	picked := []int{d.sel}
	if d.req.Multiple {
		picked = slices.Sorted(slices.Values(d.picked))
		if len(picked) == 0 {
			d.problem = "nothing is marked: Space marks"
			m.overlay = d
			return nil
		}
	}
	var lines []string
	for _, i := range picked {
		lines = append(lines, d.req.Choices[i])
	}
	return d.send(m, api.Answer{Behavior: api.AnswerAllow, Text: strings.Join(lines, "\n")})
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
func (d answerBar) sendAll(m *model) cmd {
	same := alike(m.Requests, d.req)
	if d.question() || len(same) < 2 {
		d.problem = "no other request is exactly like this one"
		m.overlay = d
		return nil
	}
	given := 0
	d.told = func(m *model) {
		given++
		m.say(strconv.Itoa(given) + " of " + strconv.Itoa(len(same)) + " requests approved: " + textsafe.Line(d.req.Tool))
	}
	cmds := []cmd{d.send(m, api.Answer{Behavior: api.AnswerAllow})}
	for _, r := range same[1:] {
		cmds = append(cmds, m.callOr("", func(c calls) (func(*model), error) {
			_, err := c.Answer(c.ctx, r.ID, api.Answer{Behavior: api.AnswerAllow})
			return d.told, err
		}, func(m *model, err error) {
			if c := api.CodeOf(err); c != api.CodeNotFound && c != api.CodeConflict {
				m.warn("one of the requests was not approved: " + ui.Problem(err))
			}
		}))
	}
	return tea.Batch(cmds...)
}

// nextRequest shows the request after r, by age and round and round; if there
// is no other it goes to the next session that waits.
func (m *model) nextRequest(r api.Request) {
	at := slices.IndexFunc(m.Requests, func(o api.Request) bool { return o.ID == r.ID })
	for i := range len(m.Requests) {
		next := m.Requests[(at+1+i)%len(m.Requests)]
		if v := m.session(next.Session); next.ID == r.ID || v == nil || v.External || m.snoozed(*v) {
			continue
		}
		m.overlay = nil
		m.setFocus(next.Session)
		m.openAnswer(next)
		return
	}
	m.attendNext()
}
