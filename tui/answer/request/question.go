package request

import (
	"encoding/json"
	"strings"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
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

// question is one of those that an agent's own dialog asks.
type question struct {
	text    string
	options []option
}

// option is one of the choices of a question.
type option struct {
	label, about string
}

// questionsOf are the questions of an agent's own dialog, by the very members that the
// agent reads; none if it is something else.
func questionsOf(r api.Request) (out []question) {
	if r.Kind != api.RequestQuestion {
		return nil
	}
	for _, raw := range list(r.Input, "questions") {
		q := question{text: member(raw, "question")}
		for _, o := range list(raw, "options") {
			q.options = append(q.options, option{member(o, "label"), member(o, "description")})
		}
		out = append(out, q)
	}
	return out
}

// Asked is what the input of a question asks, with its choices, and what was chosen if the
// input has that too, in one line; "" if it is no question.
func Asked(input json.RawMessage) string {
	var parts []string
	for _, raw := range list(input, "questions") {
		var labels []string
		for _, o := range list(raw, "options") {
			labels = append(labels, member(o, "label"))
		}
		parts = append(parts, asked(member(raw, "question"), labels, chosen(input, member(raw, "question"))))
	}
	if len(parts) == 0 {
		var labels []string
		for _, raw := range list(input, "choices") {
			var label string
			if json.Unmarshal(raw, &label) == nil {
				labels = append(labels, label)
			}
		}
		if text := member(input, "question"); text != "" {
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
	fields, _ := fieldsOf(input)
	for _, f := range fields {
		if f.key == "answers" {
			return member(f.value, question)
		}
	}
	return ""
}

// list is a member that is a list; nil if it is none.
func list(data json.RawMessage, key string) (out []json.RawMessage) {
	fields, _ := fieldsOf(data)
	for _, f := range fields {
		if f.key == key && json.Unmarshal(f.value, &out) != nil {
			return nil
		}
	}
	return out
}

// member is a member that is a text; "" if it is none. Of several the last one counts.
func member(data json.RawMessage, key string) (text string) {
	fields, _ := fieldsOf(data)
	for _, f := range fields {
		if f.key == key {
			text, _ = f.text()
		}
	}
	return text
}

// flag is a member that is true.
func flag(data json.RawMessage, key string) (yes bool) {
	fields, _ := fieldsOf(data)
	for _, f := range fields {
		if f.key == key && json.Unmarshal(f.value, &yes) != nil {
			return false
		}
	}
	return yes
}

// Described is what the request says of each of its choices, "" of one of which it says
// nothing; nil if it describes none.
func Described(r api.Request) []string {
	all := questionsOf(r)
	if len(all) != 1 || len(all[0].options) != len(r.Choices) {
		return nil
	}
	var out []string
	for i, o := range all[0].options {
		if text := textsafe.Line(o.about); text != "" && o.about != o.label {
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
func (b *writer) questions(r api.Request, fields []field) (shown map[string]bool) {
	all := questionsOf(r)
	if len(r.Choices) > 0 {
		text := r.Question
		if len(all) == 1 {
			text = all[0].text
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
		b.prose(strong, q.text)
		for _, o := range q.options {
			text := "· " + o.label
			if o.about != "" && o.about != o.label {
				text += ": " + o.about
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
func wholeQuestion(begins string, fields []field) string {
	for _, f := range fields {
		if text, ok := f.text(); ok && f.key == "question" {
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
