package request

import (
	"encoding/json"
	"strings"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
	"ccdir/internal/text/toolinput"
)

// Answerable reports whether r is a question that can be answered here and not only in the
// pane.
func Answerable(r api.Request) bool {
	return r.Kind == api.RequestQuestion && (r.Origin == api.OriginMCP || len(r.Choices) > 0)
}

// PaneKeys are the keys that a dialog in a pane takes. They hold for lists with
// and without numbers: Enter takes the marked choice.
func PaneKeys(s api.State) string {
	if s == api.StatePermission {
		return "↑ ↓ choose, Enter answers, Esc refuses"
	}
	return "↑ ↓ choose, Enter answers, Esc cancels"
}

// questionsOf are the questions of an agent's own dialog; none if it is something else.
func questionsOf(r api.Request) []toolinput.Question {
	if r.Kind != api.RequestQuestion {
		return nil
	}
	return toolinput.Questions(r.Input)
}

// Asked is what the input of a question asks, with its choices, and what was chosen if the
// input has that too, in one line; "" if it is no question.
func Asked(input json.RawMessage) string {
	var parts []string
	for _, raw := range toolinput.List(input, "questions") {
		var labels []string
		for _, o := range toolinput.List(raw, "options") {
			labels = append(labels, toolinput.Member(o, "label"))
		}
		parts = append(parts, asked(toolinput.Member(raw, "question"), labels, chosen(input, toolinput.Member(raw, "question"))))
	}
	if len(parts) == 0 {
		var labels []string
		for _, raw := range toolinput.List(input, "choices") {
			var label string
			if json.Unmarshal(raw, &label) == nil {
				labels = append(labels, label)
			}
		}
		if text := toolinput.Member(input, "question"); text != "" {
			parts = append(parts, asked(text, labels, ""))
		}
	}
	return textsafe.Line(strings.Join(parts, " · "))
}

// asked is a question in one line.
func asked(text string, labels []string, chosen string) string {
	if len(labels) > 0 {
		text += " (" + strings.Join(labels, " / ") + ")"
	}
	if chosen != "" {
		text += " → " + chosen
	}
	return strings.Join(strings.Fields(text), " ")
}

// chosen is the answer that an input has to a question, "" if it has none.
func chosen(input json.RawMessage, question string) string {
	fields, _ := toolinput.Fields(input)
	for _, f := range fields {
		if f.Key == "answers" {
			return toolinput.Member(f.Value, question)
		}
	}
	return ""
}

// Described is what the request says of each of its choices, "" of one of which it says
// nothing; nil if it describes none.
func Described(r api.Request) []string {
	all := questionsOf(r)
	if len(all) != 1 || len(all[0].Options) != len(r.Choices) {
		return nil
	}
	var out []string
	for i, o := range all[0].Options {
		if text := textsafe.Line(o.About); text != "" && o.About != o.Label {
			if out == nil {
				out = make([]string, len(r.Choices))
			}
			out[i] = text
		}
	}
	return out
}

// questions lays a question out and reports which fields need not be shown as they are.
// The choices of a single one stand below, where they are chosen; those of several are
// part of it.
func (b *writer) questions(r api.Request, fields []toolinput.Field) (shown map[string]bool) {
	all := questionsOf(r)
	if len(r.Choices) > 0 {
		text := r.Question
		if len(all) == 1 {
			text = all[0].Text
		}
		if text = wholeQuestion(text, fields); text == "" {
			return nil
		}
		b.prose(strong, text)
		return map[string]bool{"question": true, "questions": true, "choices": true}
	}
	for i, q := range all {
		if i > 0 {
			b.add(plain, "")
		}
		b.prose(strong, q.Text)
		for _, o := range q.Options {
			text := "· " + o.Label
			if o.About != "" && o.About != o.Label {
				text += ": " + o.About
			}
			b.prose(plain, text)
		}
	}
	if len(all) > 0 {
		return map[string]bool{"questions": true}
	}
	return nil
}

// wholeQuestion is the question as it was asked: the request has its beginning, in one
// line, and nobody should choose by that.
func wholeQuestion(begins string, fields []toolinput.Field) string {
	for _, f := range fields {
		if text, ok := f.Text(); ok && f.Key == "question" {
			return text
		}
	}
	return begins
}

// prose adds text whose lines may be broken at a blank.
func (b *writer) prose(kind kind, text string) {
	for _, l := range strings.Split(strings.ReplaceAll(textsafe.Block(text), "\t", "    "), "\n") {
		for _, l := range broken(l, b.w) {
			b.chop(kind, l)
		}
	}
}
